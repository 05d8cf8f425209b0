package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.isoloss.autodiff.Precision;

/** The outputs of a model on some inputs, in float64, to which those of other models are compared. */
public final class OutputComparison {
    private final List<Map<String, double[]>> inputs;
    private final List<SequencedMap<String, double[]>> before = new ArrayList<>();
    private final double size;

    /**
     * Computes the outputs.
     *
     * @param model any
     * @param inputs one after the other, the numbers of every input
     */
    public OutputComparison(Model model, List<Map<String, double[]>> inputs) {
        this.inputs = List.copyOf(inputs);
        double largest = 0;
        for (Map<String, double[]> input : inputs) {
            SequencedMap<String, double[]> outputs = model.run(Precision.FLOAT64, input);
            before.add(outputs);
            for (double[] output : outputs.values()) {
                for (double number : output) {
                    largest = Math.max(largest, Math.abs(number));
                }
            }
        }
        this.size = largest;
    }

    /** {@return the inputs} */
    public List<Map<String, double[]>> inputs() {
        return inputs;
    }

    /**
     * Measures how much the outputs of another model differ.
     *
     * @param other with outputs of the same names
     * @return the largest difference, relative to the largest output of the first model; infinite where it is no number, or an output
     *     is missing
     */
    public double change(Model other) {
        double largest = 0;
        for (int i = 0; i < inputs.size(); i++) {
            SequencedMap<String, double[]> after = other.run(Precision.FLOAT64, inputs.get(i));
            for (Map.Entry<String, double[]> output : before.get(i).entrySet()) {
                double[] own = output.getValue();
                double[] moved = after.get(output.getKey());
                if (moved == null || moved.length != own.length) {
                    return Double.POSITIVE_INFINITY;
                }
                for (int at = 0; at < own.length; at++) {
                    double change = Math.abs(moved[at] - own[at]);
                    largest = Double.isNaN(change) ? Double.POSITIVE_INFINITY : Math.max(largest, change);
                }
            }
        }
        return size == 0 ? largest : largest / size;
    }
}
