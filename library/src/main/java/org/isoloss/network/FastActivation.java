package org.isoloss.network;

/**
 * Smooth activations in float32, in loops that the compiler vectorises: no branch, no call that it does not inline, few
 * enough operations each. Values and derivatives are within 1e-6 of the exact ones, relative where these are above 1.
 *
 * <p>All of them are made of the tail of a distribution, as a function of |z|: it runs to exactly 0, so that nothing is
 * left of it where a factor z or z^2 would magnify it.
 */
@SuppressWarnings("FloatingPointLiteralPrecision") // the published digits, rounded by the compiler
final class FastActivation {
    private static final float DENSITY = (float) (1 / Math.sqrt(2 * Math.PI));

    private FastActivation() {}

    static void silu(float[] numbers, float[] first, float[] second, int from, int to) {
        exponentialLessOne(1, numbers, second, from, to);
        for (int i = from; i < to; i++) {
            float x = numbers[i];
            float size = Math.abs(x);
            float tail = 1 / (2 + second[i]);
            float slope = Math.fma(-tail, tail, tail);
            float half = 0.5f - tail;
            numbers[i] = Math.fma(size, half, 0.5f * x);
            first[i] = Math.fma(x, slope, Math.fma(Math.signum(x), half, 0.5f));
            second[i] = (slope + slope) * Math.fma(-size, half, 1);
        }
    }

    static void sigmoid(float[] numbers, float[] first, float[] second, int from, int to) {
        exponentialLessOne(1, numbers, second, from, to);
        for (int i = from; i < to; i++) {
            float tail = 1 / (2 + second[i]);
            float slope = Math.fma(-tail, tail, tail);
            float half = Math.signum(numbers[i]) * (0.5f - tail);
            numbers[i] = 0.5f + half;
            first[i] = slope;
            second[i] = -2 * slope * half;
        }
    }

    static void tanh(float[] numbers, float[] first, float[] second, int from, int to) {
        exponentialLessOne(2, numbers, second, from, to);
        for (int i = from; i < to; i++) {
            float tail = 1 / (2 + second[i]);
            float slope = 4 * Math.fma(-tail, tail, tail);
            float y = Math.signum(numbers[i]) * (1 - 2 * tail);
            numbers[i] = y;
            first[i] = slope;
            second[i] = -2 * y * slope;
        }
    }

    static void gelu(float[] numbers, float[] first, float[] second, int from, int to) {
        for (int i = from; i < to; i++) {
            second[i] = numbers[i] * numbers[i];
        }
        exponentialLessOne(0.5f, second, second, from, to);
        normalTailOverDensity(numbers, first, from, to);
        for (int i = from; i < to; i++) {
            float x = numbers[i];
            float size = Math.abs(x);
            float density = DENSITY / (1 + second[i]);
            float tail = density * first[i];
            numbers[i] = 0.5f * (x + size) - size * tail;
            first[i] = 0.5f + Math.signum(x) * (0.5f - tail + size * density);
            second[i] = density * (2 - x * x);
        }
    }

    /**
     * result = exp(|scale z|) - 1, infinite from about 200 on: the eighth power of 1 + w, where w is the Taylor polynomial
     * of exp(u) - 1 and u an eighth of the exponent. The polynomial lacks a part u^8 / 8! exp(-u): 2e-7 of the exponential
     * where tails count, and where they do not it grows for ever too.
     */
    private static void exponentialLessOne(float scale, float[] z, float[] result, int from, int to) {
        float eighth = 0.125f * scale;
        for (int i = from; i < to; i++) {
            float u = Math.abs(eighth * z[i]);
            float square = u * u;
            float odd = Math.fma(1 / 5040f, square, 1 / 120f);
            odd = Math.fma(odd, square, 1 / 6f);
            odd = Math.fma(odd, square, 1);
            float even = Math.fma(1 / 720f, square, 1 / 24f);
            even = Math.fma(even, square, 0.5f);
            float w = Math.fma(odd, u, even * square);
            w *= w + 2;
            w *= w + 2;
            result[i] = w * (w + 2);
        }
    }

    /** result = (1 - Phi(|z|)) / phi(z), within 7.5e-8 / phi(z) (Abramowitz and Stegun, 26.2.17). */
    private static void normalTailOverDensity(float[] z, float[] result, int from, int to) {
        for (int i = from; i < to; i++) {
            float t = 1 / Math.fma(0.2316419f, Math.abs(z[i]), 1);
            float p = Math.fma(1.330274429f, t, -1.821255978f);
            p = Math.fma(p, t, 1.781477937f);
            p = Math.fma(p, t, -0.356563782f);
            p = Math.fma(p, t, 0.319381530f);
            result[i] = p * t;
        }
    }
}
