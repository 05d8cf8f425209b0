package org.isoloss.linalg;

/**
 * Where a matrix lies in an array, row by row.
 *
 * @param offset index of its first entry
 * @param stride entries from one stored row to the next
 * @param transposed whether its rows are stored as columns
 */
public record Placement(int offset, int stride, boolean transposed) {
    /** {@return where the transpose lies: there} */
    public Placement transpose() {
        return new Placement(offset, stride, !transposed);
    }

    /**
     * Returns where a part of the matrix lies.
     *
     * @param row the first of the part
     * @param column the first of the part
     * @return its placement
     */
    public Placement part(int row, int column) {
        return new Placement(at(row, column), stride, transposed);
    }

    /** The entries that a matrix takes up, as they are stored. */
    Region region(String name, int rows, int columns) {
        return transposed
                ? new Region(name, offset, stride, columns, rows)
                : new Region(name, offset, stride, rows, columns);
    }

    /** Returns the index of an entry. */
    int at(int row, int column) {
        return transposed ? offset + column * stride + row : offset + row * stride + column;
    }
}
