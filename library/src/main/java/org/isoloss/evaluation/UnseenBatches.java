package org.isoloss.evaluation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.isoloss.action.BatchedAction;
import org.isoloss.discovery.Problem;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.BatchView;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;

/**
 * The judgement of an action for many batches on batches that its training did not see, each by the finite-action tests and the
 * joint tolerances, as a fit for this batch alone is judged. A batch that is not admissible is left out and counts as a miss.
 */
public final class UnseenBatches {
    /** How many batches are drawn where nobody says. */
    public static final int COUNT = 64;

    private final SitePool pool;
    private final Function<Matrix, Problem> problems;
    private final EvaluationGrid grid;
    private final Tolerances tolerances;

    /**
     * Says how to judge.
     *
     * @param pool of the training, from which distances are measured
     * @param problems the problem of one admissible batch, whose target is a {@link SiteCoordinates}
     * @param grid with the cells that the tolerances judge by
     * @param tolerances the limits
     */
    public UnseenBatches(
            SitePool pool, Function<Matrix, Problem> problems, EvaluationGrid grid, Tolerances tolerances) {
        this.pool = pool;
        this.problems = problems;
        this.grid = grid;
        this.tolerances = tolerances;
    }

    /**
     * Draws batches and judges an action on each.
     *
     * @param action trained; its own batch plays no part
     * @param unseen where batches are drawn
     * @param count of batches, at least 1
     * @param measured told of each batch
     * @param random the stream of batches and tests; modified
     * @return one result for each batch, in their order
     */
    public List<JudgedBatch> judge(
            BatchedAction action, SitePool unseen, int count, Runnable measured, SplittableRandom random) {
        return judge(problem -> at(action, problem), unseen, count, measured, random);
    }

    /**
     * Judges an action on the same batches as if they were the one that it is at hand for: what an action does that takes no note of
     * the batch.
     *
     * @param action at hand for one batch
     * @param unseen where batches are drawn
     * @param count of batches, at least 1
     * @param measured told of each batch
     * @param random as for {@link #judge}, which draws the same from it; modified
     * @return one result for each batch, in their order
     */
    public List<JudgedBatch> judgeIgnoring(
            BatchedAction action, SitePool unseen, int count, Runnable measured, SplittableRandom random) {
        return judge(problem -> action, unseen, count, measured, random);
    }

    private List<JudgedBatch> judge(
            Function<Problem, BatchedAction> actions,
            SitePool unseen,
            int count,
            Runnable measured,
            SplittableRandom random) {
        List<JudgedBatch> judged = new ArrayList<>();
        SplittableRandom batches = random.split();
        for (int number = 1; number <= count; number++) {
            judged.add(judge(actions, number, unseen.batch(batches), random.split()));
            measured.run();
        }
        return judged;
    }

    private JudgedBatch judge(
            Function<Problem, BatchedAction> actions, int number, Matrix batch, SplittableRandom random) {
        double condition = pool.condition(batch);
        double distance = pool.distance(batch).orElse(Double.NaN);
        if (!(condition <= CompensatorFeatures.LARGEST_CONDITION)) {
            return new JudgedBatch(number, condition, distance, Map.of(), List.of(), false);
        }
        Problem problem = problems.apply(batch);
        List<ErrorCell> cells = FiniteActionErrors.run(JudgedAction.of(actions.apply(problem), problem), grid, random);
        ErrorCell one = cells.stream()
                .filter(cell -> cell.factors() == 1 && cell.radius() == tolerances.radius())
                .findFirst()
                .orElseThrow();
        Map<Criterion, Double> values = new EnumMap<>(Criterion.class);
        for (Criterion criterion : Criterion.values()) {
            criterion.value(one).ifPresent(value -> values.put(criterion, value));
        }
        List<Criterion> missed = tolerances.judge(cells).entrySet().stream()
                .filter(requirement -> !requirement.getValue().met())
                .map(requirement -> Criterion.of(requirement.getKey()))
                .toList();
        return new JudgedBatch(number, condition, distance, values, missed, tolerances.fits(cells));
    }

    /** The action for the batch of a problem. */
    private static BatchedAction at(BatchedAction action, Problem problem) {
        if (!(problem.target() instanceof SiteCoordinates site)) {
            throw new IllegalArgumentException("UnseenBatches: the problem is not that of a compensation site");
        }
        return action.on(BatchView.of(site));
    }
}
