package org.isoloss.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How many fits are made at the same time, as a mixin; results do not depend on it. */
final class ThreadsOption {
    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Count.class,
            description = "Fits at the same time; one a core where left out.")
    private @Nullable Integer threads;

    int threads() {
        return threads == null ? Runtime.getRuntime().availableProcessors() : threads;
    }

    /** Reads a number from 1. */
    static final class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.matches("0*[1-9]\\d{0,5}")) {
                return Integer.valueOf(text);
            }
            throw new TypeConversionException("expected a whole number from 1, got '%s'".formatted(text));
        }
    }
}
