package org.isoloss.affine;

import java.math.BigInteger;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fraction in lowest terms with a positive denominator. Only the verifier of certificates uses it, so that its arithmetic
 * is not that by which the certificates were made.
 */
record Fraction(BigInteger numerator, BigInteger denominator) {
    static final Fraction ZERO = of(0);
    static final Fraction ONE = of(1);

    /** Of a numerator or a denominator that is read. */
    static final int MOST_DIGITS = 1_000;

    private static final Pattern FORM =
            Pattern.compile("(-?[0-9]{1,%1$d})(?:/([0-9]{1,%1$d}))?".formatted(MOST_DIGITS));

    Fraction {
        if (denominator.signum() == 0) {
            throw new ArithmeticException("division by zero");
        }
        BigInteger divisor = numerator.gcd(denominator);
        if (denominator.signum() < 0) {
            divisor = divisor.negate();
        }
        if (!divisor.equals(BigInteger.ONE)) {
            numerator = numerator.divide(divisor);
            denominator = denominator.divide(divisor);
        }
    }

    static Fraction of(long value) {
        return new Fraction(BigInteger.valueOf(value), BigInteger.ONE);
    }

    /** Returns nothing where the text is no fraction, or a longer one than is read. */
    static Optional<Fraction> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        BigInteger denominator = form.group(2) == null ? BigInteger.ONE : new BigInteger(form.group(2));
        return denominator.signum() == 0
                ? Optional.empty()
                : Optional.of(new Fraction(new BigInteger(form.group(1)), denominator));
    }

    boolean isZero() {
        return numerator.signum() == 0;
    }

    Fraction plus(Fraction other) {
        return new Fraction(
                numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
                denominator.multiply(other.denominator));
    }

    Fraction times(Fraction other) {
        return new Fraction(numerator.multiply(other.numerator), denominator.multiply(other.denominator));
    }

    Fraction negated() {
        return new Fraction(numerator.negate(), denominator);
    }

    Fraction over(Fraction other) {
        return new Fraction(numerator.multiply(other.denominator), denominator.multiply(other.numerator));
    }

    @Override
    public String toString() {
        return denominator.equals(BigInteger.ONE) ? numerator.toString() : numerator + "/" + denominator;
    }
}
