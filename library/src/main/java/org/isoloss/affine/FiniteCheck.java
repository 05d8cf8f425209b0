package org.isoloss.affine;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * How well finite transformations of the floating-point fields preserve the outputs and compose, on fresh points (label
 * {@code app:frontier-recovery}): each group element is a product of four exponentials of single unit fields with
 * coefficients in [-0.18, 0.18].
 *
 * @param output 95th percentile of the output change over the root mean square output
 * @param composition 95th percentile of {@code |a(g2, a(g1, theta)) - a(g2 g1, theta)|} over the two displacements
 * @param inverse 95th percentile of {@code |a(g^-1, a(g, theta)) - theta|} over the displacement
 * @param motion median of {@code |a(g, theta) - theta| / |theta|}
 */
public record FiniteCheck(double output, double composition, double inverse, double motion) {
    static final int PAIRS = 128;
    private static final int FACTORS = 4;
    private static final double COEFFICIENT = 0.18;

    /** The stream that draws the test points must not be that of the extraction. */
    private static final long FRESH = 0x6a09e667f3bcc909L;

    static FiniteCheck of(Architecture architecture, Sampling sampling, Extraction extraction) {
        return of(new DenseSubject(architecture), sampling, extraction);
    }

    static FiniteCheck of(FieldSubject subject, Sampling sampling, Extraction extraction) {
        FieldGroup group = new FieldGroup(subject.solvedCount(), extraction.fields());
        FieldSubject.Outputs network = subject.outputs();
        SplittableRandom streams = new SplittableRandom(extraction.seed() ^ FRESH);
        SplittableRandom points = streams.split();
        SplittableRandom words = streams.split();
        double[] deviations = subject.deviations(sampling);
        double[] output = new double[PAIRS];
        double[] composition = new double[PAIRS];
        double[] inverse = new double[PAIRS];
        double[] motion = new double[PAIRS];
        double squares = 0;
        for (int i = 0; i < PAIRS; i++) {
            double[] theta = gaussian(points, deviations);
            double[] input = gaussian(points, filled(subject.inputs(), sampling.inputScale()));
            double[] before = network.of(theta, input);
            squares += square(before) / PAIRS;
            Word first = Word.draw(group, words);
            Word second = Word.draw(group, words);
            double[] once = first.element.apply(theta);
            double[] twice = second.element.apply(once);
            output[i] = distance(network.of(once, input), before);
            double moved = distance(once, theta);
            motion[i] = moved / Math.sqrt(square(theta));
            FieldGroup.Element product = second.element.times(first.element);
            composition[i] = ratio(distance(twice, product.apply(theta)), moved + distance(twice, once));
            inverse[i] = ratio(distance(first.inverse.apply(once), theta), moved);
        }
        for (int i = 0; i < PAIRS; i++) {
            output[i] = ratio(output[i], Math.sqrt(squares));
        }
        return new FiniteCheck(
                quantile(output, 0.95), quantile(composition, 0.95), quantile(inverse, 0.95), quantile(motion, 0.5));
    }

    /** Linear interpolation between order statistics, as numpy's default. */
    static double quantile(double[] values, double fraction) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double place = fraction * (sorted.length - 1);
        int below = (int) Math.floor(place);
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }

    private static double ratio(double numerator, double denominator) {
        return numerator == 0 ? 0 : numerator / denominator;
    }

    private static double[] gaussian(SplittableRandom random, double[] deviations) {
        double[] draws = new double[deviations.length];
        for (int a = 0; a < draws.length; a++) {
            draws[a] = deviations[a] * random.nextGaussian();
        }
        return draws;
    }

    private static double[] filled(int length, double value) {
        double[] values = new double[length];
        Arrays.fill(values, value);
        return values;
    }

    private static double square(double[] vector) {
        double sum = 0;
        for (double entry : vector) {
            sum += entry * entry;
        }
        return sum;
    }

    private static double distance(double[] left, double[] right) {
        double sum = 0;
        for (int i = 0; i < left.length; i++) {
            sum += (left[i] - right[i]) * (left[i] - right[i]);
        }
        return Math.sqrt(sum);
    }

    /** A product of exponentials and the product of the opposite ones in reverse. */
    private static final class Word {
        private final FieldGroup.Element element;
        private final FieldGroup.Element inverse;

        private Word(FieldGroup.Element element, FieldGroup.Element inverse) {
            this.element = element;
            this.inverse = inverse;
        }

        static Word draw(FieldGroup group, SplittableRandom random) {
            int first = random.nextInt(group.generatorCount());
            double coefficient = random.nextDouble(-COEFFICIENT, COEFFICIENT);
            Word word = new Word(group.exponential(first, coefficient), group.exponential(first, -coefficient));
            for (int factor = 1; factor < FACTORS; factor++) {
                int generator = random.nextInt(group.generatorCount());
                double next = random.nextDouble(-COEFFICIENT, COEFFICIENT);
                word = new Word(
                        group.exponential(generator, next).times(word.element),
                        word.inverse.times(group.exponential(generator, -next)));
            }
            return word;
        }
    }
}
