package org.isoloss.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that every command takes, as a mixin: {@code @Mixin private final SharedOptions shared = new SharedOptions();}. */
final class SharedOptions {
    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of every random draw; the same seed gives the same bits.")
    private @Nullable Long seed;

    @Option(names = "--out", paramLabel = "DIR", description = "Where the files of the result go.")
    private @Nullable Path out;

    @Mixin
    private final PrintOptions print = new PrintOptions();

    /**
     * Returns the seed.
     *
     * @param otherwise the seed of a command line that names none
     */
    long seed(long otherwise) {
        return seed == null ? otherwise : seed;
    }

    /** Returns the seed of the command line, or null where it names none. */
    @Nullable
    Long seedIfGiven() {
        return seed;
    }

    /**
     * Returns the folder for the result's files.
     *
     * @param otherwise the folder of a command line that names none
     */
    Path out(Path otherwise) {
        return out == null ? otherwise : out;
    }

    /** Returns the folder of the command line, or null where it names none. */
    @Nullable
    Path outIfGiven() {
        return out;
    }

    OutputFormat format() {
        return print.format();
    }

    boolean quiet() {
        return print.quiet();
    }
}
