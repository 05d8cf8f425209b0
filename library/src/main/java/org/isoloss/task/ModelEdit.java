package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.EditRecord;
import org.isoloss.checkpoint.EditReport;

/**
 * Writing moved coordinates back to the file of a model, and measuring what the stored numbers then do: everything is measured
 * on the file as it can be read again, after rounding.
 */
public final class ModelEdit {
    private final EditReport report;
    private final Path target;
    private final EditRecord.Before before;

    private ModelEdit(EditReport report, Path target, EditRecord.Before before) {
        this.report = report;
        this.target = target;
        this.before = before;
    }

    /**
     * Prepares an edit: only tensors that hold moved numbers change.
     *
     * @param setting of the model
     * @param moved coordinates, length p; not modified
     * @return with nothing written yet
     */
    public static CheckpointEdit of(ModelSetting setting, double[] moved) {
        Map<String, double[]> before = setting.tensorsAt(setting.origin());
        Map<String, double[]> changed = new LinkedHashMap<>();
        setting.tensorsAt(moved).forEach((name, numbers) -> {
            if (!Arrays.equals(numbers, before.get(name))) {
                changed.put(name, numbers);
            }
        });
        return Checkpoint.edit(setting.file()).with(changed);
    }

    /**
     * Writes the edited model.
     *
     * @param edit of {@link #of}
     * @param target the new file
     * @return what was written
     * @throws IOException when a file cannot be read or written
     */
    public static ModelEdit write(CheckpointEdit edit, Path target) throws IOException {
        EditRecord.Before stored = EditRecord.before(edit);
        EditReport report = edit.saveAs(target);
        return new ModelEdit(report, target, stored);
    }

    /** {@return which numbers changed and by how many units in the last place} */
    public EditReport report() {
        return report;
    }

    /**
     * Returns what undoes the edit, bit for bit.
     *
     * @return the record of it
     * @throws IOException when the new file cannot be read
     */
    public EditRecord undo() throws IOException {
        return before.after(target);
    }

    /**
     * Measures how far the outputs moved.
     *
     * @param batch inputs with the model as it was
     * @return for each input {@code ||F' - F|| / ||F||}, in float64
     * @throws IOException when the new file cannot be read
     */
    public double[] relativeDrift(ModelBatch batch) throws IOException {
        return WeightEdit.relativeDrift(
                batch.outputs(Precision.FLOAT64), batch.of(target).outputs(Precision.FLOAT64));
    }
}
