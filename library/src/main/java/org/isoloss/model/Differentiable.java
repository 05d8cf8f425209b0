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

    @Override
    default void values(double[] numbers, double[] scratch, double[] more, int from, int to) {
        for (int i = from; i < to; i++) {
            numbers[i] = value(numbers[i]);
        }
    }

    @Override
    default void values(float[] numbers, float[] scratch, float[] more, int from, int to) {
        for (int i = from; i < to; i++) {
            numbers[i] = (float) value(numbers[i]);
        }
    }
}
