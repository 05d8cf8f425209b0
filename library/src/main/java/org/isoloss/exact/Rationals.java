package org.isoloss.exact;

import cc.redberry.rings.Rational;
import cc.redberry.rings.Rings;
import cc.redberry.rings.bigint.BigInteger;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The field of rational numbers: how its elements are made, written and compared with floating-point numbers. */
public final class Rationals {
    /** Zero. */
    public static final Rational<BigInteger> ZERO = of(0);

    /** One. */
    public static final Rational<BigInteger> ONE = of(1);

    private static final Pattern FORM = Pattern.compile("(-?\\d+)(?:/(\\d+))?");

    private Rationals() {}

    /**
     * Returns an integer.
     *
     * @param value any
     * @return exactly {@code value}
     */
    public static Rational<BigInteger> of(long value) {
        return of(value, 1);
    }

    /**
     * Returns a fraction.
     *
     * @param numerator any
     * @param denominator not 0
     * @return exactly {@code numerator / denominator}, in lowest terms
     */
    public static Rational<BigInteger> of(long numerator, long denominator) {
        if (denominator == 0) {
            throw new IllegalArgumentException("Rationals: %d/0 is no number".formatted(numerator));
        }
        return new Rational<>(Rings.Z, BigInteger.valueOf(numerator), BigInteger.valueOf(denominator));
    }

    /**
     * Returns the binary fraction that a floating-point number is: {@code of(0.1)} is not 1/10.
     *
     * @param value finite
     * @return exactly {@code value}
     */
    public static Rational<BigInteger> of(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("Rationals: %s is no rational number".formatted(value));
        }
        return of(new BigDecimal(value));
    }

    /**
     * Returns the fraction that a floating-point number says in decimal digits: {@code ofDecimal(0.1)} is 1/10.
     *
     * @param value finite
     * @return the decimal fraction of the fewest digits that tell {@code value} from its neighbours
     */
    public static Rational<BigInteger> ofDecimal(double value) {
        return of(BigDecimal.valueOf(value));
    }

    private static Rational<BigInteger> of(BigDecimal decimal) {
        java.math.BigInteger power = java.math.BigInteger.TEN.pow(Math.max(0, decimal.scale()));
        return new Rational<>(
                Rings.Z,
                new BigInteger(decimal.multiply(new BigDecimal(power)).toBigIntegerExact()),
                new BigInteger(power));
    }

    /**
     * Reads what {@link #text} writes.
     *
     * @param text {@code "3"}, {@code "-3/4"}: digits, then perhaps a slash and more digits
     * @return the number
     */
    public static Rational<BigInteger> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "Rationals: \"%s\" is no fraction; expected a form such as 3 or -3/4".formatted(text));
        }
        BigInteger denominator = form.group(2) == null ? BigInteger.ONE : new BigInteger(form.group(2));
        if (denominator.isZero()) {
            throw new IllegalArgumentException("Rationals: %s is no number".formatted(text));
        }
        return new Rational<>(Rings.Z, new BigInteger(form.group(1)), denominator);
    }

    /**
     * Writes a number so that {@link #parse} reads it back.
     *
     * @param value any
     * @return {@code "3"} or {@code "-3/4"}, in lowest terms
     */
    public static String text(Rational<BigInteger> value) {
        return value.isIntegral() ? value.numerator().toString() : value.numerator() + "/" + value.denominator();
    }

    /**
     * Rounds to float64.
     *
     * @param value any
     * @return the nearest double when numerator and denominator have at most 53 bits, otherwise one of the two doubles
     *     around the number; infinite beyond the range of doubles
     */
    public static double toDouble(Rational<BigInteger> value) {
        if (value.numerator().bitLength() <= 53 && value.denominator().bitLength() <= 53) {
            return value.numerator().doubleValue() / value.denominator().doubleValue();
        }
        return new BigDecimal(value.numerator().toString())
                .divide(new BigDecimal(value.denominator().toString()), MathContext.DECIMAL128)
                .doubleValue();
    }
}
