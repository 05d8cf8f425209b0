package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.isoloss.action.TrainedAction;
import org.isoloss.lie.WordDistribution;

/**
 * The finite-action tests (paragraph of that name in appendix {@code app:one-generator-setup} of the paper), in float64:
 * does the action preserve the outputs, compose, invert, transport and subdivide as a group action does, and does it move
 * anything.
 */
public final class FiniteActionErrors {
    private FiniteActionErrors() {}

    /** What is told of every cell that was measured, by any thread. */
    static final Runnable NOBODY = () -> {};

    /**
     * Runs the tests. Each cell draws from a stream of its own, split off in the order of the cells of the whole grid, whether
     * they are asked for or not. Cells of a trained action are measured on all cores, with the same bits on any number.
     *
     * @param tested the action and what it is judged by
     * @param grid the cells
     * @param random the stream to draw from, used for nothing else; modified
     * @return one result for each cell, radius by radius, in the order of the whole grid
     */
    public static List<ErrorCell> run(JudgedAction tested, EvaluationGrid grid, SplittableRandom random) {
        return run(tested, grid, NOBODY, random);
    }

    static List<ErrorCell> run(JudgedAction tested, EvaluationGrid grid, Runnable measured, SplittableRandom random) {
        List<Function<JudgedAction, CellSamples>> cells = new ArrayList<>();
        for (double radius : grid.allRadii()) {
            for (int factors : grid.allFactors()) {
                SplittableRandom own = random.split();
                if (grid.radii().contains(radius) && grid.factors().contains(factors)) {
                    var words = WordDistribution.exactly(radius, factors);
                    cells.add(action -> new CellSamples(action, words, grid.samples(), own));
                }
            }
        }
        boolean together = cells.size() > 1 && tested.action() instanceof TrainedAction;
        Queue<JudgedAction> idle = new ConcurrentLinkedQueue<>(List.of(tested));
        Stream<Function<JudgedAction, CellSamples>> stream = together ? cells.parallelStream() : cells.stream();
        return stream.map(cell -> {
                    JudgedAction taken = idle.poll();
                    JudgedAction own = taken == null ? tested.copy() : taken;
                    ErrorCell errors = cell.apply(own).measure();
                    idle.add(own);
                    measured.run();
                    return errors;
                })
                .toList();
    }

    /**
     * Tests the outputs alone, in the first cell: a twentieth of the work of that cell.
     *
     * @param tested the action and what it is judged by
     * @param grid the cells
     * @param random as for {@link #run}, which draws the same samples from it; modified
     * @return the changes of which {@link #run} has the quantiles in its first cell
     */
    static OutputChange firstOutputs(JudgedAction tested, EvaluationGrid grid, SplittableRandom random) {
        var words = WordDistribution.exactly(
                grid.allRadii().getFirst(), grid.allFactors().getFirst());
        return new CellSamples(tested, words, grid.samples(), random.split()).outputs();
    }
}
