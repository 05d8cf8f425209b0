package org.isoloss.autodiff;

/**
 * The exponential function in float64 of many numbers, in loops of which the compiler vectorises the longest, and so faster
 * than {@link Math#exp} for each. Within 1.5 units in the last place of the exact value where that is a normal
 * number, and within one unit more below; overflows to infinity, underflows to 0, keeps NaN.
 *
 * <p>The argument is {@code k log 2 + r} with an integer k and |r| at most log(2) / 2; the Taylor polynomial of degree 13 in
 * r lacks less than 5e-18 of the exponential.
 */
public final class Exponential {
    private static final double PER_LOG_2 = 1 / Math.log(2);
    /** The first 33 bits of log(2), so that an integer of 11 bits times it is exact, and what is left. */
    private static final double LOG_2_HIGH = 0x1.62e42feep-1;

    private static final double LOG_2_LOW = 0x1.a39ef35793c76p-33;

    /** Beyond these the result is 0 and infinity. */
    private static final double LEAST = -750;

    private static final double LARGEST = 750;

    /** The same in float32; here the scale is 0. */
    private static final float LEAST_FLOAT = -87.5f;

    private static final float LARGEST_FLOAT = 88.9f;
    private static final float ROUNDING = 12_582_912;
    /** The first 15 bits of log(2), so that an integer of 8 bits times it is exact, and what is left. */
    private static final float LOG_2_FLOAT = 0x1.62e4p-1f;

    private static final float LOG_2_REST = (float) (Math.log(2) - 0x1.62e4p-1);

    private Exponential() {}

    /**
     * Replaces numbers by their exponentials.
     *
     * @param numbers exponents x on entry, exp(x) on return; modified from {@code from} to {@code to - 1}
     * @param scratch a place to work, another array; modified in the same places
     * @param from first place
     * @param to one past the last place
     */
    public static void replace(double[] numbers, double[] scratch, int from, int to) {
        reduced(numbers, scratch, from, to);
        scaled(numbers, scratch, from, to);
    }

    /** Leaves exp(r) and k. */
    private static void reduced(double[] numbers, double[] powers, int from, int to) {
        for (int i = from; i < to; i++) {
            double x = Math.min(Math.max(numbers[i], LEAST), LARGEST);
            double k = Math.rint(x * PER_LOG_2);
            double r = Math.fma(-k, LOG_2_LOW, Math.fma(-k, LOG_2_HIGH, x));
            double square = r * r;
            double fourth = square * square;
            double high = Math.fma(
                    Math.fma(1 / 6227020800.0, r, 1 / 479001600.0), square, Math.fma(1 / 39916800.0, r, 1 / 3628800.0));
            double middle =
                    Math.fma(Math.fma(1 / 362880.0, r, 1 / 40320.0), square, Math.fma(1 / 5040.0, r, 1 / 720.0));
            double low = Math.fma(Math.fma(1 / 120.0, r, 1 / 24.0), square, Math.fma(1 / 6.0, r, 0.5));
            double polynomial = Math.fma(Math.fma(high, fourth, middle), fourth, low);
            numbers[i] = 1 + Math.fma(polynomial, square, r);
            powers[i] = k;
        }
    }

    /** Times 2^k, in two steps, since 2^k itself may be no normal number. */
    private static void scaled(double[] numbers, double[] powers, int from, int to) {
        for (int i = from; i < to; i++) {
            int k = (int) powers[i];
            int half = k >> 1;
            numbers[i] = numbers[i] * powerOfTwo(half) * powerOfTwo(k - half);
        }
    }

    /**
     * Replaces numbers by their exponentials, in float32, within 2 units in the last place from 2e-38 on; smaller ones are 0,
     * as arithmetic with numbers below the normal ones is slow.
     *
     * @param numbers exponents x on entry, exp(x) on return; modified from {@code from} to {@code to - 1}
     * @param scratch a place to work, another array; modified in the same places
     * @param from first place
     * @param to one past the last place
     */
    public static void replace(float[] numbers, float[] scratch, int from, int to) {
        reduced(numbers, scratch, from, to);
        scaled(numbers, scratch, from, to);
    }

    /** Leaves exp(r) and k. */
    private static void reduced(float[] numbers, float[] powers, int from, int to) {
        for (int i = from; i < to; i++) {
            float x = Math.min(Math.max(numbers[i], LEAST_FLOAT), LARGEST_FLOAT);
            // adding and taking away 1.5 * 2^23 rounds to a whole number
            float k = Math.fma(x, (float) PER_LOG_2, ROUNDING) - ROUNDING;
            float r = Math.fma(-k, LOG_2_REST, Math.fma(-k, LOG_2_FLOAT, x));
            float polynomial = Math.fma(1 / 5040f, r, 1 / 720f);
            polynomial = Math.fma(polynomial, r, 1 / 120f);
            polynomial = Math.fma(polynomial, r, 1 / 24f);
            polynomial = Math.fma(polynomial, r, 1 / 6f);
            polynomial = Math.fma(polynomial, r, 0.5f);
            numbers[i] = 1 + Math.fma(polynomial * r, r, r);
            powers[i] = k;
        }
    }

    /** Times 2^k, in two steps, since 2^k itself may be too large. */
    private static void scaled(float[] numbers, float[] powers, int from, int to) {
        for (int i = from; i < to; i++) {
            int exponent = (int) powers[i] + Float.MAX_EXPONENT - 1;
            numbers[i] = 2 * (numbers[i] * Float.intBitsToFloat(exponent << 23));
        }
    }

    private static double powerOfTwo(int exponent) {
        return Double.longBitsToDouble((long) (exponent + Double.MAX_EXPONENT) << (Double.PRECISION - 1));
    }
}
