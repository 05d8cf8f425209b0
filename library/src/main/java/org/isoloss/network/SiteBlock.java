package org.isoloss.network;

import java.util.stream.IntStream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/**
 * What a compensation site needs of a block: hidden units that each compute one feature of the input, a linear readout that
 * adds them up, and the rows of incoming weights that may move.
 */
public sealed interface SiteBlock permits TwoLayerBlock, GatedRows {
    /** {@return the activation, sigma, of the gate where there is one} */
    Pointwise activation();

    /** {@return the number of hidden units, H, at least 1} */
    int units();

    /** {@return the number of outputs, m, at least 1} */
    int outputWidth();

    /**
     * Returns the batch as the incoming weights take it.
     *
     * @param inputs shape (k, n), finite; not modified
     * @return one input a column, with a last row of ones where units have biases
     */
    Matrix augmented(Matrix inputs);

    /**
     * Returns what units compute.
     *
     * @param augmented the batch as {@link #augmented} returns it; not modified
     * @param units from 0
     * @return one unit a row, shape (units, k)
     */
    Matrix features(Matrix augmented, int... units);

    /**
     * Returns what units compute with other incoming weights.
     *
     * @param incoming their rows, as {@link #incoming} gives them; not modified
     * @param augmented the batch as {@link #augmented} returns it; not modified
     * @param units from 0
     * @return one unit a row, shape (units, k)
     */
    default Matrix features(Matrix incoming, Matrix augmented, int... units) {
        return MovingFeatures.of(this, augmented, units).values(incoming.times(augmented));
    }

    /**
     * Records what all units compute with other incoming weights.
     *
     * @param builder receives the operations; modified
     * @param augmented the batch as {@link #augmented} returns it; not modified
     * @param sums of the rows that {@link #incoming} gives, on the batch
     * @return one unit a row, shape (H, k)
     */
    default Value features(ModelBuilder builder, Matrix augmented, Value sums) {
        int[] units = IntStream.range(0, units()).toArray();
        return MovingFeatures.of(this, augmented, units).record(builder, sums);
    }

    /**
     * Takes some of the units alone.
     *
     * @param units at least one, all different, from 0
     * @return the block of these, in this order
     */
    SiteBlock only(int... units);

    /**
     * Returns the incoming weights of units that may move, bias last.
     *
     * @param units from 0
     * @return one row a unit, or two: first those of the gate, then those of the other projection
     */
    Matrix incoming(int... units);

    /**
     * Returns what leaves units.
     *
     * @param units from 0
     * @return columns of U, shape (m, units)
     */
    Matrix outgoing(int... units);
}
