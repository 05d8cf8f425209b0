package org.isoloss.evaluation;

import java.util.List;
import org.isoloss.lie.WordDistribution;

/**
 * The cells of the finite-action tests: every radius with every number of factors.
 *
 * @param radii upper bounds of the total absolute coefficient, all different
 * @param factors numbers of factors of a word, all different
 * @param samples in each cell, at least 1
 */
public record TestGrid(List<Double> radii, List<Integer> factors, int samples) {
    /** The grid of the paper (appendix {@code app:one-generator-setup}). */
    public static final TestGrid PAPER = new TestGrid(List.of(0.1, 0.3, 0.5, 0.8, 1.2), List.of(1, 2, 4, 8), 512);

    /** Those cells of the paper's grid by which an action is accepted. */
    public static final TestGrid DECLARED = new TestGrid(List.of(0.5), List.of(1, 2), 512);

    /** Refuses an empty grid, a cell twice and impossible words. */
    public TestGrid {
        radii = List.copyOf(radii);
        factors = List.copyOf(factors);
        if (radii.isEmpty()
                || factors.isEmpty()
                || radii.stream().distinct().count() != radii.size()
                || factors.stream().distinct().count() != factors.size()
                || samples < 1) {
            throw new IllegalArgumentException(
                    "TestGrid: radii %s, factors %s, %d samples; expected at least one of each, no radius or count twice"
                            .formatted(radii, factors, samples));
        }
        radii.forEach(radius -> WordDistribution.exactly(radius, 1));
        factors.forEach(count -> WordDistribution.exactly(1, count));
    }
}
