package org.isoloss.linalg;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;

/**
 * LAPACK through its C interface. Unlike the products of {@link Blas} its routines work on copies in native memory: a
 * factorisation can take seconds, and a call on heap arrays would hold back garbage collection that long.
 */
final class Lapack {
    static final int ROW_MAJOR = 101;
    static final int COLUMN_MAJOR = 102;

    private static final int OUT_OF_MEMORY = -1010;
    private static final int OUT_OF_MEMORY_TO_TRANSPOSE = -1011;

    private Lapack() {}

    /**
     * Returns a routine whose result is LAPACK's {@code info}.
     *
     * @param name such as {@code LAPACKE_dgesdd}
     * @param arguments one letter each: {@code i} int, {@code c} char, {@code d} double, {@code p} pointer; spaces are
     *     ignored
     */
    static MethodHandle routine(String name, String arguments) {
        MemoryLayout[] layouts = arguments
                .chars()
                .filter(letter -> letter != ' ')
                .mapToObj(Lapack::layout)
                .toArray(MemoryLayout[]::new);
        return OpenBlas.function(name, FunctionDescriptor.of(JAVA_INT, layouts));
    }

    private static MemoryLayout layout(int letter) {
        return switch (letter) {
            case 'i' -> JAVA_INT;
            case 'c' -> JAVA_BYTE;
            case 'd' -> JAVA_DOUBLE;
            case 'p' -> ADDRESS;
            default -> throw new IllegalArgumentException("Lapack: no layout for " + (char) letter);
        };
    }

    /** Refuses a result that LAPACK calls failed; {@code stalled} says what a positive {@code info} means. */
    static void requireDone(String routine, int info, String stalled) {
        if (info == 0) {
            return;
        }
        throw new IllegalStateException(
                info > 0
                        ? "%s: %s (info %d)".formatted(routine, stalled, info)
                        : info == OUT_OF_MEMORY || info == OUT_OF_MEMORY_TO_TRANSPOSE
                                ? "%s: not enough native memory for its workspace".formatted(routine)
                                : "%s: argument %d is wrong".formatted(routine, -info));
    }
}
