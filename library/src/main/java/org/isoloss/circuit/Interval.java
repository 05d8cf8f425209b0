package org.isoloss.circuit;

/**
 * Numbers between two bounds, rounded outward; from 0 to 0 is exactly 0.
 *
 * @param low at most {@code high}
 * @param high the other bound
 */
record Interval(double low, double high) {
    static final Interval ZERO = new Interval(0, 0);

    static Interval of(double exactly) {
        return new Interval(exactly, exactly);
    }

    /** A number of which a double is the nearest, or nearly. */
    static Interval around(double nearly) {
        return nearly == 0 ? ZERO : new Interval(below(below(nearly)), above(above(nearly)));
    }

    private static double below(double bound) {
        return Math.nextDown(bound);
    }

    private static double above(double bound) {
        return Math.nextUp(bound);
    }

    boolean isZero() {
        return low == 0 && high == 0;
    }

    /** 1 or -1 where all numbers have this sign, else 0. */
    int sign() {
        return low > 0 ? 1 : high < 0 ? -1 : 0;
    }

    Interval plus(Interval other) {
        if (isZero() || other.isZero()) {
            return isZero() ? other : this;
        }
        return new Interval(below(low + other.low), above(high + other.high));
    }

    Interval times(Interval other) {
        if (isZero() || other.isZero()) {
            return ZERO;
        }
        double a = low * other.low;
        double b = low * other.high;
        double c = high * other.low;
        double d = high * other.high;
        return new Interval(
                below(Math.min(Math.min(a, b), Math.min(c, d))), above(Math.max(Math.max(a, b), Math.max(c, d))));
    }

    /** Nothing known where the numbers do not all have one sign. */
    Interval reciprocal() {
        return sign() == 0
                ? new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)
                : new Interval(below(1 / high), above(1 / low));
    }
}
