package org.isoloss.evaluation;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/** Rows of which those that are not finite are replaced by zeros, which every function takes, and what was replaced. */
final class MaskedRows {
    private final Matrix rows;
    private final boolean[] broken;
    private final boolean any;

    private MaskedRows(Matrix rows, boolean[] broken, boolean any) {
        this.rows = rows;
        this.broken = broken;
        this.any = any;
    }

    static MaskedRows of(Matrix rows) {
        boolean[] broken = new boolean[rows.rows()];
        boolean any = false;
        for (int row = 0; row < broken.length; row++) {
            broken[row] = !Rows.isFinite(rows, row);
            any |= broken[row];
        }
        Matrix finite = any ? rows.copy() : rows;
        fill(finite, broken, 0);
        return new MaskedRows(finite, broken, any);
    }

    /** All of them finite. */
    Matrix rows() {
        return rows;
    }

    /** Results with NaN where the row was replaced; row i belongs to row i mod n. */
    Matrix marked(Matrix results) {
        if (!any) {
            return results;
        }
        Matrix marked = results.copy();
        fill(marked, broken, Double.NaN);
        return marked;
    }

    private static void fill(Matrix rows, boolean[] chosen, double value) {
        for (int row = 0; row < rows.rows(); row++) {
            if (chosen[row % chosen.length]) {
                Arrays.fill(rows.entries(), row * rows.columns(), (row + 1) * rows.columns(), value);
            }
        }
    }
}
