package org.isoloss.affine;

import org.isoloss.linalg.Matrix;

/** A field {@code A theta + b} in float64, by the coefficients of one block of unknowns; all others are 0. */
final class FieldEstimate {
    private final Grading.Block block;
    private final double[] coefficients;

    private FieldEstimate(Grading.Block block, double[] coefficients) {
        this.block = block;
        this.coefficients = coefficients;
    }

    /** Divides by the Frobenius norm of {@code [A b]}. */
    static FieldEstimate normalising(Grading.Block block, double[] coefficients) {
        double norm = Matrix.over(1, coefficients.length, coefficients).frobeniusNorm();
        double[] unit = new double[coefficients.length];
        for (int j = 0; j < unit.length; j++) {
            unit[j] = coefficients[j] / norm;
        }
        return new FieldEstimate(block, unit);
    }

    int size() {
        return coefficients.length;
    }

    /** The unknown {@code a (p + 1) + b} of a coefficient. */
    int unknown(int index) {
        return block.unknown(index);
    }

    double coefficient(int index) {
        return coefficients[index];
    }

    Grading.Block block() {
        return block;
    }
}
