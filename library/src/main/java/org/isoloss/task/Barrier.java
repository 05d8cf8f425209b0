package org.isoloss.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import org.isoloss.model.Model;

/**
 * What a network computes on the straight line in the space of parameters between two networks, and how far that is from the
 * straight line between what the two compute.
 *
 * @param points places on the line, 0 at one network, 1 at the other
 * @param outputs at each place the norm of the difference of the outputs from those in between, over the norm of these
 * @param losses at each place the mean cross-entropy of the labels; empty where there are none
 */
public record Barrier(List<Double> points, List<Double> outputs, List<Double> losses) {
    /** How many places are looked at. */
    public static final int POINTS = 25;

    /** Copies the lists. */
    public Barrier {
        points = List.copyOf(points);
        outputs = List.copyOf(outputs);
        losses = List.copyOf(losses);
    }

    /**
     * Walks along the line.
     *
     * @param networks the network at each share of the way
     * @param inputs on which outputs are computed
     * @param labels the class of each input; empty where there are none
     * @return what was met
     * @throws IllegalArgumentException when labels do not fit the outputs
     */
    public static Barrier between(
            DoubleFunction<Model> networks, List<Map<String, double[]>> inputs, List<Integer> labels) {
        double[] first = outputs(networks.apply(0), inputs);
        double[] last = outputs(networks.apply(1), inputs);
        List<Double> points = new ArrayList<>();
        List<Double> changes = new ArrayList<>();
        List<Double> losses = new ArrayList<>();
        for (int i = 0; i < POINTS; i++) {
            double share = i / (POINTS - 1.0);
            double[] own = i == 0 ? first : i == POINTS - 1 ? last : outputs(networks.apply(share), inputs);
            double left = 0;
            double size = 0;
            for (int at = 0; at < own.length; at++) {
                double between = (1 - share) * first[at] + share * last[at];
                left += (own[at] - between) * (own[at] - between);
                size += between * between;
            }
            points.add(share);
            changes.add(Math.sqrt(size == 0 ? left : left / size));
            if (!labels.isEmpty()) {
                losses.add(loss(own, labels));
            }
        }
        return new Barrier(points, changes, losses);
    }

    private static double[] outputs(Model model, List<Map<String, double[]>> inputs) {
        return model.computed(List.copyOf(model.outputs().values()), inputs).stream()
                .flatMapToDouble(Arrays::stream)
                .toArray();
    }

    private static double loss(double[] logits, List<Integer> labels) {
        int classes = logits.length / labels.size();
        if (classes * labels.size() != logits.length
                || labels.stream().anyMatch(label -> label < 0 || label >= classes)) {
            throw new IllegalArgumentException(
                    "a loss needs one logit for each class of each input; there are %d output components for %d labels"
                            .formatted(logits.length, labels.size()));
        }
        double sum = 0;
        for (int row = 0; row < labels.size(); row++) {
            double largest = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < classes; i++) {
                largest = Math.max(largest, logits[row * classes + i]);
            }
            double total = 0;
            for (int i = 0; i < classes; i++) {
                total += Math.exp(logits[row * classes + i] - largest);
            }
            sum += Math.log(total) + largest - logits[row * classes + labels.get(row)];
        }
        return sum / labels.size();
    }

    /** {@return the largest difference of the outputs on the way} */
    public double height() {
        return outputs.stream().mapToDouble(x -> x).max().orElse(0);
    }

    /** {@return the largest excess of the loss over the line between its ends; NaN where there is no loss} */
    public double lossHeight() {
        double largest = losses.isEmpty() ? Double.NaN : 0;
        for (int i = 0; i < losses.size(); i++) {
            double between = (1 - points.get(i)) * losses.getFirst() + points.get(i) * losses.getLast();
            largest = Math.max(largest, losses.get(i) - between);
        }
        return largest;
    }
}
