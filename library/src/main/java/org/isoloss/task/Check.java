package org.isoloss.task;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import org.jspecify.annotations.Nullable;

/** Refusals of task files, in the words of the file. */
final class Check {
    private Check() {}

    @FormatMethod
    static void that(boolean condition, @FormatString String message, @Nullable Object... values) {
        if (!condition) {
            throw new IllegalArgumentException(message.formatted(values));
        }
    }

    static void inRange(String key, @Nullable Integer value, int least, int most) {
        that(
                value == null || (value >= least && value <= most),
                "%s is %s, expected %s to %s",
                key,
                value,
                least,
                most);
    }

    static void positive(String key, @Nullable Double value) {
        that(
                value == null || (value > 0 && value < Double.POSITIVE_INFINITY),
                "%s is %s, expected a positive number",
                key,
                value);
    }

    static void notNegative(String key, @Nullable Double value) {
        that(
                value == null || (value >= 0 && value < Double.POSITIVE_INFINITY),
                "%s is %s, expected 0 or a positive number",
                key,
                value);
    }

    static void given(String what, @Nullable Object value) {
        that(value != null, "'%s' is missing", what);
    }
}
