package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.action.GroupAction;
import org.isoloss.discovery.Discovery.Discovered;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.Target;

/**
 * Judges an action in every way asked for: first say what, then {@link #run}. Each part draws from a stream of its own, so
 * leaving one out changes no other.
 */
public final class Evaluator {
    private final JudgedAction tested;
    private EvaluationGrid grid = EvaluationGrid.PAPER;
    private Tolerances tolerances = Tolerances.PAPER;
    private Optional<Target> fresh = Optional.empty();
    private Optional<GroupAction> reference = Optional.empty();
    private Optional<OutputJacobian> jacobian = Optional.empty();
    private Optional<DifferentiableTarget> yardstick = Optional.empty();
    private Runnable curveFollowed = () -> {};
    private Runnable cellMeasured = FiniteActionErrors.NOBODY;
    private boolean beyond;
    private boolean adjoint;

    private Evaluator(JudgedAction tested) {
        this.tested = tested;
    }

    /**
     * Begins with the paper's grid and tolerances, the generated curves, and nothing to compare with.
     *
     * @param tested the action and what it is judged by
     * @return an evaluator
     */
    public static Evaluator of(JudgedAction tested) {
        return new Evaluator(tested);
    }

    /**
     * Begins with what was learned in memory.
     *
     * @param found an action with what it was trained for
     * @return an evaluator; its {@link #run} takes {@code Streams.TEST.stream(seed)}
     */
    public static Evaluator of(Discovered found) {
        return of(JudgedAction.of(found.action(), found.problem()));
    }

    /**
     * Tests other cells.
     *
     * @param newGrid with the cells that the tolerances judge by
     * @return this
     */
    public Evaluator grid(EvaluationGrid newGrid) {
        grid = newGrid;
        return this;
    }

    /**
     * Judges by other tolerances.
     *
     * @param newTolerances the limits
     * @return this
     */
    public Evaluator tolerances(Tolerances newTolerances) {
        tolerances = newTolerances;
        return this;
    }

    /**
     * Also measures what happens on a batch for which the action was not made.
     *
     * @param target the same function of the same parameters on the fresh batch
     * @return this
     */
    public Evaluator fresh(Target target) {
        fresh = Optional.of(target);
        return this;
    }

    /**
     * Also compares the fields with those of a known action.
     *
     * @param action on the same parameters
     * @return this
     */
    public Evaluator reference(GroupAction action) {
        reference = Optional.of(action);
        return this;
    }

    /**
     * Also sets measured errors beside their bounds.
     *
     * @param outputJacobian the derivative of the target
     * @return this
     */
    public Evaluator bounds(OutputJacobian outputJacobian) {
        jacobian = Optional.of(outputJacobian);
        return this;
    }

    /**
     * Also puts the exact flow through the tests.
     *
     * @param target what the action preserves, with its derivative
     * @param followed told of every curve of {@link #curves} that was followed, by any thread
     * @return this
     */
    public Evaluator yardstick(DifferentiableTarget target, Runnable followed) {
        yardstick = Optional.of(target);
        curveFollowed = followed;
        return this;
    }

    /** {@return how many curves the exact flow follows, with the grid given so far} */
    public long curves() {
        return ExactFlow.curves(grid);
    }

    /**
     * Asks to be told of the progress, of which the exact flow's is apart.
     *
     * @param measured told of every cell of {@link #cells} that was measured, by any thread
     * @return this
     */
    public Evaluator progress(Runnable measured) {
        cellMeasured = measured;
        return this;
    }

    /** {@return how many cells the action is tested in, with what is asked for so far} */
    public int cells() {
        int asked = grid.radii().size() * grid.factors().size();
        return beyond ? asked + Beyond.FAR.radii().size() + Beyond.WIDE.radii().size() : asked;
    }

    /**
     * Also tests farther out, at larger radii and at points that are spread wider.
     *
     * @return this
     */
    public Evaluator beyond() {
        beyond = true;
        return this;
    }

    /**
     * With two generators or more, also tests whether the fields are adjoint equivariant.
     *
     * @return this
     */
    public Evaluator adjoint() {
        adjoint = true;
        return this;
    }

    /**
     * Runs everything.
     *
     * @param random the stream of the final tests, used for nothing else; modified
     * @return the result
     */
    public Evaluation run(SplittableRandom random) {
        SplittableRandom forTests = random.split();
        SplittableRandom forOrbits = random.split();
        SplittableRandom forData = random.split();
        SplittableRandom forReference = random.split();
        SplittableRandom forAlgebra = random.split();
        SplittableRandom forBounds = random.split();
        SplittableRandom forYardstick = random.split();
        SplittableRandom forBeyond = random.split();
        List<ErrorCell> cells = FiniteActionErrors.run(tested, grid, cellMeasured, forTests);
        List<Orbits> orbits = IntStream.range(0, tested.action().generators().count())
                .mapToObj(generator -> Orbits.of(tested, generator, forOrbits.split()))
                .toList();
        Optional<DataDependence> data = fresh.map(target -> DataDependence.of(tested, target, forData));
        Optional<ReferenceSpan> span = reference.map(action -> ReferenceSpan.of(tested, action, forReference));
        Optional<InfinitesimalAction> infinitesimal =
                tested.action().generators().count() > 1
                        ? Optional.of(InfinitesimalAction.of(tested, adjoint, forAlgebra))
                        : Optional.empty();
        Optional<BoundCheck> bounds = jacobian.map(
                derivative -> BoundCheck.of(tested, derivative, BoundCheck.RADII, BoundCheck.SAMPLES, forBounds));
        Optional<Beyond> farther = beyond ? Optional.of(Beyond.of(tested, cellMeasured, forBeyond)) : Optional.empty();
        Optional<ExactFlow> flow = yardstick.map(target -> ExactFlow.of(
                tested, target, orbits.getFirst().matchedMotion(), grid, tolerances, curveFollowed, forYardstick));
        List<String> nonFinite = new ArrayList<>();
        cells.forEach(cell -> nonFinite.addAll(cell.nonFinite()));
        orbits.forEach(orbit -> nonFinite.addAll(orbit.nonFinite()));
        data.ifPresent(dependence -> nonFinite.addAll(dependence.nonFinite()));
        span.ifPresent(comparison -> nonFinite.addAll(comparison.nonFinite()));
        var judged = tolerances.judge(cells);
        boolean fit = nonFinite.isEmpty() && judged.values().stream().allMatch(Requirement::met);
        return new Evaluation(
                Evaluation.FORMAT,
                tested.calibration(),
                grid.samples(),
                cells,
                judged,
                nonFinite,
                fit,
                orbits,
                data,
                span,
                infinitesimal,
                bounds,
                flow,
                farther);
    }
}
