package org.isoloss.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Seeds as a range {@code 101..105} or a list {@code 101,102}.
 *
 * @param seeds at least one
 */
record SeedList(List<Long> seeds) {
    private static final int MOST = 1_000;

    /** Reads the value of {@code --seeds}. */
    static final class Converter implements ITypeConverter<SeedList> {
        @Override
        public SeedList convert(String value) {
            try {
                List<Long> seeds = new ArrayList<>();
                for (String part : value.split(",", -1)) {
                    int dots = part.indexOf("..");
                    long from = Long.parseLong(dots < 0 ? part : part.substring(0, dots));
                    long to = dots < 0 ? from : Long.parseLong(part.substring(dots + 2));
                    long more = Math.subtractExact(to, from);
                    if (more < 0 || more + seeds.size() >= MOST) {
                        throw new NumberFormatException();
                    }
                    for (long i = 0; i <= more; i++) {
                        seeds.add(from + i);
                    }
                }
                return new SeedList(seeds);
            } catch (NumberFormatException | ArithmeticException e) {
                throw new TypeConversionException(
                        "expected seeds such as 101..105 or 101,102, at most %d, got '%s'".formatted(MOST, value));
            }
        }
    }
}
