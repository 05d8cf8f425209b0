package org.isoloss.symmetry;

import org.isoloss.linalg.Matrix;

/**
 * The reduced column echelon form of a space: a basis that depends on the space alone, whose vectors have few entries that are not
 * zero. Spaces that are equal up to rounding have nearly equal bases.
 */
final class Echelon {
    /** Entries of orthonormal vectors below this are no pivots: they would make too much of rounding. */
    private static final double PIVOT = 1e-7;
    /** Entries of the result below this are what rounding left of zeros. */
    private static final double ZERO = 1e-9;

    private Echelon() {}

    /**
     * Computes the form.
     *
     * @param orthonormal columns
     * @return as many columns, which span the same; the first entry that is not zero of each is 1, and 0 in all others
     */
    static Matrix of(Matrix orthonormal) {
        Matrix rows = orthonormal.transpose();
        int count = rows.rows();
        int length = rows.columns();
        for (int rank = 0, column = 0; rank < count && column < length; column++) {
            int pivot = rank;
            for (int row = rank; row < count; row++) {
                pivot = Math.abs(rows.get(row, column)) > Math.abs(rows.get(pivot, column)) ? row : pivot;
            }
            if (Math.abs(rows.get(pivot, column)) <= PIVOT) {
                for (int row = rank; row < count; row++) {
                    rows.set(row, column, 0);
                }
                continue;
            }
            exchange(rows, rank, pivot);
            double first = rows.get(rank, column);
            for (int j = 0; j < length; j++) {
                rows.set(rank, j, rows.get(rank, j) / first);
            }
            for (int row = 0; row < count; row++) {
                double factor = rows.get(row, column);
                for (int j = 0; row != rank && factor != 0 && j < length; j++) {
                    double left = rows.get(row, j) - factor * rows.get(rank, j);
                    rows.set(row, j, j == column ? 0 : left);
                }
            }
            rank++;
        }
        for (int i = 0; i < rows.entries().length; i++) {
            if (Math.abs(rows.entries()[i]) <= ZERO) {
                rows.entries()[i] = 0;
            }
        }
        return rows.transpose();
    }

    private static void exchange(Matrix rows, int left, int right) {
        for (int j = 0; j < rows.columns(); j++) {
            double kept = rows.get(left, j);
            rows.set(left, j, rows.get(right, j));
            rows.set(right, j, kept);
        }
    }
}
