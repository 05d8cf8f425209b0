package org.isoloss.stream;

import java.util.SplittableRandom;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Orthonormal;

/** A rotation by its matrix. */
record DenseRotation(Matrix matrix) implements Rotation {
    /**
     * Draws a rotation from the uniform distribution, that of the factor Q of a matrix of normal numbers with signs that make R's
     * diagonal positive.
     *
     * @param n the number of channels
     * @param fixesOnes whether it keeps the vector of ones, and is uniform in what is left
     * @param random source of the numbers; advanced
     * @return shape (n, n)
     * @see "Mezzadri, How to generate random matrices from the classical compact groups (2007)"
     */
    static DenseRotation drawn(int n, boolean fixesOnes, SplittableRandom random) {
        if (!fixesOnes) {
            return new DenseRotation(uniform(n, random));
        }
        Matrix rest = uniform(n - 1, random);
        Matrix square = Matrix.identity(n);
        for (int i = 1; i < n; i++) {
            for (int j = 1; j < n; j++) {
                square.set(i, j, rest.get(i - 1, j - 1));
            }
        }
        double[] entries = square.transpose().entries(); // columns as rows
        OnesReflection.apply(entries, n, n);
        double[] rows = Matrix.over(n, n, entries).transpose().entries();
        OnesReflection.apply(rows, n, n);
        return new DenseRotation(Matrix.over(n, n, rows));
    }

    private static Matrix uniform(int n, SplittableRandom random) {
        Matrix normal = Matrix.zeros(n, n);
        for (int i = 0; i < n * n; i++) {
            normal.entries()[i] = random.nextGaussian();
        }
        Matrix basis = Orthonormal.basis(normal);
        for (int column = 0; column < n; column++) {
            double along = 0; // the sign of R's diagonal
            for (int row = 0; row < n; row++) {
                along += basis.get(row, column) * normal.get(row, column);
            }
            for (int row = 0; along < 0 && row < n; row++) {
                basis.set(row, column, -basis.get(row, column));
            }
        }
        return basis;
    }

    @Override
    public int width() {
        return matrix.rows();
    }

    @Override
    public void turn(double[] rows, int count, boolean back) {
        Matrix given = Matrix.over(count, width(), java.util.Arrays.copyOf(rows, count * width()));
        double[] turned = Blas.gemm(given, false, matrix, !back).entries();
        System.arraycopy(turned, 0, rows, 0, turned.length);
    }
}
