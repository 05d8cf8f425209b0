package org.isoloss.evaluation;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.action.FlowAction;
import org.isoloss.action.VectorField;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;

/**
 * What an exact symmetry achieves in the tests of a learned one: the flow of a random direction, projected onto the null
 * space of the target's Jacobian at each point and integrated ({@link FlowAction}). It moves the parameters as far as the
 * learned action does, on the same function and at points drawn alike, so what is left of its errors is the arithmetic.
 *
 * @param samples in each cell
 * @param speed norm of the direction before it is projected
 * @param matchedMotion root-mean-square motion at t = 0.3 in units of s_theta
 * @param cells the finite-action tests, radius by radius, one and two factors
 * @param tolerances each requirement by its name, as for the learned action
 * @param stopped how many flows ended before their time; each leaves NaN in the sample of its cell
 * @param firstStop why the first of these ended, with its t
 */
public record ExactFlow(
        int samples,
        double speed,
        double matchedMotion,
        List<ErrorCell> cells,
        Map<String, Requirement> tolerances,
        int stopped,
        Optional<String> firstStop) {
    /** Samples in a cell: a flow costs as much as hundreds of evaluations of the target. */
    public static final int SAMPLES = 32;

    /** Error that the integrator allows in a step; two orders of magnitude are lost on a path. */
    public static final double TOLERANCE = 1e-12;

    private static final int MOST_FACTORS = 2;

    /** Of a sample: three from the point, two from where it moved, three more quarters, and those of the two fields. */
    private static final int CURVES_OF_ONE_FACTOR = 10;

    /** Corrections of the speed, each of which takes the relative error of the motion to about its square. */
    private static final int CORRECTIONS = 2;

    /** The motion of a field of root-mean-square norm s_theta / 2 in the time of the match, where the action's is no number. */
    private static final double USUAL_MOTION = 0.5 * Orbits.MATCH_TIME;

    /** Keeps collections of its own. */
    public ExactFlow {
        cells = List.copyOf(cells);
        tolerances = Collections.unmodifiableMap(new LinkedHashMap<>(tolerances));
    }

    /**
     * Measures the flow.
     *
     * @param tested the action that the flow stands beside
     * @param target what both preserve
     * @param motion root-mean-square motion of the action at t = 0.3 in units of s_theta
     * @param grid the radii, and the numbers of factors of which those up to two are tested
     * @param limits the tolerances
     * @param followed told of every curve that was followed, by any thread
     * @param random the stream to draw from; modified
     * @return the flow's errors
     */
    static ExactFlow of(
            JudgedAction tested,
            DifferentiableTarget target,
            double motion,
            EvaluationGrid grid,
            Tolerances limits,
            Runnable followed,
            SplittableRandom random) {
        double[] direction = new double[target.parameterCount()];
        Arrays.setAll(direction, i -> random.nextGaussian());
        double norm = Matrix.over(1, direction.length, direction).frobeniusNorm();
        double wanted = motion > 0 && Double.isFinite(motion) ? motion : USUAL_MOTION;
        Matrix validation = tested.draw(random.split(), SAMPLES);
        double unit = tested.calibration().parameterScale();
        double speed = unit * wanted / Orbits.MATCH_TIME;
        double reached = 0;
        for (int correction = 0; correction <= CORRECTIONS; correction++) {
            reached = motion(flow(target, direction, speed / norm), validation, unit, followed);
            if (correction < CORRECTIONS && reached > 0) {
                speed *= wanted / reached;
            }
        }
        var flow = new StoppingFlow(flow(target, direction, speed / norm), followed);
        var beside = new JudgedAction(flow, tested.target(), tested.points(), tested.calibration());
        List<ErrorCell> cells = FiniteActionErrors.run(beside, grid.upTo(MOST_FACTORS, SAMPLES), random.split());
        return new ExactFlow(SAMPLES, speed, reached, cells, limits.judge(cells), flow.stopped(), flow.firstStop());
    }

    /**
     * Returns how many curves are followed.
     *
     * @param grid as it is handed in
     * @return their number: to match the motion, then from each sample of each cell for {@link CellSamples}, a word of several
     *     factors beside its exponential
     */
    static long curves(EvaluationGrid grid) {
        long curves = (CORRECTIONS + 1) * (long) SAMPLES;
        for (int factors : grid.upTo(MOST_FACTORS, SAMPLES).factors()) {
            curves += (long) grid.radii().size()
                    * SAMPLES
                    * (factors == 1 ? CURVES_OF_ONE_FACTOR : CURVES_OF_ONE_FACTOR + 1);
        }
        return curves;
    }

    private static FlowAction flow(DifferentiableTarget target, double[] direction, double factor) {
        double[] scaled = direction.clone();
        Arrays.setAll(scaled, i -> factor * direction[i]);
        return FlowAction.of(target, VectorField.constant(scaled)).withTolerance(TOLERANCE);
    }

    /** Of the points from which the flow arrives. */
    private static double motion(FlowAction flow, Matrix points, double unit, Runnable followed) {
        Matrix element = Matrix.of(1, 4, 1, Orbits.MATCH_TIME, 0, 1);
        Matrix moved = new StoppingFlow(flow, followed).apply(Rows.repeated(element.entries(), points.rows()), points);
        return Math.sqrt(Arrays.stream(Rows.distances(points, moved, unit))
                .filter(Double::isFinite)
                .map(distance -> distance * distance)
                .average()
                .orElse(0));
    }

    /**
     * Finds a cell.
     *
     * @param radius of the cell
     * @param factors of the cell, 1 or 2
     * @return the cell
     */
    public ErrorCell cell(double radius, int factors) {
        return cells.stream()
                .filter(cell -> cell.radius() == radius && cell.factors() == factors)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "ExactFlow: there is no cell of radius %s and %d factors".formatted(radius, factors)));
    }

    /** {@return whether the flow meets every tolerance: whether it counts as a fit} */
    public boolean fits() {
        return tolerances.values().stream().allMatch(Requirement::met);
    }
}
