package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.isoloss.affine.HiddenActivation;
import org.isoloss.checkpoint.Tying;
import org.isoloss.report.RunProvenance;
import org.isoloss.source.StoredModel;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.RecoveryTask;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** One parameter point and one batch, as a mixin. */
final class PointOptions {
    @Option(
            names = "--at",
            paramLabel = "CHECKPOINT",
            description =
                    "Weights of a dense network, safetensors or npz; or any model, ONNX or a folder of Hugging Face.")
    private @Nullable Path checkpoint;

    @Mixin
    private final BatchOptions batch = new BatchOptions();

    @Option(
            names = "--moving",
            paramLabel = "TENSOR",
            description = "A tensor that may move, or a part of it such as conv1.weight[0:4]; may be repeated;"
                    + " all where left out.")
    private List<String> moving = new ArrayList<>();

    @Option(names = "--dimension", description = "The dimension alone, for any number of parameters.")
    private boolean dimension;

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

    void requireBoth(CommandSpec spec) {
        checkpoint(spec);
        data(spec);
    }

    /** The network for the batch, with the activations of a task where there is one. */
    ModelBatch read(CommandSpec spec, @Nullable RecoveryTask task) throws IOException {
        Path file = checkpoint(spec);
        if (StoredModel.isModel(file)) {
            Notices.requireUnused(
                    spec, "%s, which has a graph,".formatted(file), "--layers", "--ignore", "--activation");
            if (task != null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "NETWORK.yaml states the shape of dense networks; an ONNX model has its own");
            }
        }
        if (task != null && network.activation() != null) {
            throw new ParameterException(
                    spec.commandLine(), "give --activation or NETWORK.yaml, which states the activations, not both");
        }
        String activation = task == null
                ? network.activation()
                : task.network().architecture().activations().stream()
                        .map(HiddenActivation::label)
                        .collect(Collectors.joining(","));
        if (!Files.exists(file)) { // before the data is looked for
            throw new NoSuchFileException(file.toString());
        }
        ModelBatch read = ModelBatch.read(
                file,
                batch.source(spec),
                Path.of(""),
                new Reading(Tying.AS_STORED, network.tensors(), activation, true));
        if (task != null) {
            task.network().requireShape(file, read.model());
        }
        return read;
    }

    /** What a file that is no batch's does not say; refuses what would be passed over. */
    Reading reading(CommandSpec spec, Path model) {
        if (StoredModel.isModel(model)) {
            Notices.requireUnused(
                    spec, "%s, which has a graph,".formatted(model), "--layers", "--ignore", "--activation");
        }
        Notices.requireUnused(spec, "%s without --at".formatted(model), "--moving", "--dimension");
        return new Reading(Tying.AS_STORED, network.tensors(), network.activation());
    }

    /** What moves. */
    List<String> moving() {
        return moving;
    }

    boolean dimension() {
        return dimension;
    }

    /** Everything that is read. */
    List<Path> files(CommandSpec spec) throws IOException {
        List<Path> files = new ArrayList<>(RunProvenance.modelFiles(checkpoint(spec)));
        files.add(data(spec));
        files.addAll(batch.expect().files());
        return files;
    }
}
