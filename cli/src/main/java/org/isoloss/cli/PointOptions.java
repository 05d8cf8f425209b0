package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseNetwork;
import org.isoloss.task.StoredNetwork;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** One parameter point and one batch, as a mixin. */
final class PointOptions {
    @Option(names = "--at", paramLabel = "CHECKPOINT", description = "Weights of a dense network: safetensors or npz.")
    private @Nullable Path checkpoint;

    @Mixin
    private final BatchOptions batch = new BatchOptions();

    @Mixin
    private final LayerOptions network = new LayerOptions();

    boolean given() {
        return checkpoint != null || batch.given();
    }

    Path checkpoint(CommandSpec spec) {
        if (checkpoint == null) {
            throw new ParameterException(spec.commandLine(), "--at CHECKPOINT is missing: --at and --data go together");
        }
        return checkpoint;
    }

    Path data(CommandSpec spec) {
        Path file = batch.file();
        if (file == null) {
            throw new ParameterException(spec.commandLine(), "--data FILE is missing: --at and --data go together");
        }
        return file;
    }

    DenseLayers layers(CommandSpec spec) throws IOException {
        return network.tensors().read(checkpoint(spec));
    }

    DenseNetwork network(CommandSpec spec, DenseLayers layers) {
        return StoredNetwork.assembled(
                layers, network.activation(), "%s names no activation; give --activation".formatted(checkpoint(spec)));
    }

    Matrix inputs(CommandSpec spec, DenseNetwork of) throws IOException {
        return batch.inputs(spec, data(spec), checkpoint(spec), of);
    }

    /** Everything that is read. */
    List<Path> files(CommandSpec spec) {
        List<Path> files = new ArrayList<>(List.of(checkpoint(spec), data(spec)));
        files.addAll(batch.expect().files());
        return files;
    }
}
