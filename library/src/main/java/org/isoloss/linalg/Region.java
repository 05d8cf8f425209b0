package org.isoloss.linalg;

/**
 * Where a row-major matrix lies in an array.
 *
 * @param name how messages call the array
 * @param offset index of the first entry
 * @param stride entries from one row to the next
 * @param rows number of rows
 * @param columns number of columns
 */
record Region(String name, int offset, int stride, int rows, int columns) {
    /** Returns this region if an array of that length holds it; native code would not check. */
    Region in(int length) {
        if (stride < Math.max(1, columns)) {
            throw new IllegalArgumentException("Blas.gemm: %s has row stride %d, expected at least its columns, %d"
                    .formatted(name, stride, Math.max(1, columns)));
        }
        if (offset < 0 || end() > length) {
            throw new IllegalArgumentException(
                    "Blas.gemm: %s is (%d, %d) with row stride %d from index %d, so it ends at %d; the array has %d entries"
                            .formatted(name, rows, columns, stride, offset, end(), length));
        }
        return this;
    }

    private long end() {
        return rows == 0 || columns == 0 ? offset : offset + (rows - 1L) * stride + columns;
    }

    /** Whether two regions of one array share an entry; regions of different strides count as sharing all between. */
    boolean touches(Region other) {
        if (end() == offset || other.end() == other.offset || end() <= other.offset || other.end() <= offset) {
            return false;
        }
        if (stride != other.stride) {
            return true;
        }
        // two blocks of columns of one matrix interleave without touching
        int apart = Math.floorMod(other.offset - offset, stride);
        return apart < columns || apart + other.columns > stride;
    }
}
