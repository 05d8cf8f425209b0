package org.isoloss.evaluation;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/** Batches of vectors, one a row. */
final class Rows {
    private Rows() {}

    /** One below the other; all of the same width. */
    static Matrix stacked(Matrix... parts) {
        int columns = parts[0].columns();
        int rows = Arrays.stream(parts).mapToInt(Matrix::rows).sum();
        Matrix stacked = Matrix.zeros(rows, columns);
        int at = 0;
        for (Matrix part : parts) {
            System.arraycopy(part.entries(), 0, stacked.entries(), at, part.entries().length);
            at += part.entries().length;
        }
        return stacked;
    }

    /** The i-th part of equal parts that were stacked. */
    static Matrix part(Matrix stacked, int index, int rows) {
        return stacked.rows(index * rows, (index + 1) * rows);
    }

    /** Every row of {@code count} copies of one vector. */
    static Matrix repeated(double[] vector, int count) {
        Matrix copies = Matrix.zeros(count, vector.length);
        for (int row = 0; row < count; row++) {
            System.arraycopy(vector, 0, copies.entries(), row * vector.length, vector.length);
        }
        return copies;
    }

    /** Writes one row; {@code rows} is modified. */
    static void set(Matrix rows, int row, double[] vector) {
        System.arraycopy(vector, 0, rows.entries(), row * rows.columns(), rows.columns());
    }

    /** The norm of each row in the given unit. */
    static double[] norms(Matrix rows, double unit) {
        double[] norms = new double[rows.rows()];
        for (int row = 0; row < norms.length; row++) {
            double sum = 0;
            for (int i = row * rows.columns(); i < (row + 1) * rows.columns(); i++) {
                double entry = rows.entries()[i] / unit;
                sum += entry * entry;
            }
            norms[row] = Math.sqrt(sum);
        }
        return norms;
    }

    /** The distance of each row of one batch from the same row of another, in the given unit. */
    static double[] distances(Matrix from, Matrix to, double unit) {
        return norms(to.minus(from), unit);
    }

    static boolean isFinite(Matrix rows, int row) {
        for (int i = row * rows.columns(); i < (row + 1) * rows.columns(); i++) {
            if (!Double.isFinite(rows.entries()[i])) {
                return false;
            }
        }
        return true;
    }
}
