package org.isoloss.network;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where each tensor of a dense network lies in the flat parameter vector: W1, b1, W2, b2, ... with every weight
 * (out, in) row by row and the absent biases left out. Tensors bear the names of the file that they come from, or else
 * PyTorch's {@code Sequential} names: {@code 0.weight}, {@code 0.bias}, {@code 2.weight}, ..., with an activation module
 * between two layers.
 */
public final class ParameterLayout {
    /**
     * One tensor.
     *
     * @param name unique in the layout
     * @param offset index of its first entry in the parameter vector
     * @param shape (out, in) for a weight, (out) for a bias
     */
    public record Entry(String name, int offset, List<Integer> shape) {
        /** Keeps its own list. */
        public Entry {
            shape = List.copyOf(shape);
        }

        /** {@return the number of rows, the width of the layer's output} */
        public int rows() {
            return shape.getFirst();
        }

        /** {@return the number of columns; a bias is one column; the width of the layer's input, or 1} */
        public int columns() {
            return shape.size() == 1 ? 1 : shape.getLast();
        }

        /** {@return the number of entries, rows times columns} */
        public int size() {
            return rows() * columns();
        }

        /**
         * Returns the place of one entry in the parameter vector.
         *
         * @param row from 0
         * @param column from 0; 0 for a bias
         * @return the index
         */
        public int index(int row, int column) {
            if (row < 0 || row >= rows() || column < 0 || column >= columns()) {
                throw new IllegalArgumentException("%s has no entry (%d, %d): its shape is (%d, %d)"
                        .formatted(name, row, column, rows(), columns()));
            }
            return offset + row * columns() + column;
        }
    }

    private final List<Entry> weights = new ArrayList<>();
    private final List<Optional<Entry>> biases = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private final int size;

    private ParameterLayout(List<Integer> widths, List<Boolean> biased, List<String> names) {
        Iterator<String> name = names.iterator();
        int offset = 0;
        for (int layer = 0; layer < biased.size(); layer++) {
            int out = widths.get(layer + 1);
            Entry weight = new Entry(name.next(), offset, List.of(out, widths.get(layer)));
            offset = Math.addExact(offset, Math.multiplyExact(out, widths.get(layer)));
            weights.add(weight);
            entries.add(weight);
            Optional<Entry> bias =
                    biased.get(layer) ? Optional.of(new Entry(name.next(), offset, List.of(out))) : Optional.empty();
            biases.add(bias);
            bias.ifPresent(entries::add);
            offset = Math.addExact(offset, biased.get(layer) ? out : 0);
        }
        this.size = offset;
    }

    /**
     * Lays out a dense network.
     *
     * @param widths input, hidden and output widths, at least two, each at least 1
     * @param biased for each layer whether it has a bias, one less than the widths
     * @return the layout
     */
    public static ParameterLayout of(List<Integer> widths, List<Boolean> biased) {
        List<String> names = new ArrayList<>();
        for (int layer = 0; layer < biased.size(); layer++) {
            names.add(2 * layer + ".weight");
            if (biased.get(layer)) {
                names.add(2 * layer + ".bias");
            }
        }
        return of(widths, biased, names);
    }

    /**
     * Lays out a dense network whose tensors have names of their own.
     *
     * @param widths as in {@link #of(List, List)}
     * @param biased as in {@link #of(List, List)}
     * @param names of all tensors, layer by layer, a weight before its bias; all different
     * @return the layout
     */
    public static ParameterLayout of(List<Integer> widths, List<Boolean> biased, List<String> names) {
        if (widths.size() < 2
                || biased.size() != widths.size() - 1
                || widths.stream().anyMatch(width -> width < 1)) {
            throw new IllegalArgumentException(
                    "ParameterLayout: widths %s with biases %s; expected at least two positive widths and one bias flag a layer"
                            .formatted(widths, biased));
        }
        long tensors = biased.size() + biased.stream().filter(has -> has).count();
        if (names.size() != tensors || names.stream().distinct().count() != tensors) {
            throw new IllegalArgumentException(
                    "ParameterLayout: %d tensors have the names %s; expected as many, all different"
                            .formatted(tensors, names));
        }
        return new ParameterLayout(widths, biased, names);
    }

    /** {@return the number of parameters, p, at least 1} */
    public int size() {
        return size;
    }

    /** {@return the number of layers, at least 1} */
    public int layerCount() {
        return weights.size();
    }

    /** {@return all tensors by offset, an unmodifiable list} */
    public List<Entry> entries() {
        return List.copyOf(entries);
    }

    /**
     * Finds a tensor.
     *
     * @param name for example {@code 2.weight}
     * @return the tensor of that name
     */
    public Entry entry(String name) {
        return entries.stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no tensor \"%s\"; the network has %s"
                        .formatted(name, entries.stream().map(Entry::name).collect(Collectors.joining(", ")))));
    }

    /**
     * Returns the weight of a layer.
     *
     * @param layer from 0
     * @return shape (out, in)
     */
    public Entry weight(int layer) {
        return weights.get(layer);
    }

    /**
     * Returns the bias of a layer.
     *
     * @param layer from 0
     * @return shape (out), or nothing for a layer without bias
     */
    public Optional<Entry> bias(int layer) {
        return biases.get(layer);
    }
}
