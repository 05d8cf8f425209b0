package org.isoloss.symmetry;

import java.util.Arrays;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;

/**
 * A reduced echelon form of a space: a basis that depends on the space alone, whose vectors have few entries that are not zero.
 * Spaces that are equal up to rounding have nearly equal bases. The pivots are those of a QR factorization, so that the basis is
 * well conditioned.
 */
final class Echelon {
    /** Entries below this are what rounding left of zeros. */
    private static final double ZERO = 1e-9;
    /** By so much entries count less the later they come, so that among equal ones the first is the pivot. */
    private static final double LATER = 1e-7;

    private Echelon() {}

    /**
     * Computes the form.
     *
     * @param orthonormal columns
     * @return as many columns, which span the same; each has a pivot, an entry that is 1, and 0 in all others
     */
    static Matrix of(Matrix orthonormal) {
        int count = orthonormal.columns();
        int length = orthonormal.rows();
        if (count == 0) {
            return orthonormal;
        }
        Matrix rows = orthonormal.transpose();
        Matrix weighted = rows.copy();
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < length; j++) {
                weighted.set(i, j, (1 - LATER * j / length) * rows.get(i, j));
            }
        }
        int[] pivots = Arrays.copyOf(PivotedQr.of(weighted).pivots(), count);
        Arrays.sort(pivots);
        Matrix square = Matrix.zeros(count, count);
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
                square.set(i, j, rows.get(i, pivots[j]));
            }
        }
        Matrix form = LinearSolve.of(square).solve(rows);
        for (int i = 0; i < form.entries().length; i++) {
            if (Math.abs(form.entries()[i]) <= ZERO) {
                form.entries()[i] = 0;
            }
        }
        return form.transpose();
    }
}
