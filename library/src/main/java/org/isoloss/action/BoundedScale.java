package org.isoloss.action;

import org.isoloss.autodiff.Exponential;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.network.Activation;

/**
 * The scale of an affine coupling, {@code exp(c tanh z)}: between exp(-|c|) and exp(|c|) whatever the network says, so that
 * the coordinates cannot collapse. The scale with -c is its reciprocal.
 *
 * @param logarithm c, the bound of the logarithm; at most 4 in magnitude
 */
record BoundedScale(double logarithm) implements Pointwise {
    BoundedScale {
        if (!(Math.abs(logarithm) <= 4)) {
            throw new IllegalArgumentException(
                    "BoundedScale: the logarithm is %s, expected at most 4 in magnitude".formatted(logarithm));
        }
    }

    @Override
    public double value(double z) {
        return Math.exp(logarithm * Math.tanh(z));
    }

    @Override
    public double first(double z) {
        return value(z) * logarithm * Activation.TANH.first(z);
    }

    @Override
    public double second(double z) {
        double slope = logarithm * Activation.TANH.first(z);
        return value(z) * (slope * slope + logarithm * Activation.TANH.second(z));
    }

    @Override
    public void evaluate(double[] numbers, double[] first, double[] second, int from, int to) {
        scales(numbers, first, second, from, to);
        for (int i = from; i < to; i++) {
            double tangent = numbers[i];
            double value = second[i];
            double slope = logarithm * (1 - tangent) * (1 + tangent);
            numbers[i] = value;
            first[i] = value * slope;
            second[i] = value * slope * (slope - 2 * tangent);
        }
    }

    @Override
    public void values(double[] numbers, double[] scratch, double[] scales, int from, int to) {
        scales(numbers, scratch, scales, from, to);
        System.arraycopy(scales, from, numbers, from, to - from);
    }

    /**
     * Leaves tanh z and the scales. The hyperbolic tangent is made of its tail, exp(-2 |z|), to rounding of a number of
     * size 1.
     */
    private void scales(double[] numbers, double[] first, double[] second, int from, int to) {
        for (int i = from; i < to; i++) {
            second[i] = -2 * Math.abs(numbers[i]);
        }
        Exponential.replace(second, first, from, to);
        for (int i = from; i < to; i++) {
            double size = (1 - second[i]) / (1 + second[i]);
            double tangent = numbers[i] < 0 ? -size : size;
            numbers[i] = tangent;
            second[i] = logarithm * tangent;
        }
        Exponential.replace(second, first, from, to);
    }

    /**
     * The exponential is the 16th power of 1 + w, where w is the Taylor polynomial of exp(u) - 1 and |u| is at most a
     * quarter: it lacks less than u^7 / 7!, 1e-8 of w.
     */
    @Override
    public void evaluate(float[] numbers, float[] first, float[] second, int from, int to) {
        Activation.TANH.evaluate(numbers, first, second, from, to);
        float factor = (float) logarithm;
        for (int i = from; i < to; i++) {
            float u = 0.0625f * factor * numbers[i];
            float w = Math.fma(1 / 720f, u, 1 / 120f);
            w = Math.fma(w, u, 1 / 24f);
            w = Math.fma(w, u, 1 / 6f);
            w = Math.fma(w, u, 0.5f);
            w = Math.fma(w, u, 1) * u;
            w *= w + 2;
            w *= w + 2;
            w *= w + 2;
            w *= w + 2;
            float value = 1 + w;
            float slope = factor * first[i];
            numbers[i] = value;
            first[i] = value * slope;
            second[i] = value * Math.fma(slope, slope, factor * second[i]);
        }
    }
}
