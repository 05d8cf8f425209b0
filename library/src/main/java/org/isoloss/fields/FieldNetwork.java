package org.isoloss.fields;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;

/** The weights of r fields in a graph, and the fields recorded with their derivatives. */
final class FieldNetwork {
    private final FieldShape shape;
    private final List<Tensor> tensors = new ArrayList<>();

    FieldNetwork(Graph graph, FieldShape shape) {
        this.shape = shape;
        for (int layer = 0; layer <= shape.depth(); layer++) {
            tensors.add(graph.parameter(shape.inputs(layer), shape.outputs(layer)));
            tensors.add(graph.parameter(1, shape.outputs(layer)));
        }
    }

    /** Weights and biases, first layer first. */
    List<Tensor> tensors() {
        return tensors;
    }

    /** Draws weights of variance one over the number of inputs; biases begin at 0. */
    void initialize(Program program, SplittableRandom random) {
        for (int i = 0; i < tensors.size(); i += 2) {
            Tensor weight = tensors.get(i);
            program.set(
                    weight,
                    Matrix.gaussian(weight.rows(), weight.columns(), random)
                            .scaled(1 / Math.sqrt(weight.rows()))
                            .entries());
            program.set(tensors.get(i + 1), new double[tensors.get(i + 1).size()]);
        }
    }

    /**
     * Records all fields.
     *
     * @param points values theta before tangents, shape (n, p)
     * @return the same kinds of rows, one field after the other in each, shape (n, r p)
     */
    Jet fields(Graph graph, Jet points) {
        Jet rows = points;
        for (int layer = 0; layer <= shape.depth(); layer++) {
            Jet affine = graph.dense(rows, tensors.get(2 * layer), tensors.get(2 * layer + 1));
            rows = layer == shape.depth() ? affine : graph.apply(Activation.SILU, affine);
        }
        return rows;
    }
}
