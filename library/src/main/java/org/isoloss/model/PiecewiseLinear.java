package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/** A function that is affine between finitely many kinks: ReLU, leaky ReLU, the absolute value, a clamp. */
public interface PiecewiseLinear extends Pointwise {
    /**
     * Returns the slope of the piece on which an argument lies; at a kink, that of the left one.
     *
     * @param z any
     * @return the slope
     */
    double slope(double z);

    /**
     * Returns the value at 0 of the piece on which an argument lies, carried on.
     *
     * @param z any
     * @return the offset
     */
    double offset(double z);

    @Override
    default double value(double z) {
        double slope = slope(z);
        return slope == 0 ? offset(z) : slope * z + offset(z);
    }

    @Override
    default double first(double z) {
        return slope(z);
    }

    @Override
    default boolean hasKink() {
        return true;
    }

    @Override
    default double second(double z) {
        return 0;
    }
}
