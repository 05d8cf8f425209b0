package org.isoloss.symmetry;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;

/** An affine map of the channels of a value. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Affine(Matrix matrix, double[] shift) {
    static Affine identity(int width) {
        return new Affine(Matrix.identity(width), new double[width]);
    }

    /** The first n columns are the matrix, the last the shift. */
    static Affine of(Matrix map) {
        int n = map.rows();
        Matrix matrix = Matrix.zeros(n, n);
        double[] shift = new double[n];
        for (int i = 0; i < n; i++) {
            System.arraycopy(map.entries(), i * (n + 1), matrix.entries(), i * n, n);
            shift[i] = map.get(i, n);
        }
        return new Affine(matrix, shift);
    }

    /** Maps one value a row. */
    Matrix applied(Matrix rows) {
        Matrix moved = rows.times(matrix.transpose());
        for (int i = 0; i < moved.entries().length; i++) {
            moved.entries()[i] += shift[i % shift.length];
        }
        return moved;
    }

    boolean isIdentity() {
        return matrix.minus(Matrix.identity(shift.length)).largestMagnitude() == 0
                && Arrays.stream(shift).allMatch(c -> c == 0);
    }

    /** The affine map that a map near the identity, shape (n, n + 1), leads to. */
    static Affine exponential(Matrix map) {
        int n = map.rows();
        Matrix square = Matrix.zeros(n + 1, n + 1);
        System.arraycopy(map.entries(), 0, square.entries(), 0, n * (n + 1));
        return of(MatrixExponential.of(square).rows(0, n));
    }
}
