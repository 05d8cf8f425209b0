package org.isoloss.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.isoloss.autodiff.Precision;
import org.jspecify.annotations.Nullable;

/** The outputs of a model on some inputs, in float64, to which those of other models are compared. */
public final class OutputComparison {
    private final List<Map<String, double[]>> inputs;
    private final List<SequencedMap<String, double[]>> before = new ArrayList<>();
    private final SequencedMap<String, Double> sizes = new LinkedHashMap<>();

    /**
     * Computes the outputs.
     *
     * @param model any
     * @param inputs one after the other, the numbers of every input
     */
    public OutputComparison(Model model, List<Map<String, double[]>> inputs) {
        this.inputs = List.copyOf(inputs);
        for (Map<String, double[]> input : inputs) {
            SequencedMap<String, double[]> outputs = model.run(Precision.FLOAT64, input);
            before.add(outputs);
            outputs.forEach((name, numbers) -> {
                for (double number : numbers) {
                    sizes.merge(name, Math.abs(number), Math::max);
                }
            });
        }
    }

    /** {@return the inputs} */
    public List<Map<String, double[]>> inputs() {
        return inputs;
    }

    /**
     * Measures how much the outputs of another model differ.
     *
     * @param other with outputs of the same names
     * @return the largest of {@link #changes}
     */
    public double change(Model other) {
        return changes(other).values().stream()
                .mapToDouble(change -> change)
                .max()
                .orElse(0);
    }

    /**
     * Measures how much each output of another model differs.
     *
     * @param other with outputs of the same names
     * @return the largest difference of each output on any input, relative to the largest number of that output in the first model;
     *     infinite where it is no number, or the output is missing
     */
    public SequencedMap<String, Double> changes(Model other) {
        SequencedMap<String, Double> changes = new LinkedHashMap<>();
        sizes.keySet().forEach(name -> changes.put(name, 0.0));
        for (int i = 0; i < inputs.size(); i++) {
            SequencedMap<String, double[]> after = other.run(Precision.FLOAT64, inputs.get(i));
            before.get(i).forEach((name, own) -> changes.merge(name, relative(own, after.get(name), name), Math::max));
        }
        return changes;
    }

    private double relative(double[] own, double @Nullable [] moved, String name) {
        if (moved == null || moved.length != own.length) {
            return Double.POSITIVE_INFINITY;
        }
        double largest = 0;
        for (int at = 0; at < own.length; at++) {
            double change = Math.abs(moved[at] - own[at]);
            largest = Double.isNaN(change) ? Double.POSITIVE_INFINITY : Math.max(largest, change);
        }
        double size = sizes.getOrDefault(name, 0.0);
        return size == 0 ? largest : largest / size;
    }
}
