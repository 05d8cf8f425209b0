package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.model.Model;
import org.isoloss.source.Bindings;
import org.isoloss.source.StoredModel;
import org.isoloss.symmetry.SymmetryElement;
import org.isoloss.symmetry.SymmetryGroup;

/**
 * A model with an element of its symmetry group applied, to be written to a file of the format that it came from.
 *
 * @param element that is applied
 * @param before how much it changes the outputs before anything is rounded, in float64, relative to the largest output
 * @param edit the file with other numbers, not written yet
 * @param report which weights change, after rounding to their types
 */
public record ModelTransform(SymmetryElement element, double before, CheckpointEdit edit, EditReport report) {
    /** A tensor that changes by less than this share of its largest number was only rounded, and stays as it is. */
    private static final double ROUNDING = 1e-12;

    /**
     * Applies an element.
     *
     * @param source the file or folder of the model
     * @param model what it holds
     * @param group of the model
     * @param element of it
     * @param wide whether weights of 16 bits are to be written as F32
     * @return with nothing written yet
     * @throws IOException when the source cannot be read
     * @throws IllegalArgumentException when the element is not of this model, or a number is beyond its type
     */
    public static ModelTransform of(
            Path source, Model model, SymmetryGroup group, SymmetryElement element, boolean wide) throws IOException {
        Map<String, double[]> changed = new LinkedHashMap<>();
        group.tensors(element).forEach((name, numbers) -> {
            double[] own = model.numbers(name);
            double largest = Arrays.stream(own).map(Math::abs).max().orElse(0);
            if (IntStream.range(0, own.length).anyMatch(i -> Math.abs(numbers[i] - own[i]) > ROUNDING * largest)) {
                changed.put(name, numbers);
            }
        });
        CheckpointEdit narrow = Checkpoint.edit(source).with(changed);
        CheckpointEdit edit = wide ? narrow.widened() : narrow;
        return new ModelTransform(element, group.change(element), edit, edit.report());
    }

    /**
     * Writes, whole or not at all, and measures what the file computes.
     *
     * @param model as it was
     * @param inputs that outputs are compared on
     * @param bindings the sizes with which the model was opened
     * @param reading how the model was read
     * @param tokens of a text, at most
     * @param target the new file
     * @return the largest change of an output of what was written, relative to the largest output
     * @throws IOException when a file cannot be read or written
     */
    public double write(
            Model model,
            List<Map<String, double[]>> inputs,
            Bindings bindings,
            StoredModel.Reading reading,
            int tokens,
            Path target)
            throws IOException {
        edit.saveAs(target);
        try (StoredModel written = StoredModel.openForAny(target, bindings, reading, tokens)) {
            return change(model, written.model(), inputs);
        }
    }

    /**
     * Measures how much the outputs of two models differ, in float64.
     *
     * @param one a model
     * @param other another, with outputs of the same names
     * @param inputs of both
     * @return the largest difference, relative to the largest output of the first; infinite where it is no number
     */
    public static double change(Model one, Model other, List<Map<String, double[]>> inputs) {
        double largest = 0;
        double size = 0;
        for (Map<String, double[]> input : inputs) {
            SequencedMap<String, double[]> before = one.run(Precision.FLOAT64, input);
            SequencedMap<String, double[]> after = other.run(Precision.FLOAT64, input);
            for (Map.Entry<String, double[]> output : before.entrySet()) {
                double[] own = output.getValue();
                double[] moved = after.get(output.getKey());
                if (moved == null || moved.length != own.length) {
                    return Double.POSITIVE_INFINITY;
                }
                for (int i = 0; i < own.length; i++) {
                    double change = Math.abs(moved[i] - own[i]);
                    largest = Double.isNaN(change) ? Double.POSITIVE_INFINITY : Math.max(largest, change);
                    size = Math.max(size, Math.abs(own[i]));
                }
            }
        }
        return size == 0 ? largest : largest / size;
    }
}
