package org.isoloss.network;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;

/** The values inside a network for one batch, one input a row. */
public final class ForwardPass {
    private final List<Matrix> preActivations = new ArrayList<>();
    private final List<Matrix> activations = new ArrayList<>();

    ForwardPass(Matrix inputs) {
        activations.add(inputs.copy());
    }

    void add(Matrix sums, Matrix values) {
        preActivations.add(sums);
        activations.add(values);
    }

    /**
     * Returns what a layer computes before the activation.
     *
     * @param layer from 0
     * @return shape (k, out)
     */
    public Matrix preActivations(int layer) {
        return preActivations.get(layer);
    }

    /**
     * Returns what a layer receives: the batch itself for layer 0, else the activations of the layer before.
     *
     * @param layer from 0
     * @return shape (k, in)
     */
    public Matrix activations(int layer) {
        return activations.get(layer);
    }

    /** {@return the network's outputs, shape (k, m)} */
    public Matrix outputs() {
        return preActivations.getLast();
    }
}
