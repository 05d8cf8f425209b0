package org.isoloss.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.discovery.Problem;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.network.SitePool;
import org.isoloss.task.Task.SiteChoice;
import org.jspecify.annotations.Nullable;

/** A compensation site for many batches: the pool that an action is trained on, and the one that it is judged on. */
public final class BatchedSite {
    private static final int SAMPLE = 1_000;

    private final Task task;
    private final SiteChoice choice;
    private final SitePool pool;
    private final @Nullable SitePool unseen;

    BatchedSite(Task task, SiteChoice choice, SitePool pool, @Nullable SitePool unseen) {
        this.task = task;
        this.choice = choice;
        this.pool = pool;
        this.unseen = unseen;
    }

    /** Says how many batches are left out, where any are: one line for a pool. */
    List<String> notices() {
        List<String> notices = new ArrayList<>();
        leftOut("pool", pool, notices);
        if (unseen != null) {
            leftOut("unseen", unseen, notices);
        }
        return notices;
    }

    private void leftOut(String name, SitePool batches, List<String> notices) {
        SplittableRandom random = new SplittableRandom(task.seed() == null ? Task.DEFAULT_SEED : task.seed());
        int out = batches.leftOut(random, SAMPLE);
        if (out > 0) {
            notices.add(
                    "%s: %d of %d batches drawn on trial are left out, the condition of their compensating features is above %.0e"
                            .formatted(name, out, SAMPLE, CompensatorFeatures.LARGEST_CONDITION));
        }
    }

    /** {@return the batches of the training} */
    public SitePool pool() {
        return pool;
    }

    /** {@return the batches of the judgement, nothing where the task names no such inputs} */
    public Optional<SitePool> unseen() {
        return Optional.ofNullable(unseen);
    }

    /**
     * Returns the problem of one batch, with scales of its own: that of a fit for this batch alone.
     *
     * @param batch shape (k, n), as it enters the block; not modified
     * @return the problem, whose target is a {@link org.isoloss.network.SiteCoordinates}
     * @throws IllegalArgumentException when the batch is not admissible
     */
    public Problem problem(Matrix batch) {
        return SiteTask.problem(task, choice, pool.coordinates(batch));
    }
}
