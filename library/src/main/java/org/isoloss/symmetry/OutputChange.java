package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;

/** How much the outputs of a model change, on some inputs, with its parameters. */
final class OutputChange {
    /** On so many samples most changes show already. */
    private static final int FEW = 8;

    private final Moving moving;
    private final SampleDerivatives few;
    private final SampleDerivatives all;
    private final double[] before;
    /** The largest number of the output that each number of a sample belongs to. */
    private final double[] sizes;

    /**
     * Computes the outputs as they are.
     *
     * @param moving the parameters
     * @param samples inputs on which outputs are compared
     */
    OutputChange(Moving moving, List<Map<String, double[]>> samples) {
        this.moving = moving;
        List<Value> outputs = List.copyOf(moving.model().outputs().values());
        this.few = new SampleDerivatives(moving, outputs, samples.subList(0, Math.min(FEW, samples.size())));
        this.all = samples.size() <= FEW ? few : new SampleDerivatives(moving, outputs, samples);
        this.before = outputs(moving.origin());
        this.sizes = sizes(outputs);
    }

    private double[] sizes(List<Value> outputs) {
        int count = outputs.stream().mapToInt(output -> output.shape().count()).sum();
        double[] sizes = new double[count];
        int from = 0;
        for (Value output : outputs) {
            int to = from + output.shape().count();
            double largest = 0;
            for (int i = 0; i < before.length; i++) {
                largest = i % count >= from && i % count < to ? Math.max(largest, Math.abs(before[i])) : largest;
            }
            Arrays.fill(sizes, from, to, largest);
            from = to;
        }
        return sizes;
    }

    /** All outputs on all samples. */
    double[] outputs(double[] parameters) {
        return all.values(parameters);
    }

    /**
     * How much the outputs change, each relative to its largest number, on a few samples where that is not exact already; infinite where
     * they are no numbers.
     */
    double of(double[] parameters) {
        double change = change(few.values(parameters));
        return all == few || change > Symmetries.EXACT ? change : change(outputs(parameters));
    }

    /** The same, of all outputs on all samples. */
    double ofAll(double[] parameters) {
        return change(outputs(parameters));
    }

    private double change(double[] after) {
        double largest = 0;
        for (int i = 0; i < after.length; i++) {
            double of = sizes[i % sizes.length];
            double change = Math.abs(after[i] - before[i]) / (of == 0 ? 1 : of);
            largest = Double.isNaN(change) ? Double.POSITIVE_INFINITY : Math.max(largest, change);
        }
        return largest;
    }

    /** Whether parameters are others than the model's own, beyond rounding. */
    boolean isMoved(double[] parameters) {
        double[] own = moving.origin();
        double largest = 0;
        double moved = 0;
        for (int i = 0; i < own.length; i++) {
            largest = Math.max(largest, Math.abs(own[i]));
            moved = Math.max(moved, Math.abs(parameters[i] - own[i]));
        }
        return moved > 1e-6 * largest;
    }
}
