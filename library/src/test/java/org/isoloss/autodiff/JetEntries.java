package org.isoloss.autodiff;

/**
 * A tensor of values and tangents, and which entries belong to which of them.
 *
 * @param kinds as {@link Jet#valueRow}
 * @param width 0 where each value or tangent is a row, otherwise the columns of each
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record JetEntries(Tensor tensor, int[] kinds, int width) {
    /** The entries of one value or tangent, row by row. */
    int[] of(int row) {
        int columns = tensor.columns();
        if (width == 0) {
            return Graph.range(row * columns, (row + 1) * columns);
        }
        int[] entries = new int[tensor.rows() * width];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = i / width * columns + row * width + i % width;
        }
        return entries;
    }

    /** Marks the entries of all tangents. */
    boolean[] tangents() {
        boolean[] tangents = new boolean[tensor.size()];
        for (int row = 0; row < kinds.length; row++) {
            for (int entry : of(row)) {
                tangents[entry] = kinds[row] >= 0;
            }
        }
        return tangents;
    }
}
