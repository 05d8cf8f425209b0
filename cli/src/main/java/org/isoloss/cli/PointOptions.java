package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.Setting;
import org.isoloss.task.Task.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** One parameter point and one batch, as a mixin. */
final class PointOptions {
    @Option(names = "--at", paramLabel = "CHECKPOINT", description = "Weights of a dense network: safetensors or npz.")
    private @Nullable Path checkpoint;

    @Option(
            names = "--data",
            paramLabel = "FILE",
            description = "The batch: CSV (also gzipped) or npz, one input a row.")
    private @Nullable Path data;

    @Option(
            names = "--array",
            paramLabel = "NAME",
            description = "Name of the array in an npz file; the first where left out.")
    private @Nullable String array;

    @Option(
            names = "--rows",
            paramLabel = "FROM..TO",
            description = "First row and one past the last, from 0; all where left out.")
    private @Nullable String rows;

    @Option(names = "--scale", paramLabel = "NUMBER", description = "Every number of the batch is divided by it.")
    private @Nullable Double scale;

    @Option(names = "--label", description = "The last column is a class label and no input.")
    private boolean label;

    @Option(
            names = "--layers",
            paramLabel = "WEIGHTS",
            split = ",",
            description = "Weight names from the input on, where they are not those of nn.Sequential;"
                    + " a bias bears the name of its weight with .bias for .weight.")
    private List<String> layers = List.of();

    @Option(
            names = "--activation",
            paramLabel = "NAME",
            description = "Between the layers, where the checkpoint does not name it.")
    private @Nullable String activation;

    boolean given() {
        return checkpoint != null || data != null;
    }

    Path checkpoint(CommandSpec spec) {
        return required(spec, checkpoint, "--at CHECKPOINT");
    }

    Path data(CommandSpec spec) {
        return required(spec, data, "--data FILE");
    }

    List<String> layers() {
        return layers;
    }

    @Nullable
    String activation() {
        return activation;
    }

    Matrix inputs(CommandSpec spec, int width) throws IOException {
        Path file = data(spec);
        Matrix inputs = Setting.table(
                        new DataSource(null, null, file.toString(), array, range(spec), scale, label), Path.of(""))
                .inputs();
        if (inputs.columns() != width) {
            throw new IllegalArgumentException("%s: %d numbers an input, the network takes %d%s"
                    .formatted(
                            file,
                            inputs.columns(),
                            width,
                            inputs.columns() == width + 1 && !label ? "; is the last a label (--label)?" : ""));
        }
        return inputs;
    }

    private @Nullable List<Integer> range(CommandSpec spec) {
        if (rows == null) {
            return null;
        }
        if (!rows.matches("\\d{1,9}\\.\\.\\d{1,9}")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--rows': expected rows such as 0..8, got '" + rows + "'");
        }
        int dots = rows.indexOf("..");
        return List.of(Integer.valueOf(rows.substring(0, dots)), Integer.valueOf(rows.substring(dots + 2)));
    }

    private static Path required(CommandSpec spec, @Nullable Path path, String option) {
        if (path == null) {
            throw new ParameterException(spec.commandLine(), option + " is missing: --at and --data go together");
        }
        return path;
    }
}
