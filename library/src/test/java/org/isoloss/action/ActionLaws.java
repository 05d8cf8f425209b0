package org.isoloss.action;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.MatrixExponential;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Target;

/**
 * The laws of a symmetry, each as the largest violation over a batch of random points and words of up to three factors and
 * total length 0.5. Violations are relative to 1 plus the norm of what is compared.
 */
public final class ActionLaws {
    private static final double STEP = Math.cbrt(Math.ulp(1.0));

    private final GroupAction action;
    private final Matrix points;
    private final List<GroupWord> first;
    private final List<GroupWord> second;

    /**
     * Draws the words.
     *
     * @param points shape (n, p), where the laws are tested
     */
    public ActionLaws(GroupAction action, Matrix points, SplittableRandom random) {
        this.action = action;
        this.points = points;
        var sampler = new WordSampler(
                WordDistribution.upTo(0.5, 3), action.generators().count());
        this.first = draws(sampler, random, points.rows());
        this.second = draws(sampler, random, points.rows());
    }

    private static List<GroupWord> draws(WordSampler sampler, SplittableRandom random, int count) {
        return IntStream.range(0, count).mapToObj(i -> sampler.draw(random)).toList();
    }

    /** a(I, theta) = theta. */
    public double identity() {
        Matrix identities = batch(row -> Matrix.identity(size()));
        return violation(action.apply(identities, points), points);
    }

    /** a(g2, a(g1, theta)) = a(g2 g1, theta). */
    public double composition() {
        Matrix twice = action.apply(words(second), action.apply(words(first), points));
        Matrix once = action.apply(batch(row -> element(second.get(row)).times(element(first.get(row)))), points);
        return violation(twice, once);
    }

    /** a(g^-1, a(g, theta)) = theta. */
    public double inverse() {
        Matrix inverses = batch(row -> element(first.get(row).inverse()));
        return violation(action.apply(inverses, action.apply(words(first), points)), points);
    }

    /** D_g a [h g] against the central difference of a(exp(s h) g, theta) by s. */
    public double derivative() {
        Matrix up = action.apply(nudged(STEP), points);
        Matrix down = action.apply(nudged(-STEP), points);
        return violation(
                action.derivative(words(first), transported(), points),
                up.minus(down).scaled(1 / (2 * STEP)));
    }

    private Matrix nudged(double step) {
        return batch(row -> MatrixExponential.of(direction(row).scaled(step)).times(element(first.get(row))));
    }

    /** The field, D_g a at the identity, against the central difference of a(exp(s h), theta) by s. */
    public double field() {
        Matrix up =
                action.apply(batch(row -> MatrixExponential.of(direction(row).scaled(STEP))), points);
        Matrix down =
                action.apply(batch(row -> MatrixExponential.of(direction(row).scaled(-STEP))), points);
        return violation(action.field(directions(), points), up.minus(down).scaled(1 / (2 * STEP)));
    }

    /** D_theta a [w] against the central difference of a(g, theta + s w) by s, where the action has it. */
    public double parameterDerivative() {
        if (!(action instanceof ParameterDerivative differentiable)) {
            return 0;
        }
        Matrix velocities = action.field(directions(), points.scaled(0.7));
        Matrix up = action.apply(words(first), points.plus(velocities.scaled(STEP)));
        Matrix down = action.apply(words(first), points.minus(velocities.scaled(STEP)));
        return violation(
                differentiable.parameterDerivative(words(first), points, velocities),
                up.minus(down).scaled(1 / (2 * STEP)));
    }

    /** D_g a [h g] = v_h(a(g, theta)), equation eq:infinitesimal-action-transport. */
    public double transport() {
        Matrix left = action.derivative(words(first), transported(), points);
        return violation(left, action.field(directions(), action.apply(words(first), points)));
    }

    /** F_X(a(g, theta)) = F_X(theta). */
    public double preservation(Target target) {
        return violation(target.outputs(action.apply(words(first), points)), target.outputs(points));
    }

    /** The least motion of a point under a single generator with coefficient 0.3. */
    public double leastMotion() {
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < action.generators().count(); i++) {
            Matrix element = MatrixExponential.of(action.generators().get(i).scaled(0.3));
            Matrix moved = action.apply(batch(row -> element), points);
            for (int row = 0; row < points.rows(); row++) {
                least = Math.min(least, distance(moved.row(row), points.row(row)));
            }
        }
        return least;
    }

    /** The least singular value of [v_1 .. v_r] over the points: positive when the group acts freely near the identity. */
    public double leastFieldValue() {
        int count = action.generators().count();
        double least = Double.POSITIVE_INFINITY;
        for (int row = 0; row < points.rows(); row++) {
            Matrix fields = Matrix.zeros(count, points.columns());
            for (int i = 0; i < count; i++) {
                double[] field = action.field(
                                Matrix.over(
                                        1,
                                        size() * size(),
                                        action.generators().get(i).entries()),
                                points.rows(row, row + 1))
                        .entries();
                System.arraycopy(field, 0, fields.entries(), i * field.length, field.length);
            }
            double[] values = Svd.valuesOf(fields);
            least = Math.min(least, values[values.length - 1]);
        }
        return least;
    }

    private int size() {
        return action.generators().size();
    }

    private Matrix element(GroupWord word) {
        return word.matrix(action.generators());
    }

    private Matrix words(List<GroupWord> words) {
        return batch(row -> element(words.get(row)));
    }

    /** Directions run through the generators, point by point. */
    private Matrix direction(int row) {
        return action.generators().get(row % action.generators().count());
    }

    private Matrix directions() {
        return batch(this::direction);
    }

    private Matrix transported() {
        return batch(row -> direction(row).times(element(first.get(row))));
    }

    private Matrix batch(IntFunction<Matrix> matrix) {
        Matrix batch = Matrix.zeros(points.rows(), size() * size());
        for (int row = 0; row < points.rows(); row++) {
            Batches.setRow(batch, row, matrix.apply(row).entries());
        }
        return batch;
    }

    private static double violation(Matrix left, Matrix right) {
        double worst = 0;
        for (int row = 0; row < left.rows(); row++) {
            double norm = Matrix.over(1, right.columns(), right.row(row)).frobeniusNorm();
            double difference = distance(left.row(row), right.row(row)) / (1 + norm);
            worst = Double.isNaN(difference) ? Double.POSITIVE_INFINITY : Math.max(worst, difference);
        }
        return worst;
    }

    private static double distance(double[] left, double[] right) {
        return Matrix.of(1, left.length, left)
                .minus(Matrix.of(1, right.length, right))
                .frobeniusNorm();
    }
}
