package org.isoloss.stream;

import java.util.SplittableRandom;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.RandomRotation;

/** A rotation by its matrix. */
record DenseRotation(Matrix matrix) implements Rotation {
    /**
     * Draws a rotation from the uniform distribution.
     *
     * @param n the number of channels
     * @param fixesOnes whether it keeps the vector of ones, and is uniform in what is left
     * @param random source of the numbers; advanced
     * @return shape (n, n)
     */
    static DenseRotation drawn(int n, boolean fixesOnes, SplittableRandom random) {
        return new DenseRotation(RandomRotation.drawn(n, fixesOnes, random));
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
