package org.isoloss.network;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;

/**
 * What the moving part of a compensation site sees of a protected batch, a set of k inputs: for each input the sum of the moving
 * unit as it is and as an affine function of its coordinates D, {@code offset_i + D r_i}, the input itself, and the features of the compensating
 * units. The inputs are put in an order of their own, so that a batch and its permutations give the same bits.
 */
public final class BatchView {
    private final Matrix outputs;
    private final Matrix rest;
    private final Matrix offsets;
    private final Matrix directions;
    private final Matrix inputs;
    private final CompensatorFeatures features;

    private BatchView(Matrix outputs, Matrix rest, Matrix offsets, Matrix directions, Matrix inputs, Matrix features) {
        int[] order = IntStream.range(0, inputs.rows())
                .boxed()
                .sorted((i, j) -> Arrays.compare(inputs.row(i), inputs.row(j)))
                .mapToInt(Integer::intValue)
                .toArray();
        this.outputs = rows(outputs, order);
        this.rest = rows(rest, order);
        this.offsets = rows(offsets, order);
        this.directions = rows(directions, order);
        this.inputs = rows(inputs, order);
        this.features = CompensatorFeatures.of(rows(features, order).transpose(), "BatchView");
    }

    /**
     * Takes what a site sees.
     *
     * @param coordinates of a site with one moving row
     * @return the batch of the site in these coordinates
     * @throws IllegalArgumentException when several rows move: several units, or gate and up projection
     */
    public static BatchView of(SiteCoordinates coordinates) {
        CompensationSite site = coordinates.site();
        requireOneRow(site.block(), site.moving());
        int moving = site.moving()[0];
        double[] origin = coordinates.origin();
        return new BatchView(
                norms(coordinates.outputs(Matrix.of(1, origin.length, origin)), site.inputCount()),
                site.block().incoming(moving).times(site.augmentedInputs()).transpose(),
                coordinates.offset().transpose(),
                coordinates.inputs().transpose(),
                site.augmentedInputs().transpose(),
                site.features().matrix().transpose());
    }

    /** Takes a batch without the site, which costs less: the same numbers up to rounding. */
    static BatchView of(SiteBlock block, Matrix batch, int moving, int[] compensators, boolean reduced) {
        Matrix augmented = block.augmented(batch);
        Matrix inputs = augmented.transpose();
        Matrix features = block.features(augmented, compensators).transpose();
        Matrix rest = inputs.times(block.incoming(moving).transpose());
        Matrix outputs = block.features(augmented, moving)
                .transpose()
                .times(block.outgoing(moving).transpose());
        if (!reduced) {
            outputs.add(features.times(block.outgoing(compensators).transpose()));
            return new BatchView(
                    norms(outputs, batch.rows()), rest, Matrix.zeros(batch.rows(), 1), inputs, inputs, features);
        }
        OrthonormalBasis visible = OrthonormalBasis.of(augmented, "BatchView: every input of the batch is zero");
        return new BatchView(
                norms(outputs, batch.rows()), rest, rest, visible.r().transpose(), inputs, features);
    }

    /** The norms of outputs that are flattened input by input, shape (inputs, 1). */
    private static Matrix norms(Matrix outputs, int inputs) {
        Matrix byInput = Matrix.over(inputs, outputs.entries().length / inputs, outputs.entries());
        Matrix norms = Matrix.zeros(inputs, 1);
        Arrays.setAll(norms.entries(), i -> byInput.rows(i, i + 1).frobeniusNorm());
        return norms;
    }

    /** Refuses a site in which several rows of incoming weights move. */
    static void requireOneRow(SiteBlock block, int... moving) {
        if (!(block instanceof TwoLayerBlock) || moving.length != 1) {
            throw new IllegalArgumentException(
                    "BatchView: an action for many batches takes a block without a gate and one moving unit, got %s and %d moving; use action: displacement there"
                            .formatted(block instanceof TwoLayerBlock ? "no gate" : "a gate", moving.length));
        }
    }

    private static Matrix rows(Matrix matrix, int... order) {
        Matrix rows = Matrix.zeros(order.length, matrix.columns());
        for (int i = 0; i < order.length; i++) {
            System.arraycopy(matrix.row(order[i]), 0, rows.entries(), i * matrix.columns(), matrix.columns());
        }
        return rows;
    }

    /**
     * Makes a view of the numbers of {@link #table}.
     *
     * @param table shape (k, 3 + q + n + k); not modified
     * @param visible q, the number of coordinates in D
     * @return the view
     */
    public static BatchView ofTable(Matrix table, int visible) {
        int count = table.rows();
        int seen = table.columns() - 3 - visible - count;
        return new BatchView(
                columns(table, 0, 1),
                columns(table, 1, 1),
                columns(table, 2, 1),
                columns(table, 3, visible),
                columns(table, 3 + visible, seen),
                columns(table, 3 + visible + seen, count));
    }

    private static Matrix columns(Matrix table, int from, int count) {
        Matrix part = Matrix.zeros(table.rows(), count);
        for (int row = 0; row < table.rows(); row++) {
            System.arraycopy(table.row(row), from, part.entries(), row * count, count);
        }
        return part;
    }

    /** {@return all numbers, one input a row: norm of the output and sum at the site's own weights and where D is zero, r, the input, the features of the compensating units; shape (k, 3 + q + n + k)} */
    public Matrix table() {
        int visible = directions.columns();
        int seen = inputs.columns();
        Matrix table = Matrix.zeros(inputCount(), 3 + visible + seen + inputCount());
        Matrix byInput = features.matrix().transpose();
        for (int i = 0; i < inputCount(); i++) {
            int at = i * table.columns();
            table.entries()[at] = outputs.get(i, 0);
            table.entries()[at + 1] = rest.get(i, 0);
            table.entries()[at + 2] = offsets.get(i, 0);
            System.arraycopy(directions.row(i), 0, table.entries(), at + 3, visible);
            System.arraycopy(inputs.row(i), 0, table.entries(), at + 3 + visible, seen);
            System.arraycopy(byInput.row(i), 0, table.entries(), at + 3 + visible + seen, inputCount());
        }
        return table;
    }

    /** {@return the number of inputs, k, at least 1} */
    public int inputCount() {
        return inputs.rows();
    }

    /** {@return the norm of what the site gives on the whole batch at its own weights, at least 0; in reduced coordinates what the moving unit gives} */
    public double outputScale() {
        return outputs.frobeniusNorm();
    }

    /** {@return the sums at the site's own weights, shape (k, 1); not to be modified} */
    public Matrix rest() {
        return rest;
    }

    /** {@return the sums where D is zero, shape (k, 1); not to be modified} */
    public Matrix offsets() {
        return offsets;
    }

    /** {@return the factors r_i of D in the sums, shape (k, q); not to be modified} */
    public Matrix directions() {
        return directions;
    }

    /** {@return the inputs as the incoming weights take them, shape (k, n or n + 1); not to be modified} */
    public Matrix inputs() {
        return inputs;
    }

    /** {@return the features of the compensating units, their columns in the order of the inputs here} */
    public CompensatorFeatures features() {
        return features;
    }
}
