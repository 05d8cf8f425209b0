package org.isoloss.evaluation;

import java.util.List;
import org.isoloss.lie.WordDistribution;

/**
 * The cells of the finite-action tests: every radius with every number of factors. Each cell draws from a stream of its own,
 * found by its place in the whole grid of which this may be a part: so a part has the samples of the whole.
 *
 * @param radii upper bounds of the total absolute coefficient, all different
 * @param factors numbers of factors of a word, all different
 * @param samples in each cell, at least 1
 * @param allRadii those of the whole grid, in the order of its streams
 * @param allFactors those of the whole grid, in the order of its streams
 */
public record EvaluationGrid(
        List<Double> radii, List<Integer> factors, int samples, List<Double> allRadii, List<Integer> allFactors) {
    /** The grid of the paper (appendix {@code app:one-generator-setup}). */
    public static final EvaluationGrid PAPER =
            new EvaluationGrid(List.of(0.1, 0.3, 0.5, 0.8, 1.2), List.of(1, 2, 4, 8), 512);

    /** Those cells of the paper's grid by which an action is accepted. */
    public static final EvaluationGrid DECLARED = PAPER.part(List.of(0.5), List.of(1, 2));

    /** Refuses an empty grid, a cell twice, impossible words, and a part of which the whole has not every cell. */
    public EvaluationGrid {
        radii = List.copyOf(radii);
        factors = List.copyOf(factors);
        allRadii = List.copyOf(allRadii);
        allFactors = List.copyOf(allFactors);
        if (radii.isEmpty()
                || factors.isEmpty()
                || radii.stream().distinct().count() != radii.size()
                || factors.stream().distinct().count() != factors.size()
                || samples < 1) {
            throw new IllegalArgumentException(
                    "EvaluationGrid: radii %s, factors %s, %d samples; expected at least one of each, no radius or count twice"
                            .formatted(radii, factors, samples));
        }
        if (!allRadii.containsAll(radii) || !allFactors.containsAll(factors)) {
            throw new IllegalArgumentException(
                    "EvaluationGrid: radii %s and factors %s are no part of a grid of radii %s and factors %s"
                            .formatted(radii, factors, allRadii, allFactors));
        }
        allRadii.forEach(radius -> WordDistribution.exactly(radius, 1));
        allFactors.forEach(count -> WordDistribution.exactly(1, count));
    }

    /**
     * Makes a grid that is no part of another.
     *
     * @param radii upper bounds of the total absolute coefficient, all different
     * @param factors numbers of factors of a word, all different
     * @param samples in each cell, at least 1
     */
    public EvaluationGrid(List<Double> radii, List<Integer> factors, int samples) {
        this(radii, factors, samples, radii, factors);
    }

    /**
     * Takes some of the cells, with the samples that they have here.
     *
     * @param fewerRadii some of {@link #radii}
     * @param fewerFactors some of {@link #factors}
     * @return the part
     */
    public EvaluationGrid part(List<Double> fewerRadii, List<Integer> fewerFactors) {
        return new EvaluationGrid(fewerRadii, fewerFactors, samples, allRadii, allFactors);
    }

    /** The cells of at most so many factors, as a grid of its own kind: a part of it is so cut from the whole cut so. */
    EvaluationGrid upTo(int mostFactors, int newSamples) {
        return new EvaluationGrid(
                radii, atMost(mostFactors, factors), newSamples, allRadii, atMost(mostFactors, allFactors));
    }

    private static List<Integer> atMost(int most, List<Integer> factors) {
        return factors.stream().filter(count -> count <= most).toList();
    }
}
