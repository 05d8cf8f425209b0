package org.isoloss.autodiff;

/**
 * A matrix in a {@link Graph}: a handle without numbers, which a {@link Program} fills. Rows are contiguous, so a range
 * of rows and any regrouping of rows and columns is a view of the same memory.
 */
public final class Tensor {
    private final Storage storage;
    private final int start;
    private final int rows;
    private final int columns;

    Tensor(Storage storage, int start, int rows, int columns) {
        this.storage = storage;
        this.start = start;
        this.rows = rows;
        this.columns = columns;
    }

    /** {@return the number of rows, at least 1} */
    public int rows() {
        return rows;
    }

    /** {@return the number of columns, at least 1} */
    public int columns() {
        return columns;
    }

    /** {@return the number of entries, {@code rows * columns}} */
    public int size() {
        return rows * columns;
    }

    /**
     * Returns a view of consecutive rows.
     *
     * @param from first row
     * @param to one past the last row
     * @return shape (to - from, columns), the same memory
     */
    public Tensor rows(int from, int to) {
        if (from < 0 || to > rows || from >= to) {
            throw new IllegalArgumentException("Tensor.rows: rows %d to %d of %d asked for".formatted(from, to, rows));
        }
        return new Tensor(storage, start + from * columns, to - from, columns);
    }

    /**
     * Returns a view of the same entries in the same order as another shape.
     *
     * @param newRows at least 1
     * @param newColumns at least 1, with {@code newRows * newColumns} equal to {@link #size}
     * @return shape (newRows, newColumns), the same memory
     */
    public Tensor shaped(int newRows, int newColumns) {
        if (newRows * newColumns != size()) {
            throw new IllegalArgumentException("Tensor.shaped: (%d, %d) has %d entries, (%d, %d) has %d"
                    .formatted(rows, columns, size(), newRows, newColumns, newRows * newColumns));
        }
        return new Tensor(storage, start, newRows, newColumns);
    }

    /** Whether a gradient flows into this tensor. */
    boolean differentiable() {
        return storage.differentiable;
    }

    Storage storage() {
        return storage;
    }

    /** Whether the view covers all of its storage. */
    boolean whole() {
        return size() == storage.size;
    }

    /** Where the tensor begins in the arrays of a program. */
    int offset() {
        return storage.offset + start;
    }

    int end() {
        return offset() + size();
    }

    @Override
    public String toString() {
        return "(" + rows + ", " + columns + ")";
    }
}
