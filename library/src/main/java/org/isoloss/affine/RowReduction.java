package org.isoloss.affine;

import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;

/** Replaces many rows by as many as there are columns, by an orthogonal map: singular values and right vectors stay. */
final class RowReduction {
    /** Up to this many entries are factored at once. */
    private static final int SMALL = 4_000_000;

    private RowReduction() {}

    /**
     * Reduces a tall matrix by QR factorisations of a few times as many rows as columns.
     *
     * @param matrix shape (m, n), finite; not modified
     * @return at most 2 n rows with the same {@code A^T A} up to rounding
     */
    static Matrix of(Matrix matrix) {
        int n = matrix.columns();
        Matrix rows = matrix;
        while (rows.rows() > 2 * n) {
            int taken = Math.min(rows.rows(), Math.max(4 * n, SMALL / n));
            Matrix triangle = triangle(rows.rows(0, taken));
            Matrix next = Matrix.zeros(n + rows.rows() - taken, n);
            System.arraycopy(triangle.entries(), 0, next.entries(), 0, n * n);
            System.arraycopy(rows.entries(), taken * n, next.entries(), n * n, (rows.rows() - taken) * n);
            rows = next;
        }
        return rows;
    }

    /** The triangular factor with its columns in the order of the matrix. */
    private static Matrix triangle(Matrix block) {
        PivotedQr factors = PivotedQr.of(block);
        Matrix r = factors.r();
        int[] pivots = factors.pivots();
        Matrix ordered = Matrix.zeros(r.rows(), r.columns());
        for (int i = 0; i < r.rows(); i++) {
            for (int j = i; j < r.columns(); j++) {
                ordered.set(i, pivots[j], r.get(i, j));
            }
        }
        return ordered;
    }
}
