package org.isoloss.lie;

import java.util.Arrays;
import java.util.Comparator;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * What a Lie algebra is, as far as constants in floating point tell: numbers that do not depend on the basis.
 *
 * @param center dimension of the center
 * @param derived dimension of the derived algebra
 * @param killing inertia of the Killing form
 * @param gap the smallest ratio between what counts and what does not, over the three decisions; infinite where nothing is left out
 */
public record MeasuredStructure(int center, int derived, Inertia killing, double gap) {
    /** Constants, and eigenvalues of the Killing form, at most this times the largest count as zero. */
    public static final double TOLERANCE = 0.05;

    /**
     * Reads the structure off constants.
     *
     * @param constants of a basis of fields or matrices of about one size
     * @param noise constants at most this count as zero, whatever the largest is; at least 0
     * @return the three numbers
     */
    public static MeasuredStructure of(BracketConstants constants, double noise) {
        int r = constants.dimension();
        if (constants.largest() <= noise) {
            return new MeasuredStructure(r, 0, new Inertia(0, 0, r), Double.POSITIVE_INFINITY);
        }
        Matrix adjoint = Matrix.zeros(r * r, r);
        for (int i = 0; i < r; i++) {
            for (int j = 0; j < r; j++) {
                for (int k = 0; k < r; k++) {
                    adjoint.set(j * r + k, i, constants.get(i, j, k));
                }
            }
        }
        Svd center = Svd.of(adjoint);
        Svd derived = Svd.of(constants.pairRows());
        double[] killing = eigenvalues(constants.killingForm());
        // the form is quadratic in the constants, so it vanishes where its size is the square of what counts as zero
        double floor = TOLERANCE * Math.max(Math.abs(killing[0]), constants.largest() * constants.largest());
        int positive = 0;
        int negative = 0;
        for (double eigenvalue : killing) {
            positive += eigenvalue > floor ? 1 : 0;
            negative += eigenvalue < -floor ? 1 : 0;
        }
        double gap = Math.min(Math.abs(center.gap(TOLERANCE)), Math.abs(derived.gap(TOLERANCE)));
        int rank = positive + negative;
        if (rank > 0 && rank < r) {
            gap = Math.min(gap, Math.abs(killing[rank - 1] / killing[rank]));
        }
        return new MeasuredStructure(
                r - center.rank(TOLERANCE), derived.rank(TOLERANCE), new Inertia(positive, negative, r - rank), gap);
    }

    /** Of a symmetric matrix, largest magnitude first: the singular values of the form made positive by a multiple of the identity. */
    private static double[] eigenvalues(Matrix form) {
        double shift = 2 * form.frobeniusNorm();
        Matrix positive = form.plus(Matrix.identity(form.rows()).scaled(shift));
        return Arrays.stream(Svd.valuesOf(positive))
                .mapToObj(value -> value - shift)
                .sorted(Comparator.comparingDouble((Double value) -> Math.abs(value))
                        .reversed())
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    /**
     * {@return whether an exact algebra has the same numbers}
     *
     * @param exact of {@code recover}
     */
    public boolean agrees(AlgebraStructure exact) {
        return center == exact.center() && derived == exact.derived() && killing.equals(exact.killing());
    }
}
