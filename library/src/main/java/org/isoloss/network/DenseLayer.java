package org.isoloss.network;

import java.util.Arrays;
import java.util.Optional;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/** One affine layer {@code W x + b}; its numbers cannot be changed. */
public final class DenseLayer {
    private final Matrix weight;
    private final double @Nullable [] bias;

    private DenseLayer(Matrix weight, double @Nullable [] bias) {
        if (weight.rows() < 1 || weight.columns() < 1) {
            throw new IllegalArgumentException("DenseLayer: weight has shape (%d, %d), expected at least (1, 1)"
                    .formatted(weight.rows(), weight.columns()));
        }
        weight.requireFinite("DenseLayer: weight");
        if (bias != null && bias.length != weight.rows()) {
            throw new IllegalArgumentException(
                    "DenseLayer: bias has shape (%d), expected (%d), the rows of weight (%d, %d)"
                            .formatted(bias.length, weight.rows(), weight.rows(), weight.columns()));
        }
        if (bias != null) {
            Matrix.over(bias.length, 1, bias).requireFinite("DenseLayer: bias");
        }
        this.weight = weight.copy();
        this.bias = bias == null ? null : bias.clone();
    }

    /**
     * Makes a layer without bias.
     *
     * @param weight shape (out, in), finite; copied
     * @return the layer
     */
    public static DenseLayer of(Matrix weight) {
        return new DenseLayer(weight, null);
    }

    /**
     * Makes a layer with a bias.
     *
     * @param weight shape (out, in), finite; copied
     * @param bias length out, finite; copied
     * @return the layer
     */
    public static DenseLayer of(Matrix weight, double[] bias) {
        return new DenseLayer(weight, bias);
    }

    /** {@return the width of the input, at least 1} */
    public int in() {
        return weight.columns();
    }

    /** {@return the width of the output, at least 1} */
    public int out() {
        return weight.rows();
    }

    /** {@return the weight: shape (out, in); a copy} */
    public Matrix weight() {
        return weight.copy();
    }

    /** {@return the bias: length out, a copy; or nothing} */
    public Optional<double[]> bias() {
        return Optional.ofNullable(bias).map(double[]::clone);
    }

    @Override
    public String toString() {
        return "DenseLayer(" + weight + (bias == null ? "" : ", " + Arrays.toString(bias)) + ")";
    }
}
