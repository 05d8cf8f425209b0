package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/** Linear conditions on a vector, one a row, of which only what they say together is kept. */
final class RowStack {
    private final int columns;
    private final List<Matrix> blocks = new ArrayList<>();
    private int rows;

    RowStack(int columns) {
        this.columns = columns;
    }

    /** Adds conditions. */
    RowStack add(Matrix conditions) {
        blocks.add(conditions);
        rows += conditions.rows();
        if (rows > 4 * columns + 64) {
            Matrix kept = condensed(stacked());
            blocks.clear();
            blocks.add(kept);
            rows = kept.rows();
        }
        return this;
    }

    /** As few rows as there are columns that say the same. */
    static Matrix condensed(Matrix conditions) {
        if (conditions.rows() <= conditions.columns()) {
            return conditions;
        }
        Svd svd = Svd.of(conditions);
        Matrix kept = svd.right().transpose();
        double[] singular = svd.singularValues();
        for (int i = 0; i < kept.rows(); i++) {
            for (int j = 0; j < kept.columns(); j++) {
                kept.set(i, j, kept.get(i, j) * singular[i]);
            }
        }
        return kept;
    }

    private Matrix stacked() {
        Matrix all = Matrix.zeros(rows, columns);
        int at = 0;
        for (Matrix block : blocks) {
            System.arraycopy(block.entries(), 0, all.entries(), at, block.entries().length);
            at += block.entries().length;
        }
        return all;
    }

    /** How many singular values of the conditions are above a bound. */
    int rank(double bound) {
        return (int) Arrays.stream(Svd.valuesOf(stacked()))
                .filter(singular -> singular > bound)
                .count();
    }

    /**
     * Finds the vectors that meet the conditions.
     *
     * @param bound how large a condition may be on a vector of length 1 that meets it
     * @return orthonormal columns
     */
    Matrix kernel(double bound) {
        Matrix all = stacked();
        if (all.frobeniusNorm() <= bound) {
            return Matrix.identity(columns);
        }
        Svd svd = Svd.of(all);
        double[] singular = svd.singularValues();
        int rank = 0;
        while (rank < singular.length && singular[rank] > bound) {
            rank++;
        }
        if (rank == 0) {
            return Matrix.identity(columns);
        }
        return svd.nullSpace(Math.max(bound, rank < singular.length ? singular[rank] : 0) / singular[0] * (1 + 1e-9));
    }
}
