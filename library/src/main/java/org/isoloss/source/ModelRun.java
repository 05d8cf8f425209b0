package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** What a model computes for given inputs. */
public final class ModelRun {
    private final SequencedMap<String, Output> outputs = new LinkedHashMap<>();
    private final Precision precision;
    private final List<String> notes;

    private record Output(Dimensions shape, Numbers held, boolean whole) {
        double[] numbers() {
            return held.asFloat64();
        }
    }

    private ModelRun(Precision precision, List<String> notes) {
        this.precision = precision;
        this.notes = notes;
    }

    /**
     * Opens a model with the shapes of its data, and computes.
     *
     * @param file the model
     * @param data an array for each input, by its name; a single one for a single input under any name
     * @param array which of the arrays the single input is; null when there is no choice
     * @param bindings sizes of axes that no data bind
     * @param precision of all numbers
     * @return the outputs
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when the model or the data are not what they should be, in one line
     */
    public static ModelRun of(
            Path file, NamedArrays data, @Nullable String array, Bindings bindings, Precision precision)
            throws IOException {
        NamedArrays named = named(file, data, array);
        try (StoredModel opened = StoredModel.open(file, named.bind(bindings))) {
            var run = new ModelRun(precision, opened.notes());
            SequencedMap<String, Value> outputs = opened.model().outputs();
            opened.model().run(precision, named.all()).forEach((name, numbers) -> {
                Dimensions shape = Objects.requireNonNull(outputs.get(name)).shape();
                run.outputs.put(name, new Output(shape, () -> numbers, opened.isWhole(name)));
            });
            return run;
        }
    }

    /**
     * Gives arrays the names of a model's inputs.
     *
     * @param file the model
     * @param data an array for each input, by its name; a single one for a single input under any name
     * @param array which of the arrays the single input is; null when there is no choice
     * @return by names of inputs
     * @throws IOException when the file cannot be read
     */
    public static NamedArrays named(Path file, NamedArrays data, @Nullable String array) throws IOException {
        List<String> inputs = StoredModel.inputs(file);
        if (array != null) {
            if (inputs.size() != 1) {
                throw new IllegalArgumentException("%s has the inputs %s; one array is for a model with one input"
                        .formatted(file, String.join(", ", inputs)));
            }
            return data.only(array, inputs.getFirst());
        }
        return inputs.size() == 1 && data.names().size() == 1
                ? data.only(data.names().getFirst(), inputs.getFirst())
                : data;
    }

    /** {@return what is worth saying about the file, one line each} */
    public List<String> notes() {
        return notes;
    }

    /** {@return the outputs with their shapes, one line each} */
    public List<String> lines() {
        return outputs.entrySet().stream()
                .map(output ->
                        "%s %s".formatted(output.getKey(), output.getValue().shape()))
                .toList();
    }

    /**
     * Writes the outputs by name: floats in the precision of the run, whole numbers and truth values as i8.
     *
     * @param target an npz file
     * @throws IOException when it cannot be written
     */
    public void save(Path target) throws IOException {
        var writer = new NpzWriter();
        for (Map.Entry<String, Output> entry : outputs.entrySet()) {
            Output output = entry.getValue();
            var shape = new Shape(
                    output.shape.sizes().stream().map(Integer::longValue).toList());
            if (output.whole) {
                long[] wholes = new long[output.numbers().length];
                for (int i = 0; i < wholes.length; i++) {
                    wholes[i] = (long) output.numbers()[i];
                }
                writer.add(entry.getKey(), shape, wholes);
            } else if (precision == Precision.FLOAT64) {
                writer.add(entry.getKey(), shape, output.numbers());
            } else {
                float[] narrow = new float[output.numbers().length];
                for (int i = 0; i < narrow.length; i++) {
                    narrow[i] = (float) output.numbers()[i];
                }
                writer.add(entry.getKey(), shape, narrow);
            }
        }
        writer.saveTo(target);
    }

    /**
     * Compares with what another program computed.
     *
     * @param expected an array for some of the outputs, by name; a single one for a single output under any name
     * @param tolerance largest difference of an entry, relative to the output's largest magnitude
     * @return one line for each output that is compared
     * @throws IllegalArgumentException when one differs, with the first place and the largest difference
     */
    public List<String> confirm(NamedArrays expected, double tolerance) {
        NamedArrays named = outputs.size() == 1 && expected.names().size() == 1
                ? expected.only(
                        expected.names().getFirst(), outputs.firstEntry().getKey())
                : expected;
        List<String> lines = new ArrayList<>();
        for (String name : named.names()) {
            Output output = outputs.get(name);
            if (output == null) {
                throw new IllegalArgumentException(
                        "the model has no output '%s'; it has %s".formatted(name, String.join(", ", outputs.keySet())));
            }
            lines.add(confirm(name, output, named, tolerance));
        }
        return lines;
    }

    private static String confirm(String name, Output output, NamedArrays expected, double tolerance) {
        double[] wanted = expected.numbers(name);
        if (!output.shape.sizes().equals(expected.sizes(name))) {
            throw new IllegalArgumentException(
                    "output '%s' has shape %s, but %s is expected".formatted(name, output.shape, expected.sizes(name)));
        }
        double scale = 0;
        for (double number : wanted) {
            scale = Double.isFinite(number) ? Math.max(scale, Math.abs(number)) : scale;
        }
        int first = -1;
        double largest = 0;
        for (int i = 0; i < wanted.length; i++) {
            double difference = difference(output.numbers()[i], wanted[i]);
            largest = Math.max(largest, difference);
            if (first < 0 && !(difference <= tolerance * scale)) {
                first = i;
            }
        }
        double share = scale == 0 ? largest : largest / scale;
        if (first >= 0) {
            throw new IllegalArgumentException(
                    "output '%s' differs first at %s: %s, expected %s; largest difference %.2e, %.1e of its largest magnitude; tolerance %s"
                            .formatted(
                                    name,
                                    place(output.shape, first),
                                    output.numbers()[first],
                                    wanted[first],
                                    largest,
                                    share,
                                    tolerance));
        }
        return "output '%s' agrees: largest difference %.1e of its largest magnitude".formatted(name, share);
    }

    /** How far two numbers are apart; two infinities of one sign, or two that are none, not at all. */
    private static double difference(double computed, double wanted) {
        if (computed == wanted || (Double.isNaN(computed) && Double.isNaN(wanted))) {
            return 0;
        }
        double difference = Math.abs(computed - wanted);
        return Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference;
    }

    private static List<Integer> place(Dimensions shape, int index) {
        List<Integer> place = new ArrayList<>();
        int[] strides = shape.strides();
        for (int axis = 0; axis < strides.length; axis++) {
            place.add(index / strides[axis] % shape.size(axis));
        }
        return place;
    }
}
