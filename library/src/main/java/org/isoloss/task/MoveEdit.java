package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.GgufFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.model.Model;

/**
 * A moved model to be written: the file that it came from with other numbers, or for GGUF, whose narrow types would undo the move,
 * the moved tensors alone in float32.
 */
public final class MoveEdit {
    private final ModelMove.Moved moved;
    private final Optional<CheckpointEdit> edit;
    private final Optional<EditReport> planned;

    private MoveEdit(ModelMove.Moved moved, Optional<CheckpointEdit> edit) throws IOException {
        this.moved = moved;
        this.edit = edit;
        this.planned =
                edit.isEmpty() ? Optional.empty() : Optional.of(edit.get().report());
    }

    private static boolean isGguf(Path source) throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(source)) {
            return checkpoint instanceof GgufFile;
        }
    }

    /**
     * Refuses a file that could not be written, before anything is computed.
     *
     * @param source the model
     * @param target the new file
     * @param wide whether all weights are to be float32
     * @throws IOException when the source cannot be read
     * @throws IllegalArgumentException when the target is no file of its format
     */
    public static void requireTarget(Path source, Path target, boolean wide) throws IOException {
        Path folder = target.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new IllegalArgumentException("--out %s: there is no folder %s".formatted(target, folder));
        }
        if (isGguf(source)) {
            if (!target.toString().endsWith(".safetensors")) {
                throw new IllegalArgumentException(
                        "--out %s: GGUF is not edited; the moved tensors are written by themselves, as F32, so name a file that ends in .safetensors"
                                .formatted(target));
            }
            return;
        }
        Checkpoint.edit(source).requireTarget(target);
    }

    /**
     * Prepares the edit: only tensors that hold moved numbers change.
     *
     * @param source the model
     * @param moved where the move ended
     * @param wide whether all weights are to be float32
     * @return with nothing written yet
     * @throws IOException when the source cannot be read
     */
    public static MoveEdit of(Path source, ModelMove.Moved moved, boolean wide) throws IOException {
        if (isGguf(source)) {
            return new MoveEdit(moved, Optional.empty());
        }
        CheckpointEdit edit = Checkpoint.edit(source).with(moved.tensors());
        return new MoveEdit(moved, Optional.of(wide ? edit.widened() : edit));
    }

    /** {@return which weights will change; nothing where the moved tensors are written by themselves} */
    public Optional<EditReport> planned() {
        return planned;
    }

    /**
     * Writes, whole or not at all.
     *
     * @param inputs the protected inputs with the model as it was
     * @param target the new file
     * @return the largest relative change of the outputs on a protected input, of what was written
     * @throws IOException when a file cannot be read or written
     */
    public double write(ModelBatch inputs, Path target) throws IOException {
        if (edit.isPresent()) {
            return largest(ModelEdit.write(edit.get(), target).relativeDrift(inputs));
        }
        Model model = inputs.model();
        var writer = new SafetensorsWriter();
        Map<String, double[]> rounded = new LinkedHashMap<>();
        moved.tensors().forEach((name, numbers) -> {
            long[] shape = Arrays.stream(model.parameter(name).shape().toArray())
                    .asLongStream()
                    .toArray();
            rounded.put(
                    name, Arrays.stream(numbers).map(number -> (float) number).toArray());
            writer.add(name, ElementType.F32, Shape.of(shape), numbers);
        });
        writer.saveTo(target);
        return largest(WeightEdit.relativeDrift(
                inputs.outputs(Precision.FLOAT64),
                inputs.edited(rounded.keySet()).apply(rounded)));
    }

    private static double largest(double[] drift) {
        return Arrays.stream(drift).max().orElse(0);
    }
}
