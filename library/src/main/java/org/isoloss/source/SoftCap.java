package org.isoloss.source;

import org.isoloss.autodiff.Pointwise;

/**
 * Keeps numbers between two bounds: {@code bound tanh(z / bound)}. Accurate relative to its value also where the bound is far,
 * which a hyperbolic tangent accurate to an absolute error is not.
 *
 * @param bound above 0
 */
record SoftCap(double bound) implements Pointwise {
    @Override
    public double value(double z) {
        return bound * Math.tanh(z / bound);
    }

    @Override
    public double first(double z) {
        double cosh = Math.cosh(z / bound);
        return 1 / cosh / cosh;
    }

    @Override
    public double second(double z) {
        return -2 * Math.tanh(z / bound) * first(z) / bound;
    }

    @Override
    public void values(double[] numbers, double[] scratch, double[] more, int from, int to) {
        for (int i = from; i < to; i++) {
            numbers[i] = value(numbers[i]);
        }
    }

    @Override
    public void values(float[] numbers, float[] scratch, float[] more, int from, int to) {
        for (int i = from; i < to; i++) {
            numbers[i] = (float) value(numbers[i]);
        }
    }
}
