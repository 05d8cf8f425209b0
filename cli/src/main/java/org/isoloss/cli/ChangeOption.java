package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.DataSource;
import org.isoloss.task.InputTable;
import org.isoloss.task.UnitMove;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How far and in which direction weights move, as a mixin. */
final class ChangeOption {
    private static final long SEED = 0;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--by",
            paramLabel = "CHANGE",
            description =
                    "How they move: one number is the size relative to the weights that move, in a random"
                            + " direction; several numbers, or a file (CSV, npz or npy, one unit a row), are the change itself.")
    private String by = "";

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the random direction; the same seed gives the same bits.")
    private @Nullable Long seed;

    boolean isGiven() {
        return !by.isEmpty();
    }

    /** The change as given. */
    String text() {
        return by;
    }

    /** The file with the change, where it is one. */
    Optional<Path> file() {
        return Optional.of(Path.of(by)).filter(Files::exists);
    }

    long seed() {
        return seed == null ? SEED : seed;
    }

    /** The change as a size alone. */
    double size() {
        double size = number(by);
        if (!(size > 0)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--by': expected a size above 0, got '%s'".formatted(by));
        }
        return size;
    }

    /**
     * The change of units: one number is a size, several are the change, anything else is a file with the change.
     *
     * @param units how many move
     * @param part which of their weights, for messages
     */
    double[] of(UnitMove.Place place, int units, String part) throws IOException {
        if (!by.matches("[-+0-9.eE, ]+") || Files.exists(Path.of(by))) {
            return fromFile(place, units, part, Path.of(by));
        }
        double[] numbers =
                Arrays.stream(by.split(",", -1)).mapToDouble(this::number).toArray();
        return numbers.length == 1 ? UnitMove.randomChange(place, numbers[0], new SplittableRandom(seed())) : numbers;
    }

    private double number(String text) {
        try {
            return Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--by': '%s' is no number; expected a size such as 0.1, numbers separated by commas, or a file"
                            .formatted(text),
                    e);
        }
    }

    private double[] fromFile(UnitMove.Place place, int units, String part, Path file) throws IOException {
        if (!Files.exists(file) && !Files.isSymbolicLink(file)) {
            throw new IllegalArgumentException(
                    "--by %s: neither a number, nor numbers separated by commas, nor a file that exists".formatted(by));
        }
        Matrix change = InputTable.read(DataSource.table(file.toString(), null, null), Path.of(""))
                .inputs();
        int each = place.weights().length / units;
        if (change.rows() != units || change.columns() != each) {
            throw new IllegalArgumentException(
                    "%s: the change has shape (%d, %d), expected (%d, %d): one row a moving unit, one number for each of its %s weights"
                            .formatted(file, change.rows(), change.columns(), units, each, part));
        }
        return change.entries();
    }
}
