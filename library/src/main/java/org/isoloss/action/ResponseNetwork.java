package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.network.Activation;

/**
 * The network of an action for many batches: from the sum that the moving unit has on one input to what the compensating units
 * are to take up there, by dense layers of SiLU units; and the readout of inputs that decides in which direction a batch moves.
 * It reads one input at a time, so it does not know how many there are, nor in which order.
 */
public final class ResponseNetwork {
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Tensor> biases = new ArrayList<>();
    private final Tensor last;
    private final Tensor readout;

    /**
     * Records the weights.
     *
     * @param graph receives the weights
     * @param shape sizes
     */
    public ResponseNetwork(Graph graph, BatchedShape shape) {
        for (int layer = 0; layer < shape.depth(); layer++) {
            weights.add(graph.parameter(layer == 0 ? 1 : shape.width(), shape.width()));
            biases.add(graph.parameter(1, shape.width()));
        }
        last = graph.parameter(shape.width(), shape.outputs());
        readout = graph.parameter(shape.seen(), 1);
    }

    /**
     * Draws initial weights, normal with variance 1 / inputs; the biases of the first layer are standard normal, so that its units
     * bend at different sums, the others zero.
     *
     * @param program of the graph; its weights are modified
     * @param random the source of randomness; modified
     */
    public void initialize(Program program, SplittableRandom random) {
        for (int layer = 0; layer < weights.size(); layer++) {
            draw(program, weights.get(layer), random);
            if (layer == 0) {
                draw(program, biases.get(layer), random);
            } else {
                program.set(biases.get(layer), new double[biases.get(layer).size()]);
            }
        }
        draw(program, last, random);
        draw(program, readout, random);
    }

    private static void draw(Program program, Tensor tensor, SplittableRandom random) {
        program.set(
                tensor,
                Initialization.LECUN
                        .draw(tensor.rows(), tensor.columns(), false, random)
                        .entries());
    }

    /** {@return the weights in a fixed order: the bias of each layer after its weights, the last layer, the readout} */
    public List<Tensor> tensors() {
        List<Tensor> tensors = new ArrayList<>();
        for (int layer = 0; layer < weights.size(); layer++) {
            tensors.add(weights.get(layer));
            tensors.add(biases.get(layer));
        }
        tensors.add(last);
        tensors.add(readout);
        return tensors;
    }

    /**
     * Records the response; only its differences and tangents mean something, so the last layer has no bias.
     *
     * @param graph the graph of this network
     * @param sums of the moving unit and tangents at them, values before tangents, one input of one batch a row; shape (n, 1)
     * @return the same kinds of rows, shape (n, outputs)
     */
    public Jet response(Graph graph, Jet sums) {
        Jet hidden = sums;
        for (int layer = 0; layer < weights.size(); layer++) {
            hidden = graph.apply(Activation.SILU, graph.dense(hidden, weights.get(layer), biases.get(layer)));
        }
        return hidden.with(graph.product(hidden.stacked(), last));
    }

    /** {@return by which factor each input enters the direction of its batch: {@code x_i e}, e shape (n, 1)} */
    public Tensor readout() {
        return readout;
    }
}
