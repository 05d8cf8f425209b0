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

    static void given(String what, @Nullable Object value) {
        that(value != null, "'%s' is missing", what);
    }
}
