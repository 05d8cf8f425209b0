package org.isoloss.action;

import java.util.List;
import org.isoloss.action.StackedCall.Block;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;

/**
 * The Jacobian of a learned field in the parameters, by reverse mode over forward mode: the field is the tangent of the
 * network in the group argument, and the backward pass runs through it. All its components are differentiated at once,
 * each by a row of its own.
 */
final class LearnedFieldJacobian {
    private final Program program;
    private final Tensor directions;
    private final Tensor parameters;
    private final Tensor trace;
    private final int count;

    LearnedFieldJacobian(ActionShape shape, List<double[]> weights) {
        count = shape.parameterCount();
        Graph graph = new Graph();
        ActionNetwork network = new ActionNetwork(graph, shape);
        int size = shape.matrixSize();
        directions = graph.input(1, size * size);
        parameters = graph.differentiableInput(count, count);
        Tensor identity =
                graph.constant(Matrix.over(1, size * size, Matrix.identity(size).entries()));
        StackedCall call = new StackedCall(
                graph,
                network,
                network.elementPart(graph, graph.concatenate(identity, directions)),
                network.parameterPart(graph, parameters));
        Block values = call.values(Graph.repeat(0, count), Graph.range(0, count));
        Block tangents = call.tangents(values, Graph.repeat(1, count));
        Tensor field = network.output(graph, call.hidden().rows(tangents.from(), tangents.from() + count));
        trace = graph.innerProduct(1, field, graph.constant(Matrix.identity(count)));
        program = graph.compile(Precision.FLOAT64);
        List<Tensor> tensors = network.tensors();
        for (int i = 0; i < tensors.size(); i++) {
            program.set(tensors.get(i), weights.get(i));
        }
    }

    /** Differentiates the field of a direction at a point: shape (p, p), row i that of component i. */
    Matrix at(double[] direction, double[] point) {
        program.set(directions, direction);
        for (int row = 0; row < count; row++) {
            for (int i = 0; i < count; i++) {
                program.set(parameters, row * count + i, point[i]);
            }
        }
        program.forward();
        program.backward(trace);
        return program.gradient(parameters);
    }
}
