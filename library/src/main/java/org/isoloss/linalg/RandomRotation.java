package org.isoloss.linalg;

import java.util.SplittableRandom;

/** Rotations and reflections drawn from the uniform distribution. */
public final class RandomRotation {
    private RandomRotation() {}

    /**
     * Draws the factor Q of a matrix of normal numbers, with signs that make R's diagonal positive.
     *
     * @param n rows and columns
     * @param fixesOnes whether it keeps the vector of ones, and is uniform in what is left
     * @param random source of the numbers; advanced
     * @return shape (n, n), orthogonal to rounding
     * @see "Mezzadri, How to generate random matrices from the classical compact groups (2007)"
     */
    public static Matrix drawn(int n, boolean fixesOnes, SplittableRandom random) {
        if (!fixesOnes) {
            return uniform(n, random);
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
        return Matrix.over(n, n, rows);
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
}
