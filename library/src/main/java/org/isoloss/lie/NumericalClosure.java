package org.isoloss.lie;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;

/**
 * The Lie algebra that matrices of floating-point numbers generate: their span, enlarged by brackets until it is closed.
 * {@link LieAlgebra} does the same exactly, for rational matrices.
 */
public final class NumericalClosure {
    /** A bracket of orthonormal matrices counts as new when at least this much of it is outside the span. */
    public static final double TOLERANCE = 1e-8;

    private NumericalClosure() {}

    /**
     * Closes the span of generators under brackets.
     *
     * @param generators of a matrix group
     * @return a Frobenius-orthonormal basis of the generated algebra; the first matrices span the generators
     */
    public static List<Matrix> of(Generators generators) {
        List<Matrix> basis = new ArrayList<>();
        Generators units = generators.normalised();
        for (int i = 0; i < units.count(); i++) {
            add(basis, units.get(i));
        }
        for (int i = 0; i < basis.size(); i++) {
            for (int j = 0; j < i; j++) {
                add(basis, bracket(basis.get(j), basis.get(i)));
            }
        }
        return List.copyOf(basis);
    }

    /**
     * Returns the bracket of two matrices.
     *
     * @param left a, square; not modified
     * @param right b, of the same size; not modified
     * @return {@code a b - b a}
     */
    public static Matrix bracket(Matrix left, Matrix right) {
        return left.times(right).minus(right.times(left));
    }

    /** Adds what of a matrix is outside the span; twice, because one orthogonalisation leaves rounding behind. */
    private static void add(List<Matrix> basis, Matrix matrix) {
        Matrix outside = matrix;
        for (int pass = 0; pass < 2; pass++) {
            for (Matrix element : basis) {
                outside = outside.minus(element.scaled(inner(element, outside)));
            }
        }
        double norm = outside.frobeniusNorm();
        if (norm > TOLERANCE) {
            basis.add(outside.scaled(1 / norm));
        }
    }

    private static double inner(Matrix left, Matrix right) {
        double sum = 0;
        for (int i = 0; i < left.entries().length; i++) {
            sum += left.entries()[i] * right.entries()[i];
        }
        return sum;
    }
}
