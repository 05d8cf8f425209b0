package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.flow.WeightGrid;
import org.isoloss.task.DataSource;
import org.isoloss.task.InputTable;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.MoveDirection;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Where a move goes, as a mixin: exactly one of several. */
final class TowardOptions {
    private static final String RANDOM = "random:";

    @ArgGroup(multiplicity = "1")
    private Choice choice = new Choice();

    @Option(names = "--loss-rows", paramLabel = "FROM..TO", description = "Rows of the loss's inputs, as in --rows.")
    private @Nullable String lossRows;

    @Option(names = "--increase", description = "With --loss: it is to grow, not to fall.")
    private boolean increase;

    /** The ways to say it. */
    static final class Choice {
        @Option(
                names = "--toward",
                paramLabel = "DIRECTION",
                description = "random:SEED, a random direction of what the protected inputs see; or a file (safetensors"
                        + " or npz) with a direction for each tensor that moves.")
        private @Nullable String toward;

        @Option(names = "--smaller-norm", description = "To a smaller norm of what moves.")
        private boolean smallerNorm;

        @Option(names = "--sparser", description = "To a smaller sum of magnitudes, which leaves few weights large.")
        private boolean sparser;

        @Option(
                names = "--less-rounding",
                paramLabel = "TYPE",
                converter = GridKind.class,
                description =
                        "To weights that int8, int4 (symmetric for each output channel) or bf16 can hold with less"
                                + " change of the protected outputs.")
        private WeightGrid.@Nullable Kind lessRounding;

        @Option(
                names = "--loss",
                paramLabel = "FILE",
                description = "To a smaller cross-entropy of the last column's classes on other inputs, read like the"
                        + " protected ones.")
        private @Nullable Path loss;
    }

    /** What is read for it, beside the protected inputs. */
    List<Path> files() {
        List<Path> files = new ArrayList<>();
        if (choice.loss != null) {
            files.add(choice.loss);
        }
        if (choice.toward != null && !choice.toward.startsWith(RANDOM)) {
            files.add(Path.of(choice.toward));
        }
        return files;
    }

    /** The seed of a random direction. */
    Optional<Long> seed(CommandSpec spec) {
        return choice.toward != null && choice.toward.startsWith(RANDOM)
                ? Optional.of(seed(spec, choice.toward.substring(RANDOM.length())))
                : Optional.empty();
    }

    private static long seed(CommandSpec spec, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--toward': expected a whole number behind random:, got '%s'"
                            .formatted(text),
                    e);
        }
    }

    /** Opens a model for inputs. */
    @FunctionalInterface
    interface Opening {
        ModelBatch of(DataSource source) throws IOException;
    }

    MoveDirection direction(CommandSpec spec, RowOptions reading, Opening opening) throws IOException {
        if (choice.loss == null) {
            Notices.requireUnused(spec, "a move without --loss", "--loss-rows", "--increase");
        } else {
            DataSource source = reading.source(spec, choice.loss, lossRows, "--loss-rows");
            List<Integer> labels = InputTable.read(source, Path.of(""))
                    .labels()
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(),
                            "--loss needs a table whose last column is the class, and --label, which says so"));
            return new MoveDirection.Loss(opening.of(source), labels, increase);
        }
        String toward = choice.toward;
        if (toward != null) {
            Optional<Long> seed = seed(spec);
            if (seed.isPresent()) {
                return new MoveDirection.Random(seed.get());
            }
            if (!Files.exists(Path.of(toward))) {
                throw new NoSuchFileException(toward);
            }
            return new MoveDirection.Stored(Path.of(toward));
        }
        if (choice.lessRounding != null) {
            return new MoveDirection.LessRounding(choice.lessRounding);
        }
        if (choice.sparser == choice.smallerNorm) { // written as --sparser=false
            throw new ParameterException(
                    spec.commandLine(),
                    "Missing direction: give one of --toward, --smaller-norm, --sparser, --less-rounding and --loss");
        }
        return choice.sparser ? new MoveDirection.Sparser() : new MoveDirection.SmallerNorm();
    }
}
