package org.isoloss.task;

import org.isoloss.autodiff.Adam;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.Support;

/** Trains a small dense network in float64 on one batch: Adam on the squared error of all outputs, over the number of inputs. The same start gives the same bits. */
public final class DenseTraining {
    private static final double CLIP_NORM = 10;

    private final DenseNetwork start;
    private final Tensor weights;
    private final Tensor loss;
    private final Program program;
    private final Adam adam = new Adam(CLIP_NORM);
    private int steps;

    /**
     * Begins a training.
     *
     * @param start whose weights it begins with
     * @param inputs shape (k, n); not modified
     * @param wanted what the network should give for them, shape (k, m); not modified
     */
    public DenseTraining(DenseNetwork start, Matrix inputs, Matrix wanted) {
        this.start = start;
        ModelTarget target = DenseTarget.outputs(start, Support.all(start.layout()), inputs);
        Graph graph = new Graph();
        this.weights = graph.parameter(1, target.parameterCount());
        Tensor outputs = target.record(graph, Jet.of(weights)).stacked();
        Tensor error = graph.add(
                outputs,
                -1,
                graph.constant(
                        Matrix.over(1, target.outputCount(), wanted.entries().clone())));
        this.loss = graph.innerProduct(1.0 / inputs.rows(), error, error);
        this.program = graph.compile(Precision.FLOAT64);
        program.set(weights, start.parameters());
    }

    /**
     * Takes steps.
     *
     * @param last so many steps are taken in all when this returns; none where they are already
     * @param rate of Adam
     */
    public void runTo(int last, double rate) {
        while (steps < last) {
            steps++;
            program.forward();
            program.backward(loss);
            adam.update(program, steps, rate);
        }
    }

    /** {@return the loss at the weights as they are} */
    public double loss() {
        program.forward();
        return program.get(loss).entries()[0];
    }

    /** {@return the network with the weights as they are} */
    public DenseNetwork network() {
        return start.withParameters(program.get(weights).entries());
    }
}
