package org.isoloss.autodiff;

/**
 * Where the weight matrix of a layer lies in each row of a batch of parameter vectors.
 *
 * @param offset first entry in the parameter vector, at least 0
 * @param outputs rows of the weight matrix, at least 1
 * @param inputs columns of the weight matrix, at least 1
 */
public record WeightSlice(int offset, int outputs, int inputs) {
    /** Refuses impossible sizes. */
    public WeightSlice {
        if (offset < 0 || outputs < 1 || inputs < 1) {
            throw new IllegalArgumentException(
                    "WeightSlice: offset %d, outputs %d, inputs %d".formatted(offset, outputs, inputs));
        }
    }

    void requireWithin(Tensor parameters) {
        if (offset + outputs * inputs > parameters.columns()) {
            throw new IllegalArgumentException("WeightSlice: entries %d to %d lie beyond the %d parameters"
                    .formatted(offset, offset + outputs * inputs, parameters.columns()));
        }
    }
}
