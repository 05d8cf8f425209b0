package org.isoloss.action;

import java.util.List;

/**
 * One tensor of a trained action. In memory the weights of a layer have shape (inputs, outputs), because rows of a batch are
 * multiplied from the left; files keep them as (outputs, inputs), as PyTorch does.
 *
 * @param name in files
 * @param inputs of the layer, at least 1; not used by a bias
 * @param outputs of the layer, at least 1
 * @param bias whether this is the bias of a layer, of as many numbers as outputs
 * @param exact whether files keep it in float64: numbers that were computed, not trained
 */
public record WeightTensor(String name, int inputs, int outputs, boolean bias, boolean exact) {
    static WeightTensor weight(String layer, int inputs, int outputs) {
        return new WeightTensor(layer + ".weight", inputs, outputs, false, false);
    }

    static WeightTensor bias(String layer, int outputs) {
        return new WeightTensor(layer + ".bias", 1, outputs, true, false);
    }

    static WeightTensor exact(String name, int rows, int columns) {
        return new WeightTensor(name, rows, columns, false, true);
    }

    static List<WeightTensor> both(String layer, int inputs, int outputs) {
        return List.of(weight(layer, inputs, outputs), bias(layer, outputs));
    }

    /** {@return the number of elements: inputs times outputs; outputs for a bias} */
    public int size() {
        return bias ? outputs : inputs * outputs;
    }
}
