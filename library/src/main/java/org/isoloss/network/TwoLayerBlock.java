package org.isoloss.network;

import org.isoloss.linalg.Matrix;

/**
 * Two consecutive layers {@code U sigma(V X + b)}, the part of a network in which one unit can move and others compensate.
 *
 * <p>A bias b is one more incoming weight of each unit, on an input that is always 1: the augmented V has it as its last
 * column, the augmented X a last row of ones. The bias of the second layer adds a constant and is left out.
 */
public final class TwoLayerBlock {
    private final Activation activation;
    private final Matrix incoming;
    private final boolean biased;
    private final Matrix outgoing;

    private TwoLayerBlock(Activation activation, Matrix incoming, boolean biased, Matrix outgoing) {
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
    public static TwoLayerBlock of(Activation activation, DenseLayer first, DenseLayer second) {
        if (second.in() != first.out()) {
            throw new IllegalArgumentException(
                    "TwoLayerBlock: the second weight has shape (%d, %d), expected %d columns, the units of the first"
                            .formatted(second.out(), second.in(), first.out()));
        }
        Matrix weight = first.weight();
        double[] bias = first.bias().orElse(null);
        if (bias == null) {
            return new TwoLayerBlock(activation, weight, false, second.weight());
        }
        Matrix augmented = Matrix.zeros(first.out(), first.in() + 1);
        for (int unit = 0; unit < first.out(); unit++) {
            System.arraycopy(weight.row(unit), 0, augmented.entries(), unit * (first.in() + 1), first.in());
            augmented.set(unit, first.in(), bias[unit]);
        }
        return new TwoLayerBlock(activation, augmented, true, second.weight());
    }

    /**
     * Returns the activation.
     *
     * @return sigma
     */
    public Activation activation() {
        return activation;
    }

    /**
     * Returns the number of hidden units.
     *
     * @return H, at least 1
     */
    public int units() {
        return incoming.rows();
    }

    /**
     * Returns the number of inputs.
     *
     * @return n, without the bias
     */
    public int inputWidth() {
        return biased ? incoming.columns() - 1 : incoming.columns();
    }

    /**
     * Returns the number of outputs.
     *
     * @return m, at least 1
     */
    public int outputWidth() {
        return outgoing.rows();
    }

    /**
     * Returns whether the units have biases.
     *
     * @return whether the augmented V has the column of b
     */
    public boolean biased() {
        return biased;
    }

    /**
     * Returns what enters units, bias last.
     *
     * @param units from 0
     * @return rows of the augmented V, shape (units, n or n + 1)
     */
    public Matrix incoming(int... units) {
        Matrix rows = Matrix.zeros(units.length, incoming.columns());
        for (int i = 0; i < units.length; i++) {
            System.arraycopy(incoming.row(units[i]), 0, rows.entries(), i * incoming.columns(), incoming.columns());
        }
        return rows;
    }

    /**
     * Returns what leaves units.
     *
     * @param units from 0
     * @return columns of U, shape (m, units)
     */
    public Matrix outgoing(int... units) {
        Matrix columns = Matrix.zeros(outgoing.rows(), units.length);
        for (int row = 0; row < outgoing.rows(); row++) {
            for (int i = 0; i < units.length; i++) {
                columns.set(row, i, outgoing.get(row, units[i]));
            }
        }
        return columns;
    }

    /**
     * Returns the batch as the augmented V takes it.
     *
     * @param inputs shape (k, n), finite; not modified
     * @return the augmented X, one input a column, shape (n or n + 1, k)
     */
    public Matrix augmented(Matrix inputs) {
        if (inputs.rows() < 1 || inputs.columns() != inputWidth()) {
            throw new IllegalArgumentException(
                    "TwoLayerBlock: the batch has shape (%d, %d), expected at least one row of %d, the input width"
                            .formatted(inputs.rows(), inputs.columns(), inputWidth()));
        }
        inputs.requireFinite("TwoLayerBlock: the batch");
        int width = incoming.columns();
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
