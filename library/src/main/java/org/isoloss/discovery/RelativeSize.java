package org.isoloss.discovery;

import org.isoloss.autodiff.Pointwise;

/**
 * {@code log(1 + L / FLOOR)} of a mean squared residual L: its gradient is that of L over the size of L, so that residuals
 * of all sizes pull alike.
 */
enum RelativeSize implements Pointwise {
    /** The function. */
    FUNCTION;

    /** The size at which a residual no longer pulls harder: a relative error of 1e-6, ten times the rounding of float32. */
    static final double FLOOR = 1e-12;

    @Override
    public double value(double size) {
        return Math.log1p(size / FLOOR);
    }

    @Override
    public double first(double size) {
        return 1 / (size + FLOOR);
    }

    @Override
    public double second(double size) {
        return -first(size) * first(size);
    }
}
