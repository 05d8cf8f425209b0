package org.isoloss.model;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Entries of values of a model, such as those that are to be kept.
 *
 * @param parts each value once, in the order of computation
 */
public record Boundary(List<Part> parts) {
    /** Keeps its own list. */
    public Boundary {
        parts = List.copyOf(parts);
    }

    /** A map of values in the order of computation. */
    static Map<Value, BitSet> byPlace() {
        return new TreeMap<>(Comparator.comparingInt(Value::index));
    }

    static Boundary of(Map<Value, BitSet> entries) {
        List<Part> parts = new ArrayList<>();
        entries.forEach((value, places) ->
                parts.add(new Part(value, places.stream().boxed().toList())));
        return new Boundary(parts);
    }

    /**
     * Entries of one value.
     *
     * @param value of the model
     * @param entries places, row-major and rising
     */
    public record Part(Value value, List<Integer> entries) {
        /** Keeps its own list. */
        public Part {
            entries = List.copyOf(entries);
        }

        /** {@return the entries as NumPy selects them, such as {@code [:, 2, 0:4]}; empty where they are no such selection} */
        public String selection() {
            int[] strides = value.shape().strides();
            List<String> axes = new ArrayList<>();
            long count = 1;
            for (int axis = 0; axis < strides.length; axis++) {
                int stride = strides[axis];
                int size = value.shape().size(axis);
                int[] chosen = entries.stream()
                        .mapToInt(entry -> entry / stride % size)
                        .distinct()
                        .sorted()
                        .toArray();
                int first = chosen[0];
                int end = chosen[chosen.length - 1] + 1;
                if (end - first != chosen.length) {
                    return "";
                }
                count *= chosen.length;
                axes.add(
                        chosen.length == size
                                ? ":"
                                : chosen.length == 1 ? Integer.toString(first) : "%d:%d".formatted(first, end));
            }
            return count == entries.size() ? axes.toString() : "";
        }
    }

    /** {@return how many entries there are} */
    public int size() {
        return parts.stream().mapToInt(part -> part.entries().size()).sum();
    }
}
