package org.isoloss.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Fits of a sweep by their numbers, {@code 7} or {@code 1..100}.
 *
 * @param first from 1
 * @param last not before the first
 */
record FitNumbers(int first, int last) {
    /** Reads the value of {@code --index}. */
    static final class Converter implements ITypeConverter<FitNumbers> {
        @Override
        public FitNumbers convert(String value) {
            if (value.matches("\\d{1,7}(\\.\\.\\d{1,7})?")) {
                int dots = value.indexOf("..");
                int first = Integer.parseInt(dots < 0 ? value : value.substring(0, dots));
                int last = dots < 0 ? first : Integer.parseInt(value.substring(dots + 2));
                if (first >= 1 && first <= last) {
                    return new FitNumbers(first, last);
                }
            }
            throw new TypeConversionException(
                    "expected a number from 1, such as 7, or 1..100, got '%s'".formatted(value));
        }
    }
}
