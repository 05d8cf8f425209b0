package org.isoloss.network;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Which parameters of a network move, in a stated order; the others stay as they are. The moving ones, in that order,
 * are the reduced vector.
 */
public final class Support {
    private final int fullSize;
    private final int[] indices;

    private Support(int fullSize, int[] indices) {
        if (indices.length == 0) {
            throw new IllegalArgumentException("Support: no parameter is selected, expected at least one");
        }
        boolean[] seen = new boolean[fullSize];
        for (int index : indices) {
            if (index < 0 || index >= fullSize) {
                throw new IllegalArgumentException(
                        "Support: index %d is outside the %d parameters of the network".formatted(index, fullSize));
            }
            if (seen[index]) {
                throw new IllegalArgumentException("Support: parameter %d is selected twice".formatted(index));
            }
            seen[index] = true;
        }
        this.fullSize = fullSize;
        this.indices = indices;
    }

    /**
     * Selects every parameter, in the order of the layout.
     *
     * @param layout the network's parameters
     * @return the support
     */
    public static Support all(ParameterLayout layout) {
        return new Support(layout.size(), IntStream.range(0, layout.size()).toArray());
    }

    /**
     * Selects whole tensors, in the order given.
     *
     * @param layout the network's parameters
     * @param names for example {@code 0.weight} and {@code 4.weight}
     * @return the support
     */
    public static Support tensors(ParameterLayout layout, String... names) {
        return new Support(
                layout.size(),
                Arrays.stream(names)
                        .map(layout::entry)
                        .flatMapToInt(entry -> IntStream.range(entry.offset(), entry.offset() + entry.size()))
                        .toArray());
    }

    /**
     * Selects rows of a tensor, one after the other: what enters units. A row of a bias is one entry.
     *
     * @param layout the network's parameters
     * @param name of a weight or a bias
     * @param rows from 0, in the order wanted
     * @return the support
     */
    public static Support rows(ParameterLayout layout, String name, int... rows) {
        ParameterLayout.Entry entry = layout.entry(name);
        return new Support(
                layout.size(),
                Arrays.stream(rows)
                        .flatMap(row -> IntStream.range(0, entry.columns()).map(column -> entry.index(row, column)))
                        .toArray());
    }

    /**
     * Selects columns of a tensor, row by row: what leaves units.
     *
     * @param layout the network's parameters
     * @param name of a weight
     * @param columns from 0, in the order wanted within each row
     * @return the support: the selected entries of row 0, then those of row 1, ...
     */
    public static Support columns(ParameterLayout layout, String name, int... columns) {
        ParameterLayout.Entry entry = layout.entry(name);
        return new Support(
                layout.size(),
                IntStream.range(0, entry.rows())
                        .flatMap(row -> Arrays.stream(columns).map(column -> entry.index(row, column)))
                        .toArray());
    }

    /**
     * Selects single parameters.
     *
     * @param layout the network's parameters
     * @param indices places in the parameter vector, in the order wanted; copied
     * @return the support
     */
    public static Support indices(ParameterLayout layout, int... indices) {
        return new Support(layout.size(), indices.clone());
    }

    /**
     * Selects everything incident to units of one hidden layer: their incoming rows, their biases where the layer has
     * them, and their outgoing columns.
     *
     * @param layout the network's parameters
     * @param hiddenLayer from 0, below the number of layers less one
     * @param units from 0
     * @return the support, in that order
     */
    public static Support units(ParameterLayout layout, int hiddenLayer, int... units) {
        if (hiddenLayer < 0 || hiddenLayer >= layout.layerCount() - 1) {
            throw new IllegalArgumentException("hidden layer %d does not exist: the network has %d hidden layers"
                    .formatted(hiddenLayer, layout.layerCount() - 1));
        }
        Support incoming = rows(layout, layout.weight(hiddenLayer).name(), units);
        Support withBias = layout.bias(hiddenLayer)
                .map(bias -> incoming.and(rows(layout, bias.name(), units)))
                .orElse(incoming);
        return withBias.and(columns(layout, layout.weight(hiddenLayer + 1).name(), units));
    }

    /**
     * Joins two supports of one network; no parameter may be in both.
     *
     * @param other comes after this one
     * @return the union
     */
    public Support and(Support other) {
        if (other.fullSize != fullSize) {
            throw new IllegalArgumentException("Support.and: the supports are of networks with %d and %d parameters"
                    .formatted(fullSize, other.fullSize));
        }
        return new Support(
                fullSize,
                IntStream.concat(Arrays.stream(indices), Arrays.stream(other.indices))
                        .toArray());
    }

    /** {@return the number of moving parameters, at least 1} */
    public int size() {
        return indices.length;
    }

    /** {@return the number of all parameters of the network, at least {@link #size}} */
    public int fullSize() {
        return fullSize;
    }

    /** {@return the places of the moving parameters in the full vector: length {@link #size}, all different; a copy} */
    public int[] indices() {
        return indices.clone();
    }

    /**
     * Reads the moving parameters.
     *
     * @param full length {@link #fullSize}; not modified
     * @return length {@link #size}
     */
    public double[] gather(double[] full) {
        requireFull("gather", full);
        return Arrays.stream(indices).mapToDouble(index -> full[index]).toArray();
    }

    /**
     * Writes the moving parameters into the full vector.
     *
     * @param reduced length {@link #size}; not modified
     * @param full length {@link #fullSize}; the selected entries are modified
     */
    public void scatter(double[] reduced, double[] full) {
        requireFull("scatter", full);
        if (reduced.length != indices.length) {
            throw new IllegalArgumentException("Support.scatter: %d moving parameters given, expected %d"
                    .formatted(reduced.length, indices.length));
        }
        for (int i = 0; i < indices.length; i++) {
            full[indices[i]] = reduced[i];
        }
    }

    private void requireFull(String method, double[] full) {
        if (full.length != fullSize) {
            throw new IllegalArgumentException(
                    "Support.%s: %d parameters given, expected %d".formatted(method, full.length, fullSize));
        }
    }
}
