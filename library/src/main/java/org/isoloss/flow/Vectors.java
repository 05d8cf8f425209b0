package org.isoloss.flow;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/** Sums and sizes of vectors. */
final class Vectors {
    private Vectors() {}

    /** {@code from + factor * direction}. */
    static double[] moved(double[] from, double factor, double[] direction) {
        double[] moved = from.clone();
        Arrays.setAll(moved, i -> from[i] + factor * direction[i]);
        return moved;
    }

    static double[] difference(double[] left, double[] right) {
        return moved(left, -1, right);
    }

    static double norm(double[] vector) {
        return Matrix.over(1, vector.length, vector).frobeniusNorm();
    }
}
