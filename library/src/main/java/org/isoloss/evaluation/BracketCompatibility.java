package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.action.FieldDerivative;
import org.isoloss.lie.NumericalClosure;
import org.isoloss.linalg.Matrix;

/**
 * Whether the fields of an action have the brackets of its generators, up to the sign of a left action:
 * {@code [v_1, v_2] = -v_[1,2]} (equations {@code eq:generator-bracket-compatibility} and
 * {@code eq:generator-bracket-coordinates} of the paper). The residual of each point is
 *
 * <pre>
 *   ||D v_1[v_2] - D v_2[v_1] - v_[h_1,h_2]|| / (||D v_1[v_2]|| + ||D v_2[v_1]|| + ||v_[h_1,h_2]||)
 * </pre>
 *
 * <p>This is necessary, not sufficient: fields may fit while the finite map does not compose.
 *
 * @param points number of points
 * @param pairs each pair of generators
 */
public record BracketCompatibility(int points, List<Pair> pairs) {
    /**
     * The residuals of two generators.
     *
     * @param first from 1
     * @param second from 1, greater than {@code first}
     * @param residuals one a point, in [0, 1]; NaN where something is not finite
     */
    public record Pair(int first, int second, List<Double> residuals) {
        /** Keeps a list of its own. */
        public Pair {
            residuals = List.copyOf(residuals);
        }

        /**
         * Summarises the residuals.
         *
         * @return their quantiles, NaN counting as larger than everything
         */
        public Quantiles quantiles() {
            return Quantiles.of(
                    residuals.stream().mapToDouble(Double::doubleValue).toArray());
        }
    }

    /** Keeps a list of its own. */
    public BracketCompatibility {
        pairs = List.copyOf(pairs);
    }

    /**
     * Measures the residuals at given points.
     *
     * @param action with at least two generators
     * @param points theta, shape (n, p), n at least 1; not modified
     * @return the residual of each pair at each point
     */
    public static BracketCompatibility at(FieldDerivative action, Matrix points) {
        int count = action.generators().count();
        if (count < 2) {
            throw new IllegalArgumentException(
                    "BracketCompatibility: the action has %d generator, expected at least two to bracket"
                            .formatted(count));
        }
        List<Pair> pairs = new ArrayList<>();
        for (int first = 0; first < count; first++) {
            for (int second = first + 1; second < count; second++) {
                double[] residuals = residuals(
                        action,
                        action.generators().get(first),
                        action.generators().get(second),
                        points);
                pairs.add(new Pair(
                        first + 1, second + 1, Arrays.stream(residuals).boxed().toList()));
            }
        }
        return new BracketCompatibility(points.rows(), pairs);
    }

    private static double[] residuals(FieldDerivative action, Matrix h1, Matrix h2, Matrix points) {
        Matrix first = Rows.repeated(h1.entries(), points.rows());
        Matrix second = Rows.repeated(h2.entries(), points.rows());
        Matrix bracket = Rows.repeated(NumericalClosure.bracket(h1, h2).entries(), points.rows());
        Matrix firstAlongSecond = action.fieldDerivative(first, points, action.field(second, points));
        Matrix secondAlongFirst = action.fieldDerivative(second, points, action.field(first, points));
        Matrix expected = action.field(bracket, points);
        double[] sizes = CellSamples.sum(
                CellSamples.sum(Rows.norms(firstAlongSecond, 1), Rows.norms(secondAlongFirst, 1)),
                Rows.norms(expected, 1));
        return CellSamples.relative(
                Rows.norms(firstAlongSecond.minus(secondAlongFirst).minus(expected), 1), sizes);
    }

    /** {@return the largest residual: of all pairs and points; NaN where one is NaN} */
    public double largest() {
        return pairs.stream().mapToDouble(pair -> pair.quantiles().max()).reduce(0, Math::max);
    }

    /**
     * Tells whether the brackets fit at every point.
     *
     * @param tolerance the largest residual that counts as none, positive
     * @return false for NaN too
     */
    public boolean holds(double tolerance) {
        return largest() <= tolerance;
    }
}
