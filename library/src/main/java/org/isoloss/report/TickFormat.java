package org.isoloss.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.text.FieldPosition;
import java.text.NumberFormat;
import java.text.ParsePosition;
import java.util.function.DoubleFunction;

/** How numbers stand at an axis, in every locale: 0.25, 3000, or 2x10 to a power where they are small or large. */
final class TickFormat extends NumberFormat {
    private static final long serialVersionUID = 1L;

    /** Enough to tell ticks apart, and few enough to round off what computing them left behind. */
    private static final MathContext DIGITS = new MathContext(10);

    private static final char MINUS = '\u2212';

    private final transient DoubleFunction<String> words;

    /** Writes numbers by {@link #text}. */
    TickFormat() {
        this(TickFormat::text);
    }

    private TickFormat(DoubleFunction<String> words) {
        this.words = words;
    }

    /** Writes an exponent as its power of ten. */
    static TickFormat ofExponents() {
        return new TickFormat(exponent ->
                exponent == Math.rint(exponent) ? power((int) exponent) : Cells.scientific(Math.pow(10, exponent), 1));
    }

    /** Returns a number as it stands at an axis. */
    static String text(double value) {
        BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
        if (rounded.signum() == 0) {
            return "0";
        }
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -3 && exponent < 5) {
            return rounded.toPlainString().replace('-', MINUS);
        }
        BigDecimal mantissa = rounded.movePointLeft(exponent);
        String factor = mantissa.abs().compareTo(BigDecimal.ONE) == 0
                ? mantissa.signum() < 0 ? String.valueOf(MINUS) : ""
                : mantissa.stripTrailingZeros().toPlainString().replace('-', MINUS) + "\u00d7";
        return factor + power(exponent);
    }

    /** Returns ten to a whole power. */
    static String power(int exponent) {
        var text = new StringBuilder("10");
        for (int i = 0; i < String.valueOf(exponent).length(); i++) {
            char digit = String.valueOf(exponent).charAt(i);
            text.append(PlainFont.SUPERSCRIPTS.charAt(digit == '-' ? 0 : digit - '0' + 1));
        }
        return text.toString();
    }

    @Override
    public StringBuffer format(double number, StringBuffer target, FieldPosition position) {
        return target.append(words.apply(number));
    }

    @Override
    public StringBuffer format(long number, StringBuffer target, FieldPosition position) {
        return target.append(words.apply((double) number));
    }

    @Override
    public Number parse(String source, ParsePosition position) {
        throw new UnsupportedOperationException("TickFormat only writes");
    }
}
