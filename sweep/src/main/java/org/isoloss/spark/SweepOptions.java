package org.isoloss.spark;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What {@code spark-submit} is given after the assembly.
 *
 * @param file the sweep, at the same path on every machine
 * @param out its folder, at the same path on every machine
 * @param resume whether to go on in a folder that has fits
 * @param empty whether fits are left out, to measure what all else costs
 */
record SweepOptions(Path file, Path out, boolean resume, boolean empty) {
    private static final String USAGE =
            "usage: spark-submit [options of Spark] isoloss-sweep.jar SWEEP.yaml --out DIR [--resume] [--empty]";

    static SweepOptions of(String[] arguments) {
        @Nullable Path file = null;
        @Nullable Path out = null;
        boolean resume = false;
        boolean empty = false;
        for (int i = 0; i < arguments.length; i++) {
            String word = arguments[i];
            if (word.equals("--out") && i + 1 < arguments.length) {
                out = absolute(arguments[++i]);
            } else if (word.equals("--resume")) {
                resume = true;
            } else if (word.equals("--empty")) {
                empty = true;
            } else if (!word.startsWith("-") && file == null) {
                file = absolute(word);
            } else {
                throw new IllegalArgumentException("'%s' is not understood; %s".formatted(word, USAGE));
            }
        }
        if (file == null || out == null) {
            throw new IllegalArgumentException(
                    "%s is missing; %s".formatted(file == null ? "SWEEP.yaml" : "--out", USAGE));
        }
        return new SweepOptions(file, out, resume, empty);
    }

    private static Path absolute(String path) {
        return Path.of(path).toAbsolutePath().normalize();
    }
}
