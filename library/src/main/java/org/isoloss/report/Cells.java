package org.isoloss.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How the value of a cell reads, in the same words everywhere. */
final class Cells {
    private static final String MISSING = "-";

    private Cells() {}

    /** Returns the value for a reader; {@code -} where there is none. */
    static String read(Column column, @Nullable Object value) {
        if (value == null) {
            return MISSING;
        }
        return switch (column.kind()) {
            case TEXT, COUNT -> value.toString();
            case FLAG -> (Boolean) value ? "yes" : "no";
            case SCIENTIFIC -> scientific(((Number) value).doubleValue(), column.digits());
            case NUMBER -> number(((Number) value).doubleValue(), column.digits());
            case FIXED -> fixed(((Number) value).doubleValue(), column.digits());
            case PERCENT -> fixed(100 * ((Number) value).doubleValue(), column.digits()) + " %";
            case RATIO -> fixed(((Number) value).doubleValue(), column.digits()) + "x";
        };
    }

    /** Returns the whole value for a program: the shortest decimals that give the number back. */
    static String exact(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    /** Returns for example {@code 1.2e-4}: no plus sign, no leading zeros in the exponent; zero is {@code 0}. */
    static String scientific(double value, int digits) {
        if (value == 0) {
            return "0";
        }
        if (!Double.isFinite(value)) {
            return Double.toString(value);
        }
        String[] parts = String.format(Locale.ROOT, "%." + digits + "e", value).split("e", 2);
        return parts[0] + "e" + Integer.parseInt(parts[1]);
    }

    /** Returns for example {@code 1.16}, or {@code 1.2e-4} for what is small or large. */
    static String number(double value, int digits) {
        double size = Math.abs(value);
        if (!(size >= 0.1 && size < 1000)) {
            return scientific(value, digits - 1);
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits));
        int before = rounded.precision() - rounded.scale();
        return rounded.setScale(Math.max(0, digits - before), RoundingMode.UNNECESSARY)
                .toPlainString();
    }

    private static String fixed(double value, int digits) {
        if (!Double.isFinite(value)) {
            return Double.toString(value);
        }
        return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP).toPlainString();
    }
}
