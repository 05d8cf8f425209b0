package org.isoloss.basis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.isoloss.model.FreeShift;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** What shifts may add to weights, which is left out of sight while changes of basis are fitted. */
final class HiddenShifts {
    private final Map<String, List<Free>> free = new HashMap<>();
    private final Set<String> shifted = new HashSet<>();

    HiddenShifts(Collection<FreeShift> shifts) {
        for (FreeShift shift : shifts) {
            shifted.addAll(shift.tensors());
            freed(shift)
                    .forEach((tensor, one) ->
                            free.computeIfAbsent(tensor, _ -> new ArrayList<>()).add(one));
        }
    }

    /**
     * What shifts may add to a tensor along an axis: anything times a vector.
     *
     * @param axis of the tensor
     * @param factors over which the vector has 1; null where it is ones
     */
    private record Free(int axis, @Nullable Value factors) {}

    private static Map<String, Free> freed(FreeShift shift) {
        return switch (shift) {
            case FreeShift.Written written -> Map.of(written.tensor(), new Free(written.axis(), null));
            case FreeShift.Read read -> Map.of(read.tensor(), new Free(read.axis(), read.factors()));
            case FreeShift.Balanced balanced -> {
                Map<String, Free> all = new HashMap<>();
                balanced.turned()
                        .forEach((tensor, turned) -> all.put(tensor, new Free(turned.axis(), turned.factors())));
                if (balanced.places().isEmpty()) {
                    all.put(balanced.tensor(), new Free(0, null)); // the same to all rows of a table
                }
                balanced.absorbed().keySet().forEach(tensor -> all.putIfAbsent(tensor, new Free(0, null)));
                yield all;
            }
            case FreeShift.Entries _, FreeShift.Opposed _ -> Map.of();
        };
    }

    /** Whether a shift changes a tensor. */
    boolean changes(String tensor) {
        return shifted.contains(tensor);
    }

    /**
     * Takes out of a weight with two axes or more what shifts may add to it.
     *
     * @param tensor the parameter behind it
     * @param weight of the model
     * @param numbers of the weight; modified
     * @param factors the numbers of a weight that multiplies channels
     */
    void project(String tensor, Value weight, double[] numbers, Function<Value, double[]> factors) {
        if (weight.shape().rank() < 2) {
            return;
        }
        for (Free one : free.getOrDefault(tensor, List.of())) {
            double[] vector = new double[weight.shape().size(one.axis)];
            Arrays.fill(vector, 1);
            if (one.factors != null) {
                double[] by = factors.apply(one.factors);
                Arrays.setAll(vector, i -> 1 / by[i]);
            }
            project(numbers, weight.shape().strides()[one.axis], vector);
        }
    }

    /** Takes a vector out of all lines along an axis. */
    private static void project(double[] numbers, int stride, double[] vector) {
        int size = vector.length;
        double square = Arrays.stream(vector).map(x -> x * x).sum();
        for (int line = 0; line < numbers.length / size; line++) {
            int begin = line / stride * stride * size + line % stride;
            double product = 0;
            for (int i = 0; i < size; i++) {
                product += vector[i] * numbers[begin + i * stride] / square;
            }
            for (int i = 0; i < size; i++) {
                numbers[begin + i * stride] -= product * vector[i];
            }
        }
    }
}
