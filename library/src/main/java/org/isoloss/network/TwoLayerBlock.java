package org.isoloss.network;

import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;

/**
 * Two consecutive layers {@code U sigma(V X + b)}, the part of a network in which one unit can move and others compensate.
 *
 * <p>A bias b is one more incoming weight of each unit, on an input that is always 1: the augmented V has it as its last
 * column, the augmented X a last row of ones. The bias of the second layer adds a constant and is left out.
 */
public final class TwoLayerBlock implements SiteBlock {
    private final Pointwise activation;
    private final Matrix incoming;
    private final boolean biased;
    private final Matrix outgoing;

    private TwoLayerBlock(Pointwise activation, Matrix incoming, boolean biased, Matrix outgoing) {
        this.activation = activation;
        this.incoming = incoming;
        this.biased = biased;
        this.outgoing = outgoing;
    }

    /**
     * Joins two layers.
     *
     * @param activation between them
     * @param first V and b, shape (H, n)
     * @param second U, shape (m, H)
     * @return the block
     */
    public static TwoLayerBlock of(Pointwise activation, DenseLayer first, DenseLayer second) {
        if (second.in() != first.out()) {
            throw new IllegalArgumentException(
                    "TwoLayerBlock: the second weight has shape (%d, %d), expected %d columns, the units of the first"
                            .formatted(second.out(), second.in(), first.out()));
        }
        return new TwoLayerBlock(activation, withBiasColumn(first), first.bias().isPresent(), second.weight());
    }

    /** The weight with the bias, where there is one, as its last column. */
    static Matrix withBiasColumn(DenseLayer layer) {
        Matrix weight = layer.weight();
        double[] bias = layer.bias().orElse(null);
        if (bias == null) {
            return weight;
        }
        Matrix augmented = Matrix.zeros(layer.out(), layer.in() + 1);
        for (int unit = 0; unit < layer.out(); unit++) {
            System.arraycopy(weight.row(unit), 0, augmented.entries(), unit * (layer.in() + 1), layer.in());
            augmented.set(unit, layer.in(), bias[unit]);
        }
        return augmented;
    }

    @Override
    public Pointwise activation() {
        return activation;
    }

    @Override
    public int units() {
        return incoming.rows();
    }

    /** {@return the number of inputs, n, without the bias} */
    public int inputWidth() {
        return biased ? incoming.columns() - 1 : incoming.columns();
    }

    @Override
    public int outputWidth() {
        return outgoing.rows();
    }

    /** {@return whether the units have biases: whether the augmented V has the column of b} */
    public boolean biased() {
        return biased;
    }

    @Override
    public Matrix incoming(int... units) {
        Matrix rows = Matrix.zeros(units.length, incoming.columns());
        for (int i = 0; i < units.length; i++) {
            System.arraycopy(incoming.row(units[i]), 0, rows.entries(), i * incoming.columns(), incoming.columns());
        }
        return rows;
    }

    @Override
    public Matrix outgoing(int... units) {
        Matrix columns = Matrix.zeros(outgoing.rows(), units.length);
        for (int row = 0; row < outgoing.rows(); row++) {
            for (int i = 0; i < units.length; i++) {
                columns.set(row, i, outgoing.get(row, units[i]));
            }
        }
        return columns;
    }

    @Override
    public TwoLayerBlock only(int... units) {
        return new TwoLayerBlock(activation, incoming(units), biased, outgoing(units));
    }

    @Override
    public Matrix features(Matrix augmented, int... units) {
        return MovingFeatures.values(activation, incoming(units).times(augmented));
    }

    @Override
    public Matrix augmented(Matrix inputs) {
        return augmented(inputs, incoming.columns(), biased, "TwoLayerBlock");
    }

    /** Refuses a batch that does not fit weights of this width, bias included; returns it with its row of ones. */
    static Matrix augmented(Matrix inputs, int width, boolean biased, String where) {
        int inputWidth = biased ? width - 1 : width;
        if (inputs.rows() < 1 || inputs.columns() != inputWidth) {
            throw new IllegalArgumentException(
                    "%s: the batch has shape (%d, %d), expected at least one row of %d, the input width"
                            .formatted(where, inputs.rows(), inputs.columns(), inputWidth));
        }
        inputs.requireFinite(where + ": the batch");
        Matrix rows = Matrix.zeros(inputs.rows(), width);
        for (int input = 0; input < inputs.rows(); input++) {
            System.arraycopy(inputs.row(input), 0, rows.entries(), input * width, inputs.columns());
            if (biased) {
                rows.set(input, width - 1, 1);
            }
        }
        return rows.transpose();
    }
}
