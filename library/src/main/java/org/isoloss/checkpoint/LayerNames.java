package org.isoloss.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * What the tensors of one dense layer are called in a file.
 *
 * @param weight the name of the weight
 * @param bias the name of the bias; null for a layer without one
 * @param transposed true when the file stores the weight as (in, out) rather than PyTorch's (out, in)
 */
public record LayerNames(String weight, @Nullable String bias, boolean transposed) {
    /** Checks the names. */
    public LayerNames {
        if (weight.equals(bias)) {
            throw new IllegalArgumentException("weight and bias of a layer have the same name '" + weight + "'");
        }
    }

    /**
     * Returns the names that PyTorch's {@code Sequential} gives to a linear layer.
     *
     * @param position of the layer among all modules, from 0
     * @param bias whether it has a bias
     * @return such as "0.weight" and "0.bias", stored as (out, in)
     */
    public static LayerNames sequential(int position, boolean bias) {
        return new LayerNames(position + ".weight", bias ? position + ".bias" : null, false);
    }
}
