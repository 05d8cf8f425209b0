package org.isoloss.model;

import java.util.List;

/**
 * Entries of values of a model that are to be kept.
 *
 * @param parts each value once, in the order of computation
 */
public record Boundary(List<Part> parts) {
    /** Keeps its own list. */
    public Boundary {
        parts = List.copyOf(parts);
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
    }

    /** {@return how many entries there are} */
    public int size() {
        return parts.stream().mapToInt(part -> part.entries().size()).sum();
    }
}
