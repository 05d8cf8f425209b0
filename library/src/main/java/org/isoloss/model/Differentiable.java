package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/** A function whose derivative is again a known function, so that it has derivatives of every order. */
public interface Differentiable extends Pointwise {
    /**
     * Differentiates.
     *
     * @return the derivative
     * @throws UnsupportedOperationException when the function jumps, with its name
     */
    Pointwise derivative();

    @Override
    default double first(double z) {
        return derivative().value(z);
    }

    @Override
    default double second(double z) {
        return derivative().first(z);
    }
}
