package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.isoloss.model.Value;

/**
 * The order of equal things of a network by how large their weights are: those of the first tensor on the way, largest first;
 * things that are equal there by the next tensor, and so on.
 */
final class UnitOrder {
    /** Norms that differ by less, relative to the larger, are equal. */
    static final double EQUAL = 1e-6;
    /** Norms that differ by less may change places by rounding. */
    static final double NEAR = 1e-5;

    private final List<double[]> norms = new ArrayList<>();
    private double gap = 1;

    /**
     * Measures the things.
     *
     * @param things for each of them, for each value its channels
     * @param channels which parameters they multiply
     * @param parameters numbers
     * @param ranks for each parameter when its tensor is first used, from 0
     */
    UnitOrder(List<? extends Map<Value, int[]>> things, WeightChannels channels, double[] parameters, int[] ranks) {
        int tensors = Arrays.stream(ranks).max().orElse(-1) + 1;
        for (Map<Value, int[]> thing : things) {
            double[] squares = new double[tensors];
            thing.forEach((value, own) -> {
                for (int channel : own) {
                    channels.of(value, channel)
                            .forEach(entry -> squares[ranks[entry.place()]] +=
                                    parameters[entry.place()] * parameters[entry.place()]);
                }
            });
            norms.add(Arrays.stream(squares).map(Math::sqrt).toArray());
        }
    }

    /** {@return for each place the thing that comes there} */
    int[] order() {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < norms.size(); i++) {
            all.add(i);
        }
        List<Integer> sorted = sorted(all, 0);
        return sorted.stream().mapToInt(Integer::intValue).toArray();
    }

    private List<Integer> sorted(List<Integer> some, int tensor) {
        if (some.size() < 2) {
            return some;
        }
        if (tensor == norms.getFirst().length) {
            gap = 0;
            return some;
        }
        List<Integer> ordered = new ArrayList<>(some);
        ordered.sort(Comparator.comparingDouble(thing -> -norms.get(thing)[tensor]));
        List<Integer> sorted = new ArrayList<>();
        List<Integer> equal = new ArrayList<>();
        for (int thing : ordered) {
            if (!equal.isEmpty()) {
                double larger = norms.get(equal.getLast())[tensor];
                double own = larger == 0 ? 0 : (larger - norms.get(thing)[tensor]) / larger;
                if (own > EQUAL) {
                    gap = Math.min(gap, own);
                    sorted.addAll(sorted(equal, tensor + 1));
                    equal = new ArrayList<>();
                }
            }
            equal.add(thing);
        }
        sorted.addAll(sorted(equal, tensor + 1));
        return sorted;
    }

    /** The least relative difference of two norms that decided, after {@link #order}; 0 where nothing tells two things apart. */
    double gap() {
        return gap;
    }
}
