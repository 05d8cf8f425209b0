package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.flow.RoundedTensor;
import org.isoloss.flow.WeightGrid;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.model.OutputChannels;
import org.isoloss.model.OutputComparison;
import org.isoloss.model.Value;
import org.isoloss.source.Bindings;
import org.isoloss.source.StoredModel;

/** A model with other weights that compute the same, to be written to a file of the format that it came from. */
public final class ModelTransform {
    /** A tensor that changes by less than this share of its largest number was only rounded, and stays as it is. */
    private static final double ROUNDING = 1e-12;

    private final Model model;
    private final Path source;
    private final SequencedMap<String, Numbers> tensors;
    private final Storing storing;
    private final OutputComparison outputs;
    private final double before;

    private ModelTransform(
            Path source,
            Model model,
            SequencedMap<String, Numbers> tensors,
            List<Map<String, double[]>> inputs,
            Storing storing) {
        this.source = source;
        this.model = model;
        this.tensors = tensors;
        this.storing = storing;
        this.outputs = new OutputComparison(model, inputs);
        this.before = outputs.change(model.reading(tensors));
    }

    /**
     * How a file is written.
     *
     * @param wide whether weights of 16 bits become F32
     * @param untied whether a tied head gets a tensor of its own
     */
    public record Storing(boolean wide, boolean untied) {
        /** As it is. */
        public static final Storing PLAIN = new Storing(false, false);
    }

    /**
     * What was written.
     *
     * @param report which weights changed, after rounding to their types
     * @param change the largest change of an output of what was written, relative to the largest output
     */
    public record Written(EditReport report, double change) {}

    /**
     * Gives a model other weights.
     *
     * @param source the file or folder of the model
     * @param model what it holds
     * @param tensors the new numbers of some parameters
     * @param inputs that outputs are compared on
     * @param storing how it is written
     * @return with nothing written yet
     */
    public static ModelTransform of(
            Path source,
            Model model,
            SequencedMap<String, Numbers> tensors,
            List<Map<String, double[]>> inputs,
            Storing storing) {
        return new ModelTransform(source, model, tensors, inputs, storing);
    }

    private CheckpointEdit edit(LongConsumer watcher) {
        CheckpointEdit edit = Checkpoint.edit(source);
        for (Map.Entry<String, Numbers> tensor : tensors.entrySet()) {
            int count = model.parameter(tensor.getKey()).shape().count();
            edit = edit.with(tensor.getKey(), count, (from, target, at, some) -> {
                tensor.getValue().read(from, target, at, some);
                watcher.accept(some);
            });
        }
        edit = storing.wide ? edit.widened() : edit;
        return storing.untied ? edit.untied() : edit;
    }

    /**
     * Picks the tensors that change by more than rounding.
     *
     * @param model as it was
     * @param tensors by name, row-major
     * @return some of them
     */
    public static SequencedMap<String, Numbers> changed(Model model, Map<String, double[]> tensors) {
        SequencedMap<String, Numbers> changed = new LinkedHashMap<>();
        tensors.forEach((name, numbers) -> {
            double[] own = model.numbers(name);
            double largest = Arrays.stream(own).map(Math::abs).max().orElse(0);
            if (IntStream.range(0, own.length).anyMatch(i -> Math.abs(numbers[i] - own[i]) > ROUNDING * largest)) {
                changed.put(name, Numbers.of(numbers));
            }
        });
        return changed;
    }

    /** {@return how much the outputs change before anything is rounded, in float64, relative to the largest output} */
    public double before() {
        return before;
    }

    /**
     * Says which weights will change, after rounding to their types, and writes nothing.
     *
     * @return as {@link #write} would
     * @throws IOException when the source cannot be read
     * @throws IllegalArgumentException when a number is beyond its type
     */
    public EditReport report() throws IOException {
        return edit(_ -> {}).report();
    }

    /**
     * Writes, whole or not at all.
     *
     * @param target the new file
     * @param watcher is told now and then how many more numbers were written
     * @return which weights changed
     * @throws IOException when a file cannot be read or written
     * @throws IllegalArgumentException when a number is beyond its type; nothing is written then
     */
    public EditReport save(Path target, LongConsumer watcher) throws IOException {
        return edit(watcher).saveAs(target);
    }

    /**
     * Writes, whole or not at all, and measures what the file computes.
     *
     * @param bindings the sizes with which the model was opened
     * @param reading how the model was read
     * @param tokens of a text, at most
     * @param target the new file
     * @param watcher is told now and then how many more numbers were written
     * @return what was written
     * @throws IOException when a file cannot be read or written
     * @throws IllegalArgumentException when a number is beyond its type; nothing is written then
     */
    public Written write(Bindings bindings, StoredModel.Reading reading, int tokens, Path target, LongConsumer watcher)
            throws IOException {
        EditReport report = save(target, watcher);
        try (StoredModel written = StoredModel.openForAny(target, bindings, reading, tokens)) {
            return new Written(report, outputs.change(written.model()));
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
        return new OutputComparison(one, inputs).change(other);
    }

    /**
     * Measures what a narrow type would do to a model: every weight that a product reads is rounded, with a scale for each of its output
     * channels; tables, biases and norms are not.
     *
     * @param exact a model
     * @param model the same function, whose weights are rounded
     * @param kind the type
     * @param inputs of both
     * @return the norm of the change of the outputs over the norm of the outputs, in float64
     * @throws IllegalArgumentException when there is no such weight
     */
    public static double roundingChange(
            Model exact, Model model, WeightGrid.Kind kind, List<Map<String, double[]>> inputs) {
        Map<String, Numbers> rounded = new LinkedHashMap<>();
        Map<String, Integer> axes = OutputChannels.axes(model);
        if (axes.isEmpty()) {
            throw new IllegalArgumentException(
                    "no weight that a product reads has its output channels along one axis of a stored tensor, so that nothing is rounded; leave out --rounding");
        }
        axes.forEach((name, axis) -> {
            Value weight = model.parameter(name);
            Numbers numbers = ((Leaf) weight.operation()).numbers();
            rounded.put(name, new RoundedTensor(numbers, weight.shape(), axis, kind));
        });
        Model narrow = model.reading(rounded);
        double change = 0;
        double size = 0;
        for (Map<String, double[]> input : inputs) {
            SequencedMap<String, double[]> after = narrow.run(Precision.FLOAT64, input);
            for (Map.Entry<String, double[]> output :
                    exact.run(Precision.FLOAT64, input).entrySet()) {
                double[] own = output.getValue();
                double[] other = after.get(output.getKey());
                for (int i = 0; i < own.length; i++) {
                    double difference = other == null ? Double.NaN : other[i] - own[i];
                    change += difference * difference;
                    size += own[i] * own[i];
                }
            }
        }
        return Math.sqrt(change / size);
    }
}
