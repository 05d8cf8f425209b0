package org.isoloss.exact;

import cc.redberry.rings.Rational;
import cc.redberry.rings.Rings;
import cc.redberry.rings.bigint.BigInteger;

/**
 * Reads the fraction of bounded denominator that a floating-point number stands for.
 *
 * <p>Two different fractions with denominators up to D are at least 1 / (D (D - 1)) apart, so a number that lies within
 * less than half of that of one fraction lies that close to no other: an accepted reading is the only one.
 *
 * @param maxDenominator the largest denominator allowed, from 1 to 30,000
 * @param tolerance the largest distance accepted, above 0 and below 1 / (2 D max(1, D - 1))
 */
public record RationalReconstruction(int maxDenominator, double tolerance) {
    /** Denominators up to 32, as the paper takes them (label {@code app:frontier-recovery}), within 1e-6. */
    public static final RationalReconstruction PAPER = new RationalReconstruction(32, 1e-6);

    /** Checks that an accepted reading is unique. */
    public RationalReconstruction {
        if (maxDenominator < 1 || maxDenominator > 30_000) {
            throw new IllegalArgumentException(
                    "RationalReconstruction: denominator bound %d, expected 1 to 30000".formatted(maxDenominator));
        }
        double limit = 0.5 / ((double) maxDenominator * Math.max(1, maxDenominator - 1));
        if (!(tolerance > 0 && tolerance < limit)) {
            throw new IllegalArgumentException(("RationalReconstruction: tolerance %s, expected above 0 and below %s,"
                            + " half the distance of two fractions with denominators up to %d")
                    .formatted(tolerance, limit, maxDenominator));
        }
    }

    /**
     * Reads one number.
     *
     * @param value finite, magnitude at most 1e9
     * @return the fraction within the tolerance
     * @throws NoSuchFractionException when there is none; it names the nearest
     */
    public Rational<BigInteger> read(double value) {
        if (Math.abs(value) <= tolerance) {
            return Rationals.ZERO; // the usual case, and no other fraction is as near
        }
        Rational<BigInteger> nearest = nearest(value);
        double distance = Math.abs(Rationals.toDouble(nearest) - value);
        if (!(distance <= tolerance)) {
            throw new NoSuchFractionException(
                    "no fraction with denominator up to %d lies within %.1e of %s: the nearest is %s, %.1e away"
                            .formatted(maxDenominator, tolerance, value, Rationals.text(nearest), distance));
        }
        return nearest;
    }

    /**
     * Returns the best approximation by continued fractions: the last convergent within the bound, or the last
     * intermediate fraction when that is closer (Hardy and Wright, section 10.15).
     *
     * @param value finite, magnitude at most 1e9
     * @return the nearest fraction with denominator at most {@link #maxDenominator}; of two equally near, the one with the
     *     smaller denominator
     */
    public Rational<BigInteger> nearest(double value) {
        if (!(Math.abs(value) <= 1e9)) {
            throw new IllegalArgumentException(
                    "RationalReconstruction: %s, expected a finite number of magnitude up to 1e9".formatted(value));
        }
        Rational<BigInteger> exact = Rationals.of(value);
        BigInteger numerator = exact.numerator();
        BigInteger denominator = exact.denominator();
        BigInteger bound = BigInteger.valueOf(maxDenominator);
        BigInteger p0 = BigInteger.ZERO;
        BigInteger q0 = BigInteger.ONE;
        BigInteger p1 = BigInteger.ONE;
        BigInteger q1 = BigInteger.ZERO;
        while (!denominator.isZero()) {
            BigInteger quotient = floor(numerator, denominator);
            BigInteger q2 = q0.add(quotient.multiply(q1));
            if (q2.compareTo(bound) > 0) {
                BigInteger step = bound.subtract(q0).divide(q1);
                Rational<BigInteger> between = fraction(p0.add(step.multiply(p1)), q0.add(step.multiply(q1)));
                Rational<BigInteger> convergent = fraction(p1, q1);
                boolean closer = between.subtract(exact)
                                .abs()
                                .compareTo(convergent.subtract(exact).abs())
                        < 0;
                return closer ? between : convergent;
            }
            BigInteger p2 = p0.add(quotient.multiply(p1));
            p0 = p1;
            q0 = q1;
            p1 = p2;
            q1 = q2;
            BigInteger rest = numerator.subtract(quotient.multiply(denominator));
            numerator = denominator;
            denominator = rest;
        }
        return exact;
    }

    private static Rational<BigInteger> fraction(BigInteger numerator, BigInteger denominator) {
        return new Rational<>(Rings.Z, numerator, denominator);
    }

    private static BigInteger floor(BigInteger numerator, BigInteger denominator) {
        BigInteger[] parts = numerator.divideAndRemainder(denominator);
        return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
    }

    /** No fraction of the allowed denominators lies close enough. */
    public static final class NoSuchFractionException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        /**
         * Says what could not be read.
         *
         * @param message which number, and what came nearest
         */
        public NoSuchFractionException(String message) {
            super(message);
        }
    }
}
