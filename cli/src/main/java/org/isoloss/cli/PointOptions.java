package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.source.StoredModel;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.PointNetwork;
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
            description = "Of a model, a tensor that may move, or a part of it such as conv1.weight[0:4]; may be"
                    + " repeated; all where left out.")
    private List<String> moving = new ArrayList<>();

    @Option(names = "--dimension", description = "Of a model, the dimension alone, for any number of parameters.")
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

    /** The checkpoint as a network, with the activations of a task where there is one. */
    PointNetwork network(CommandSpec spec, @Nullable RecoveryTask task) throws IOException {
        Notices.requireUnused(spec, "%s, which has no graph,".formatted(checkpoint(spec)), "--moving", "--dimension");
        if (task == null) {
            return PointNetwork.read(checkpoint(spec), network.tensors(), network.activation());
        }
        if (network.activation() != null) {
            throw new ParameterException(
                    spec.commandLine(), "give --activation or NETWORK.yaml, which states the activations, not both");
        }
        return PointNetwork.read(
                checkpoint(spec), network.tensors(), task.network().architecture());
    }

    Matrix inputs(CommandSpec spec, PointNetwork of) throws IOException {
        String file = checkpoint(spec).toString();
        return batch.inputs(spec, data(spec), of.inputs(), (expected, inputs) -> of.confirm(expected, file, inputs));
    }

    /** Whether the weights are those of a model of any kind. */
    boolean isModel() {
        return checkpoint != null && StoredModel.isModel(checkpoint);
    }

    /** The model for the batch, with what moves. */
    ModelTarget target(CommandSpec spec) throws IOException {
        Notices.requireUnused(
                spec, "%s, which has a graph,".formatted(checkpoint(spec)), "--layers", "--ignore", "--activation");
        ModelBatch read = ModelBatch.read(checkpoint(spec), batch.source(spec), Path.of(""));
        Notices.print(spec, read.notices());
        return ModelTarget.of(read.moving(moving), read.batches());
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
