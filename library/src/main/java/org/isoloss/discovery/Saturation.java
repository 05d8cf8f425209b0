package org.isoloss.discovery;

import org.isoloss.autodiff.Pointwise;

/** {@code 1 / (1 + x)} of a size x: near 1 where it is small, without pull where it is large. */
enum Saturation implements Pointwise {
    /** The function. */
    FUNCTION;

    @Override
    public double value(double size) {
        return 1 / (1 + size);
    }

    @Override
    public double first(double size) {
        return -value(size) * value(size);
    }

    @Override
    public double second(double size) {
        return 2 * value(size) * value(size) * value(size);
    }
}
