package org.isoloss.fields;

import java.util.SplittableRandom;
import org.isoloss.discovery.Problem;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.lie.GroupWord;
import org.isoloss.lie.WordDistribution;
import org.isoloss.lie.WordSampler;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;

/**
 * The laws of an integrated action on words that mix its generators, 95th percentiles over {@value #WORDS} words, each at a point
 * of its own.
 *
 * @param radius most that the coefficients of a word add up to, of generators of norm 1
 * @param motion median of {@code |w theta - theta|} in units of s_theta
 * @param output change of the outputs over s_F
 * @param composition distance between the ordered product of the flows and the one flow of the product's logarithm, over the
 *     motion: 0 where brackets hold, whatever the error of the outputs
 * @param inverse distance from theta after a word and its inverse matrix, by one flow, over the motion
 */
public record WordLaws(double radius, double motion, double output, double composition, double inverse) {
    /** Words that are drawn. */
    public static final int WORDS = 256;

    /** Radius unless another is asked for. */
    public static final double RADIUS = 0.5;

    private static final int FEWEST = 2;
    private static final int MOST = 4;

    /**
     * Measures.
     *
     * @param problem says where points are drawn, what is preserved, and the units
     * @param action any of two generators or more
     * @param radius positive
     * @param random the stream to draw from; modified
     * @return the errors
     */
    public static WordLaws of(Problem problem, IntegratedAction action, double radius, SplittableRandom random) {
        var sampler = new WordSampler(
                new WordDistribution(radius, FEWEST, MOST), action.generators().count());
        int p = action.parameterCount();
        int size = action.generators().size();
        Target target = problem.target();
        double[] motion = new double[WORDS];
        double[] output = new double[WORDS];
        double[] composition = new double[WORDS];
        double[] inverse = new double[WORDS];
        for (int n = 0; n < WORDS; n++) {
            double[] numbers = new double[p];
            problem.points().draw(random, numbers, 0);
            Matrix point = Matrix.over(1, p, numbers);
            GroupWord word = mixed(sampler, random);
            Matrix moved = action.along(word, point);
            Matrix element = word.matrix(action.generators());
            Matrix back = word.inverse().matrix(action.generators());
            double distance = moved.minus(point).frobeniusNorm();
            motion[n] = distance / problem.parameterScale();
            output[n] = target.outputs(moved).minus(target.outputs(point)).frobeniusNorm() / problem.outputScale();
            composition[n] = action.apply(Matrix.over(1, size * size, element.entries()), point)
                            .minus(moved)
                            .frobeniusNorm()
                    / distance;
            inverse[n] = action.apply(Matrix.over(1, size * size, back.entries()), moved)
                            .minus(point)
                            .frobeniusNorm()
                    / distance;
        }
        return new WordLaws(radius, Quantiles.of(motion).p50(), p95(output), p95(composition), p95(inverse));
    }

    /** A word of at least two different generators: powers of one compose whatever the brackets are. */
    private static GroupWord mixed(WordSampler sampler, SplittableRandom random) {
        while (true) {
            GroupWord word = sampler.draw(random);
            long different = word.factors().stream()
                    .mapToInt(GroupWord.Factor::generator)
                    .distinct()
                    .count();
            if (different > 1) {
                return word;
            }
        }
    }

    /** Of a sample with a number that is not finite, none. */
    private static double p95(double[] sample) {
        Quantiles all = Quantiles.of(sample);
        return Double.isFinite(all.max()) ? all.p95() : Double.NaN;
    }
}
