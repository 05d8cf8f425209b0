package org.isoloss.network;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * The features {@code Z_B = sigma(V_B X)} of k compensating units on k inputs, factored to solve for output weights
 * (equation {@code eq:subnet-output-coordinates} of the paper).
 *
 * <p>To solve, each input's column is scaled to norm 1. The solution is the same, and inputs of very different magnitude
 * no longer spoil the condition number.
 */
public final class CompensatorFeatures {
    /** The largest condition number that is accepted (appendix {@code app:one-generator-setup} of the paper). */
    public static final double LARGEST_CONDITION = 1e4;

    private final Matrix features;
    private final double[] singularValues;
    private final double[] scales;
    private final double scaledCondition;
    private final LinearSolve solve;

    private CompensatorFeatures(Matrix features, double[] singularValues) {
        this.features = features;
        this.singularValues = singularValues;
        this.scales = new double[features.columns()];
        Arrays.setAll(
                scales,
                j -> 1 / Matrix.over(1, features.rows(), features.column(j)).frobeniusNorm());
        Matrix scaled = scaled(features);
        this.scaledCondition = condition(Svd.valuesOf(scaled));
        this.solve = LinearSolve.of(scaled);
    }

    /**
     * Factors the features of compensating units.
     *
     * @param features Z_B, shape (k, k), one unit a row; finite; copied
     * @param where how the message begins when they are refused: what was to be compensated
     * @return the factored features
     * @throws IllegalArgumentException when the condition number is above {@link #LARGEST_CONDITION}
     */
    public static CompensatorFeatures of(Matrix features, String where) {
        if (features.rows() != features.columns()) {
            throw new IllegalArgumentException(
                    "%s: %d compensating units for %d inputs, expected as many units as inputs"
                            .formatted(where, features.rows(), features.columns()));
        }
        double[] singularValues = Svd.valuesOf(features);
        double condition = condition(singularValues);
        if (!(condition <= LARGEST_CONDITION)) {
            throw new IllegalArgumentException(
                    "%s; protect fewer or other inputs".formatted(refusal(singularValues, where)));
        }
        return new CompensatorFeatures(features.copy(), singularValues);
    }

    /** Says that units with these singular values are too dependent; what to do about it is for the caller to add. */
    static String refusal(double[] singularValues, String where) {
        return "%s: the compensating units cannot tell the %d inputs apart: condition %.3g of their features, at most %.0e allowed, singular values %s"
                .formatted(
                        where,
                        singularValues.length,
                        condition(singularValues),
                        LARGEST_CONDITION,
                        listed(singularValues));
    }

    static double condition(double[] singularValues) {
        double least = singularValues[singularValues.length - 1];
        return least == 0 ? Double.POSITIVE_INFINITY : singularValues[0] / least;
    }

    private static String listed(double[] values) {
        return Arrays.stream(values)
                .mapToObj(value -> String.format(Locale.ROOT, "%.3g", value))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** {@return the features: Z_B, shape (k, k); a copy} */
    public Matrix matrix() {
        return features.copy();
    }

    /** {@return the singular values of Z_B: length k, from the largest to the least; a copy} */
    public double[] singularValues() {
        return singularValues.clone();
    }

    /** {@return the condition number of Z_B, from 1 to {@link #LARGEST_CONDITION}} */
    public double condition() {
        return condition(singularValues);
    }

    /**
     * {@return the condition number with each input's column scaled to norm 1, the one that bounds the error of {@link #solve}:
     * at least 1}
     */
    public double scaledCondition() {
        return scaledCondition;
    }

    /**
     * Returns the output weights whose contribution is given: the W with {@code W Z_B = outputs}.
     *
     * @param outputs shape (m, k), finite; not modified
     * @return shape (m, k), relative error of a row about {@link #scaledCondition} times 1e-16
     */
    public Matrix solve(Matrix outputs) {
        return solve.solveTransposed(scaled(outputs).transpose()).transpose();
    }

    private Matrix scaled(Matrix matrix) {
        Matrix scaled = matrix.copy();
        for (int i = 0; i < scaled.rows(); i++) {
            for (int j = 0; j < scaled.columns(); j++) {
                scaled.set(i, j, scaled.get(i, j) * scales[j]);
            }
        }
        return scaled;
    }
}
