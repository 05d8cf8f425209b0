package org.isoloss.cli;

import java.util.stream.IntStream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Coefficients t: one number, or {@code FROM:TO:COUNT} equally spaced ones with both ends.
 *
 * @param from the first
 * @param to the last
 * @param count how many; 1 for a number by itself
 */
record TimeGrid(double from, double to, int count) {
    private static final int MOST = 1_000_000;

    /** Whether it was written as a grid, with a count. */
    boolean isGrid() {
        return count > 1;
    }

    double[] times() {
        return IntStream.range(0, count)
                .mapToDouble(i -> i == count - 1 ? to : from + (to - from) / (count - 1) * i)
                .toArray();
    }

    /** Reads the value of {@code --t}. */
    static final class Converter implements ITypeConverter<TimeGrid> {
        @Override
        public TimeGrid convert(String value) {
            try {
                String[] parts = value.split(":", -1);
                double from = finite(parts[0]);
                if (parts.length == 1) {
                    return new TimeGrid(from, from, 1);
                }
                int count = Integer.parseInt(parts[2].strip());
                if (parts.length == 3 && count >= 2 && count <= MOST) {
                    return new TimeGrid(from, finite(parts[1]), count);
                }
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException _) {
                // said below
            }
            throw new TypeConversionException(
                    "expected a finite number such as 0.5, or FROM:TO:COUNT such as -1:1:101 with a count from 2 to %d, got '%s'"
                            .formatted(MOST, value));
        }

        private static double finite(String text) {
            double number = Double.parseDouble(text.strip());
            if (!Double.isFinite(number)) {
                throw new NumberFormatException(text);
            }
            return number;
        }
    }
}
