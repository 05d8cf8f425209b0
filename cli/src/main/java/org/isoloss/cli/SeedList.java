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
                    if (to < from || to - from >= MOST) {
                        throw new NumberFormatException();
                    }
                    for (long seed = from; seed <= to; seed++) {
                        seeds.add(seed);
                    }
                }
                return new SeedList(seeds);
            } catch (NumberFormatException e) {
                throw new TypeConversionException(
                        "expected seeds such as 101..105 or 101,102, at most %d, got '%s'".formatted(MOST, value));
            }
        }
    }
}
