package org.isoloss.evaluation;

import java.util.List;
import java.util.SplittableRandom;

/**
 * How an action does farther out than it is judged: at larger radii, and at points that are spread wider. What is learned is
 * local, and these cells say how local. They never judge, and their units are those of every other cell.
 *
 * @param samples in each cell
 * @param far cells at {@link #FAR} radii, at points drawn like those of training
 * @param spread factor by which the points of {@code wide} are spread wider
 * @param wide cells at the declared radius and at the far ones
 */
public record Beyond(int samples, List<ErrorCell> far, double spread, List<ErrorCell> wide) {
    /** The cells of points drawn like those of training: radius 1 and 2, one factor. */
    public static final EvaluationGrid FAR = new EvaluationGrid(List.of(1.0, 2.0), List.of(1), 512);

    /** The cells of points that are spread wider. */
    public static final EvaluationGrid WIDE = new EvaluationGrid(List.of(0.5, 1.0, 2.0), List.of(1), 512);

    /** How much wider these are. */
    public static final double SPREAD = 2;

    /** Keeps lists of its own. */
    public Beyond {
        far = List.copyOf(far);
        wide = List.copyOf(wide);
    }

    /**
     * Measures.
     *
     * @param tested the action, and where its points are drawn
     * @param measured told of every cell, by any thread
     * @param random the stream to draw from; modified
     * @return the errors
     */
    static Beyond of(JudgedAction tested, Runnable measured, SplittableRandom random) {
        SplittableRandom forFar = random.split();
        SplittableRandom forWide = random.split();
        return new Beyond(
                FAR.samples(),
                FiniteActionErrors.run(tested, FAR, measured, forFar),
                SPREAD,
                FiniteActionErrors.run(tested.widened(SPREAD), WIDE, measured, forWide));
    }
}
