package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.checkpoint.LeftAside;
import org.isoloss.checkpoint.SequentialCheckpoint;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.source.StoredNetwork;

/**
 * Writing moved coordinates back to the checkpoint of a setting, and measuring what the stored weights then do: everything
 * is measured on the file as it can be read again, after rounding.
 */
public final class WeightEdit {
    private final EditReport report;
    private final DenseNetwork before;
    private final DenseNetwork after;

    private WeightEdit(EditReport report, DenseNetwork before, DenseNetwork after) {
        this.report = report;
        this.before = before;
        this.after = after;
    }

    /**
     * Prepares an edit of a checkpoint: only tensors that hold moved weights change.
     *
     * @param layers the network as it was read from the source
     * @param moved the network with moved weights
     * @param source the checkpoint file
     * @return with nothing written yet
     */
    public static CheckpointEdit of(DenseLayers layers, DenseNetwork moved, Path source) {
        Map<String, double[]> old = layers.values();
        Map<String, double[]> changed = new LinkedHashMap<>();
        named(layers, moved).values().forEach((name, values) -> {
            if (!Arrays.equals(values, old.get(name))) {
                changed.put(name, values);
            }
        });
        return Checkpoint.edit(source).with(changed);
    }

    /**
     * Writes the edited checkpoint.
     *
     * @param edit of {@link #of}, widened or not
     * @param layers the network as it was read from the source
     * @param before the same network
     * @param target the new file
     * @return what was written and what it computes
     * @throws IOException when a file cannot be read or written
     */
    public static WeightEdit write(CheckpointEdit edit, DenseLayers layers, DenseNetwork before, Path target)
            throws IOException {
        EditReport report = edit.saveAs(target);
        DenseLayers written = SequentialCheckpoint.read(
                target,
                layers.layers().stream().map(DenseLayers.Layer::names).toList(),
                new LeftAside(layers.leftAside()));
        return new WeightEdit(report, before, StoredNetwork.assembled(written, before.activation()));
    }

    /** The moved network under the names that its tensors have in a file. */
    static DenseLayers named(DenseLayers layers, DenseNetwork network) {
        List<DenseLayers.Layer> moved = new ArrayList<>();
        for (int i = 0; i < layers.layers().size(); i++) {
            DenseLayer layer = network.layers().get(i);
            moved.add(new DenseLayers.Layer(
                    layers.layers().get(i).names(), layer.weight(), layer.bias().orElse(null)));
        }
        return DenseLayers.of(moved, layers.activation().orElse(null));
    }

    /** {@return which weights changed and by how many units in the last place, the report of the writer} */
    public EditReport report() {
        return report;
    }

    /** {@return the network as it was, before the edit} */
    public DenseNetwork before() {
        return before;
    }

    /** {@return the network as it is stored now, after the edit and its rounding} */
    public DenseNetwork after() {
        return after;
    }

    /**
     * Measures how far the outputs moved.
     *
     * @param inputs one input a row
     * @return for each input {@code ||F' - F|| / ||F||}, in float64
     */
    public double[] relativeDrift(Matrix inputs) {
        return relativeDrift(before, after, inputs);
    }

    static double[] relativeDrift(DenseNetwork before, DenseNetwork after, Matrix inputs) {
        return relativeDrift(before.outputs(before.parameters(), inputs), after.outputs(after.parameters(), inputs));
    }

    /** For each row {@code ||now - old|| / ||old||}. */
    static double[] relativeDrift(Matrix old, Matrix now) {
        Matrix difference = now.minus(old);
        double[] drift = new double[old.rows()];
        for (int row = 0; row < drift.length; row++) {
            drift[row] = difference.rows(row, row + 1).frobeniusNorm()
                    / (old.rows(row, row + 1).frobeniusNorm() + 1e-12);
        }
        return drift;
    }

    /**
     * Counts correctly classified inputs.
     *
     * @param network the network to be judged
     * @param inputs one input a row
     * @param labels the class of each input
     * @return the share whose largest output is the label's
     */
    public static double accuracy(DenseNetwork network, Matrix inputs, List<Integer> labels) {
        Matrix outputs = network.outputs(network.parameters(), inputs);
        int correct = 0;
        for (int row = 0; row < outputs.rows(); row++) {
            correct += largest(outputs.row(row)) == labels.get(row) ? 1 : 0;
        }
        return (double) correct / outputs.rows();
    }

    private static int largest(double[] numbers) {
        int largest = 0;
        for (int i = 1; i < numbers.length; i++) {
            largest = numbers[i] > numbers[largest] ? i : largest;
        }
        return largest;
    }
}
