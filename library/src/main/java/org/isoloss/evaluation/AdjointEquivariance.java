package org.isoloss.evaluation;

import java.util.SplittableRandom;
import org.isoloss.action.ParameterDerivative;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;

/**
 * Whether an action carries its fields along as the group turns its generators:
 * {@code D_theta a(g, theta)[v_h(theta)] = v_(Ad_g h)(a(g, theta))} with {@code Ad_g h = g h g^-1} (equation
 * {@code eq:generator-adjoint-equivariance} of the paper). The residual of each sample is the norm of the difference over the
 * sum of the norms of both sides.
 *
 * <p>The brackets of the fields are its derivative at the identity; here g is a finite distance away. It is necessary, not
 * sufficient: on the line theta + t + t^2 passes, and does not compose.
 *
 * @param samples each with a point, a word g and a generator h of its own
 * @param radius upper bound of the total absolute coefficient of a word
 * @param factors most factors of a word
 * @param residual in [0, 1]; NaN where something is not finite
 */
public record AdjointEquivariance(int samples, double radius, int factors, Quantiles residual) {
    /** Samples of an evaluation. */
    public static final int SAMPLES = 512;

    /** Words of an evaluation: those by which an action is judged. */
    public static final WordDistribution WORDS = WordDistribution.upTo(0.5, 2);

    /**
     * Measures the residual at drawn points.
     *
     * @param tested where points are drawn
     * @param action the action that is tested
     * @param random the stream to draw from; modified
     * @return the quantiles of {@link #SAMPLES} residuals
     */
    static AdjointEquivariance of(JudgedAction tested, ParameterDerivative action, SplittableRandom random) {
        return at(action, tested.draw(random, SAMPLES), WORDS, random);
    }

    /**
     * Measures the residual at given points.
     *
     * @param action with any number of generators
     * @param points theta, shape (n, p), n at least 1; not modified
     * @param words from which g is drawn
     * @param random the stream to draw from; modified
     * @return the quantiles of n residuals
     */
    public static AdjointEquivariance at(
            ParameterDerivative action, Matrix points, WordDistribution words, SplittableRandom random) {
        Generators generators = action.generators().normalised();
        int area = generators.size() * generators.size();
        Matrix elements = Matrix.zeros(points.rows(), area);
        Matrix directions = Matrix.zeros(points.rows(), area);
        Matrix turned = Matrix.zeros(points.rows(), area);
        WordSampler sampler = new WordSampler(words, generators.count());
        for (int row = 0; row < points.rows(); row++) {
            GroupWord word = sampler.draw(random);
            Matrix g = word.matrix(generators);
            Matrix h = generators.get(random.nextInt(generators.count()));
            Rows.set(elements, row, g.entries());
            Rows.set(directions, row, h.entries());
            Rows.set(
                    turned,
                    row,
                    g.times(h).times(word.inverse().matrix(generators)).entries());
        }
        Matrix carried = action.parameterDerivative(elements, points, action.field(directions, points));
        Matrix there = JudgedOrbits.of(action, action.apply(elements, points)).field(turned);
        return new AdjointEquivariance(
                points.rows(),
                words.radius(),
                words.mostFactors(),
                Quantiles.of(CellSamples.relative(
                        Rows.distances(carried, there, 1),
                        CellSamples.sum(Rows.norms(carried, 1), Rows.norms(there, 1)))));
    }
}
