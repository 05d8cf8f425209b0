package org.isoloss.affine;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.PivotedQr;
import org.isoloss.linalg.Svd;

/**
 * A matrix with its columns multiplied by powers of 1024 and its rows brought to norm 1, so that ranks do not depend on the
 * units of either. Zero rows and zero columns stay. Columns whose size is within a factor 32 of the others' stay too.
 *
 * @see "van der Sluis, Condition numbers and equilibration of matrices, Numer. Math. 14 (1969)"
 */
final class Equilibration {
    private static final int STEP = 1; // binary digits
    private static final int MOST_PASSES = 4;

    private final int[] exponents;
    private final Matrix rows;
    private final double[] rowNorms;

    private Equilibration(int[] exponents, Matrix rows, double[] rowNorms) {
        this.exponents = exponents;
        this.rows = rows;
        this.rowNorms = rowNorms;
    }

    /**
     * Scales a matrix.
     *
     * @param matrix shape (m, n), finite; not modified
     */
    static Equilibration of(Matrix matrix) {
        return of(matrix, new int[matrix.columns()]);
    }

    /**
     * Scales a matrix whose columns have known units.
     *
     * @param matrix shape (m, n), finite; not modified
     * @param units binary exponents by which the columns are multiplied to begin with, rounded to multiples of 10; not
     *     modified
     */
    static Equilibration of(Matrix matrix, int[] units) {
        int[] exponents = Arrays.stream(units)
                .map(unit -> STEP * Math.round((float) unit / STEP))
                .toArray();
        Equilibration scaled = rowsScaled(matrix, exponents);
        for (int pass = 0; pass < MOST_PASSES; pass++) {
            int[] more = scaled.corrections();
            if (Arrays.stream(more).allMatch(correction -> correction == 0)) {
                break;
            }
            int[] before = scaled.exponents;
            scaled = rowsScaled(
                    matrix,
                    IntStream.range(0, more.length)
                            .map(j -> before[j] + more[j])
                            .toArray());
        }
        return scaled;
    }

    private static Equilibration rowsScaled(Matrix matrix, int[] exponents) {
        int n = matrix.columns();
        Matrix rows = Matrix.zeros(matrix.rows(), n);
        double[] norms = new double[matrix.rows()];
        double[] row = new double[n];
        for (int i = 0; i < rows.rows(); i++) {
            System.arraycopy(matrix.entries(), i * n, row, 0, n);
            norms[i] = normalise(row, exponents);
            System.arraycopy(row, 0, rows.entries(), i * n, n);
        }
        return new Equilibration(exponents, rows, norms);
    }

    /**
     * Multiplies each entry by its power of two and the whole by what brings it to norm 1.
     *
     * @param vector modified; stays 0 where it is 0
     * @return the norm by which it was divided, infinite where that overflows
     */
    private static double normalise(double[] vector, int[] exponents) {
        int largest = Integer.MIN_VALUE;
        for (int j = 0; j < vector.length; j++) {
            if (vector[j] != 0) {
                largest = Math.max(largest, Math.getExponent(vector[j]) + exponents[j]);
            }
        }
        if (largest == Integer.MIN_VALUE) {
            return 1;
        }
        double squares = 0;
        for (int j = 0; j < vector.length; j++) { // the largest exponent goes first, so that nothing overflows
            vector[j] = Math.scalb(vector[j], exponents[j] - largest);
            squares += vector[j] * vector[j];
        }
        double norm = Math.sqrt(squares);
        for (int j = 0; j < vector.length; j++) {
            vector[j] /= norm;
        }
        return Math.scalb(norm, largest);
    }

    /** Powers of 1024 that bring the root mean square of every column nearest to that of a unit row's entries. */
    private int[] corrections() {
        int n = rows.columns();
        double[] squares = new double[n];
        for (int i = 0; i < rows.rows(); i++) {
            for (int j = 0; j < n; j++) {
                double entry = rows.get(i, j);
                squares[j] += entry * entry;
            }
        }
        return Arrays.stream(squares)
                .mapToInt(sum -> sum == 0
                        ? 0
                        : (int) (STEP
                                * Math.rint(-Math.log(Math.sqrt(sum * n / Math.max(1, rows.rows())))
                                        / (STEP * Math.log(2)))))
                .toArray();
    }

    /** The scaled matrix. */
    Matrix rows() {
        return rows;
    }

    /** Another matrix of the same shape, scaled as this one was: with its columns and row by row. */
    Matrix alike(Matrix other) {
        Matrix scaled = Matrix.zeros(other.rows(), other.columns());
        for (int i = 0; i < other.rows(); i++) {
            for (int j = 0; j < other.columns(); j++) {
                scaled.set(i, j, Math.scalb(other.get(i, j) / rowNorms[i], exponents[j]));
            }
        }
        return scaled;
    }

    /** At most 2 n rows with the same singular values and right singular vectors. */
    Matrix reduced() {
        return RowReduction.of(rows);
    }

    /** The number of singular values of the scaled matrix above a threshold, relative to the largest. */
    int rank(double threshold) {
        double[] values = Svd.valuesOf(reduced());
        return (int) Arrays.stream(values)
                .filter(value -> value > threshold * values[0])
                .count();
    }

    /** Directions that the matrix takes to 0, one a column, each of norm 1 in its own coordinates. */
    Matrix nullSpace(double threshold) {
        Matrix scaled = Svd.of(reduced()).nullSpace(threshold);
        return unitColumns(scaled, exponents);
    }

    /** The solution of least norm, in the scaled coordinates, of matrix times x = b. */
    Matrix solve(Matrix b, double threshold) {
        Matrix right = b.copy();
        for (int i = 0; i < right.rows(); i++) {
            for (int k = 0; k < right.columns(); k++) {
                right.set(i, k, right.get(i, k) / rowNorms[i]);
            }
        }
        Matrix x = LeastSquares.of(rows, right, threshold).solution();
        for (int j = 0; j < x.rows(); j++) {
            for (int k = 0; k < x.columns(); k++) {
                x.set(j, k, Math.scalb(x.get(j, k), exponents[j]));
            }
        }
        return x;
    }

    /** Directions in the scaled coordinates, of norm 1 there; directions that are 0 stay 0. */
    Matrix scaled(Matrix directions) {
        return unitColumns(
                directions, Arrays.stream(exponents).map(exponent -> -exponent).toArray());
    }

    private static Matrix unitColumns(Matrix columns, int[] exponents) {
        Matrix result = Matrix.zeros(columns.rows(), columns.columns());
        for (int k = 0; k < columns.columns(); k++) {
            double[] column = columns.column(k);
            normalise(column, exponents);
            for (int j = 0; j < column.length; j++) {
                result.set(j, k, column[j]);
            }
        }
        return result;
    }

    /**
     * Carries a space back to the coordinates of the matrix. Parameters of large units come first in a factorisation that is
     * stable column by column, so that small ones keep their digits beside them.
     *
     * @param basis shape (n, k), independent columns in the scaled coordinates; not modified
     * @return shape (n, k), columns orthonormal; the basis itself where no column was scaled
     */
    Matrix original(Matrix basis) {
        if (basis.columns() == 0 || Arrays.stream(exponents).allMatch(exponent -> exponent == 0)) {
            return basis;
        }
        int largest = Arrays.stream(exponents).max().orElseThrow();
        Matrix transposed = Matrix.zeros(basis.columns(), basis.rows());
        for (int j = 0; j < basis.rows(); j++) {
            for (int k = 0; k < basis.columns(); k++) {
                transposed.set(k, j, Math.scalb(basis.get(j, k), exponents[j] - largest));
            }
        }
        PivotedQr factors = PivotedQr.of(transposed);
        Matrix r = factors.r();
        int[] pivots = factors.pivots();
        Matrix columns = Matrix.zeros(basis.rows(), basis.columns());
        for (int k = 0; k < r.rows(); k++) {
            double[] row = r.row(k);
            normalise(row, new int[row.length]);
            for (int j = 0; j < row.length; j++) {
                columns.set(pivots[j], k, row[j]);
            }
        }
        return Svd.of(columns).left();
    }
}
