package org.isoloss.network;

import java.util.Arrays;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;

/**
 * A gated feed-forward block {@code U [sigma(W_g X) . (W_u X)]}, multiplied entry by entry inside the brackets (the
 * paragraph "Application to gated feedforward blocks" of appendix {@code app:small-subnetworks-compensation} of the
 * paper). One unit is a row of W_g, the same row of W_u and the same column of U.
 *
 * <p>Biases of gate and up projection are one more incoming weight each, on an input that is always 1, as in
 * {@link TwoLayerBlock}. The bias of the down projection adds a constant and is left out. The parameter vector holds the
 * augmented W_g, the augmented W_u and U, each row by row.
 */
public final class GatedBlock {
    private final Pointwise activation;
    private final Matrix gate;
    private final Matrix up;
    private final Matrix down;
    private final boolean biased;

    private GatedBlock(Pointwise activation, Matrix gate, Matrix up, Matrix down, boolean biased) {
        this.activation = activation;
        this.gate = gate;
        this.up = up;
        this.down = down;
        this.biased = biased;
    }

    /**
     * Joins three projections.
     *
     * @param activation of the gate
     * @param gate W_g, shape (H, n)
     * @param up W_u, shape (H, n); with a bias exactly when the gate has one
     * @param down U, shape (m, H)
     * @return the block
     */
    public static GatedBlock of(Pointwise activation, DenseLayer gate, DenseLayer up, DenseLayer down) {
        if (up.in() != gate.in() || up.out() != gate.out() || down.in() != gate.out()) {
            throw new IllegalArgumentException(
                    "GatedBlock: gate (%d, %d), up (%d, %d) and down (%d, %d) do not fit, expected gate and up of one shape (H, n) and down of shape (m, H)"
                            .formatted(gate.out(), gate.in(), up.out(), up.in(), down.out(), down.in()));
        }
        if (gate.bias().isPresent() != up.bias().isPresent()) {
            throw new IllegalArgumentException(
                    "GatedBlock: only one of gate and up has a bias, expected both or neither");
        }
        return new GatedBlock(
                activation,
                TwoLayerBlock.withBiasColumn(gate),
                TwoLayerBlock.withBiasColumn(up),
                down.weight(),
                gate.bias().isPresent());
    }

    /** The block of some of its units. */
    GatedBlock only(int... units) {
        return new GatedBlock(activation, gateRows(units), upRows(units), outgoing(units), biased);
    }

    /** {@return the activation of the gate, sigma} */
    public Pointwise activation() {
        return activation;
    }

    /** {@return the number of hidden units, H, at least 1} */
    public int units() {
        return gate.rows();
    }

    /** {@return the number of incoming weights that a unit has in each projection, n, or n + 1 with biases} */
    public int incomingWidth() {
        return gate.columns();
    }

    /** {@return the number of outputs, m, at least 1} */
    public int outputWidth() {
        return down.rows();
    }

    /** {@return the number of parameters, H (m + 2 n), with n + 1 for n where there are biases} */
    public int parameterCount() {
        return units() * (outputWidth() + 2 * incomingWidth());
    }

    /** {@return the block's own parameters: the augmented W_g, the augmented W_u and U, each row by row; a new array} */
    public double[] parameters() {
        double[] parameters = Arrays.copyOf(gate.entries(), parameterCount());
        int incoming = gate.entries().length;
        System.arraycopy(up.entries(), 0, parameters, incoming, incoming);
        System.arraycopy(down.entries(), 0, parameters, 2 * incoming, down.entries().length);
        return parameters;
    }

    /**
     * Returns a block of the same shape with other weights.
     *
     * @param parameters as {@link #parameters} gives them, finite; copied
     * @return the block with these parameters
     */
    public GatedBlock withParameters(double[] parameters) {
        if (parameters.length != parameterCount()) {
            throw new IllegalArgumentException("GatedBlock.withParameters: %d parameters given, expected %d"
                    .formatted(parameters.length, parameterCount()));
        }
        Matrix.over(1, parameters.length, parameters).requireFinite("GatedBlock.withParameters");
        int incoming = gate.entries().length;
        return new GatedBlock(
                activation,
                Matrix.over(units(), incomingWidth(), Arrays.copyOf(parameters, incoming)),
                Matrix.over(units(), incomingWidth(), Arrays.copyOfRange(parameters, incoming, 2 * incoming)),
                Matrix.over(outputWidth(), units(), Arrays.copyOfRange(parameters, 2 * incoming, parameters.length)),
                biased);
    }

    /**
     * Returns the place of a weight of U in the parameter vector.
     *
     * @param output row of U, from 0
     * @param unit column of U, from 0
     * @return the index
     */
    public int outgoingIndex(int output, int unit) {
        return 2 * gate.entries().length + output * units() + unit;
    }

    /**
     * Returns the places of all weights of units in the parameter vector.
     *
     * @param units from 0, all different; not modified
     * @return unit by unit: its row of W_g, its row of W_u, its column of U; length units (m + 2 n)
     */
    public int[] incident(int... units) {
        int width = incomingWidth();
        int[] places = new int[units.length * (2 * width + outputWidth())];
        int at = 0;
        for (int unit : units) {
            for (int input = 0; input < width; input++) {
                places[at + input] = unit * width + input;
                places[at + width + input] = (units() + unit) * width + input;
            }
            for (int output = 0; output < outputWidth(); output++) {
                places[at + 2 * width + output] = outgoingIndex(output, unit);
            }
            at += 2 * width + outputWidth();
        }
        return places;
    }

    /**
     * Returns the batch as the augmented projections take it.
     *
     * @param inputs shape (k, n), finite; not modified
     * @return one input a column, shape (n or n + 1, k)
     */
    public Matrix augmented(Matrix inputs) {
        return TwoLayerBlock.augmented(inputs, incomingWidth(), biased, "GatedBlock");
    }

    /**
     * Returns what units compute.
     *
     * @param augmented the batch as {@link #augmented} returns it; not modified
     * @param units from 0
     * @return {@code sigma(W_g X) . (W_u X)}, one unit a row, shape (units, k)
     */
    public Matrix features(Matrix augmented, int... units) {
        return entryProduct(
                MovingFeatures.values(activation, chosen(gate, units).times(augmented)),
                chosen(up, units).times(augmented));
    }

    /**
     * Returns the derivative of {@link #features} when the incoming weights change.
     *
     * @param velocity the change of every weight, as a block of this shape
     * @param augmented the batch as {@link #augmented} returns it; not modified
     * @param units from 0
     * @return {@code sigma'(W_g X) . (W_g' X) . (W_u X) + sigma(W_g X) . (W_u' X)}, shape (units, k)
     */
    public Matrix featuresDerivative(GatedBlock velocity, Matrix augmented, int... units) {
        Matrix sums = chosen(gate, units).times(augmented);
        Matrix gateChange = MovingFeatures.slopes(
                activation, sums, chosen(velocity.gate, units).times(augmented));
        return entryProduct(gateChange, chosen(up, units).times(augmented))
                .plus(entryProduct(
                        MovingFeatures.values(activation, sums),
                        chosen(velocity.up, units).times(augmented)));
    }

    /**
     * Returns what leaves units.
     *
     * @param units from 0
     * @return columns of U, shape (m, units)
     */
    public Matrix outgoing(int... units) {
        return chosen(down.transpose(), units).transpose();
    }

    Matrix gateRows(int... units) {
        return chosen(gate, units);
    }

    Matrix upRows(int... units) {
        return chosen(up, units);
    }

    private static Matrix chosen(Matrix matrix, int... rows) {
        Matrix chosen = Matrix.zeros(rows.length, matrix.columns());
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(matrix.row(rows[i]), 0, chosen.entries(), i * matrix.columns(), matrix.columns());
        }
        return chosen;
    }

    static Matrix entryProduct(Matrix left, Matrix right) {
        Matrix product = left.copy();
        for (int i = 0; i < product.entries().length; i++) {
            product.entries()[i] *= right.entries()[i];
        }
        return product;
    }
}
