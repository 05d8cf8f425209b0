package org.isoloss.report;

import java.util.regex.Pattern;

/**
 * A column of a {@link Table}: what its cells are and how they read.
 *
 * @param key the name for programs, in CSV and JSON: letters, digits, dots and underscores, starting with a letter
 * @param heading the name for readers, with the unit where there is one
 * @param kind what the cells hold
 * @param digits digits after the point, all digits of a {@link Kind#NUMBER}, in 0..17; of use to numbers only
 */
public record Column(String key, String heading, Kind kind, int digits) {
    private static final Pattern KEY = Pattern.compile("[A-Za-z][A-Za-z0-9_.]*");

    /** What the cells of a column hold. */
    public enum Kind {
        /** Words, aligned left. */
        TEXT,
        /** Whole numbers. */
        COUNT,
        /** Numbers as {@code 1.2e-4}. */
        SCIENTIFIC,
        /** Numbers as {@code 1.16} between a tenth and a thousand, and as {@code 1.2e-4} beyond. */
        NUMBER,
        /** Numbers with a fixed number of digits after the point. */
        FIXED,
        /** Fractions of one, shown in percent. */
        PERCENT,
        /** Ratios, shown as {@code 0.26x}. */
        RATIO,
        /** Yes or no. */
        FLAG;

        boolean isNumber() {
            return this != TEXT && this != FLAG;
        }
    }

    /** Checks the key and the digits. */
    public Column {
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException(
                    "Column: key '%s', expected letters, digits, dots and underscores after a first letter"
                            .formatted(key));
        }
        if (digits < 0 || digits > 17) {
            throw new IllegalArgumentException("Column %s: %d digits, expected 0 to 17".formatted(key, digits));
        }
    }

    /**
     * Returns a column of words.
     *
     * @param key the name for programs
     * @param heading the name for readers
     * @return cells are {@link String}
     */
    public static Column text(String key, String heading) {
        return new Column(key, heading, Kind.TEXT, 0);
    }

    /**
     * Returns a column of whole numbers.
     *
     * @param key the name for programs
     * @param heading the name for readers, with the unit
     * @return cells are {@link Integer} or {@link Long}
     */
    public static Column count(String key, String heading) {
        return new Column(key, heading, Kind.COUNT, 0);
    }

    /**
     * Returns a column of numbers over many orders of magnitude, as {@code 1.2e-4}.
     *
     * @param key the name for programs
     * @param heading the name for readers, with the unit
     * @param digits digits after the point of the mantissa, in 0..17
     * @return cells are any {@link Number}
     */
    public static Column scientific(String key, String heading, int digits) {
        return new Column(key, heading, Kind.SCIENTIFIC, digits);
    }

    /**
     * Returns a column of numbers of which some are of everyday size, and read so.
     *
     * @param key the name for programs
     * @param heading the name for readers, with the unit
     * @param digits all that are shown, in 1..17
     * @return cells are any {@link Number}
     */
    public static Column number(String key, String heading, int digits) {
        return new Column(key, heading, Kind.NUMBER, digits);
    }

    /**
     * Returns a column of numbers of like size.
     *
     * @param key the name for programs
     * @param heading the name for readers, with the unit
     * @param digits digits after the point, in 0..17
     * @return cells are any {@link Number}
     */
    public static Column fixed(String key, String heading, int digits) {
        return new Column(key, heading, Kind.FIXED, digits);
    }

    /**
     * Returns a column of fractions of one that reads in percent.
     *
     * @param key the name for programs, which see the fraction itself
     * @param heading the name for readers
     * @param digits digits after the point of the percentage, in 0..15
     * @return cells are any {@link Number}
     */
    public static Column percent(String key, String heading, int digits) {
        return new Column(key, heading, Kind.PERCENT, digits);
    }

    /**
     * Returns a column of ratios, as {@code 0.26x}.
     *
     * @param key the name for programs
     * @param heading the name for readers, saying of what to what
     * @param digits digits after the point, in 0..17
     * @return cells are any {@link Number}
     */
    public static Column ratio(String key, String heading, int digits) {
        return new Column(key, heading, Kind.RATIO, digits);
    }

    /**
     * Returns a column of yes and no.
     *
     * @param key the name for programs
     * @param heading the name for readers
     * @return cells are {@link Boolean}
     */
    public static Column flag(String key, String heading) {
        return new Column(key, heading, Kind.FLAG, 0);
    }

    /** Says whether {@code value} may stand in this column. */
    boolean takes(Object value) {
        return switch (kind) {
            case TEXT -> value instanceof String;
            case COUNT -> value instanceof Integer || value instanceof Long;
            case FLAG -> value instanceof Boolean;
            case NUMBER, SCIENTIFIC, FIXED, PERCENT, RATIO -> value instanceof Number;
        };
    }
}
