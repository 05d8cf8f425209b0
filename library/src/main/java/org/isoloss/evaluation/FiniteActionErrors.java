package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.lie.WordDistribution;

/**
 * The finite-action tests (paragraph of that name in appendix {@code app:one-generator-setup} of the paper), in float64:
 * does the action preserve the outputs, compose, invert, transport and subdivide as a group action does, and does it move
 * anything.
 */
public final class FiniteActionErrors {
    private FiniteActionErrors() {}

    /**
     * Runs the tests. Each cell draws from a stream of its own, split off in the order of the cells of the whole grid, whether
     * they are asked for or not.
     *
     * @param tested the action and what it is judged by
     * @param grid the cells
     * @param random the stream to draw from, used for nothing else; modified
     * @return one result for each cell, radius by radius, in the order of the whole grid
     */
    public static List<ErrorCell> run(JudgedAction tested, EvaluationGrid grid, SplittableRandom random) {
        List<ErrorCell> cells = new ArrayList<>();
        for (double radius : grid.allRadii()) {
            for (int factors : grid.allFactors()) {
                SplittableRandom own = random.split();
                if (grid.radii().contains(radius) && grid.factors().contains(factors)) {
                    var words = WordDistribution.exactly(radius, factors);
                    cells.add(new CellSamples(tested, words, grid.samples(), own).measure());
                }
            }
        }
        return List.copyOf(cells);
    }
}
