package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import org.isoloss.action.ActionLaws;
import org.isoloss.action.BatchedAction;
import org.isoloss.action.GroupAction;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.BatchView;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;
import org.isoloss.network.TwoLayerBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Short trainings of one action for many batches: what it preserves on batches that were not drawn, and what it does not. */
class BatchedTrainingTest {
    @TempDir
    Path folder;

    private static final SitePool POOL = pool(false);

    private static SitePool pool(boolean reduced) {
        SplittableRandom random = new SplittableRandom(1);
        TwoLayerBlock block = TwoLayerBlock.of(
                Activation.TANH,
                DenseLayer.of(Matrix.gaussian(5, 3, random)),
                DenseLayer.of(Matrix.gaussian(2, 5, random)));
        return SitePool.choose(
                block,
                Matrix.gaussian(60, 3, random),
                2,
                false,
                reduced,
                new MovingUnits.MostSensitive(1),
                new SplittableRandom(2));
    }

    private static Problem problem(SitePool pool, Matrix batch) {
        SiteCoordinates site = pool.coordinates(batch);
        return Problem.calibrated(
                        site, new GaussianPoints(site.origin(), 0.1, 0), Group.translations(1), new SplittableRandom(3))
                .over(pool);
    }

    private static Matrix unseen(long seed) {
        return Matrix.gaussian(2, 3, new SplittableRandom(seed));
    }

    private static Recipe recipe(int steps) {
        return new Recipe(
                new ActionArchitecture.Batched(16, 2),
                steps,
                16,
                new LearningRate.Cosine(6e-3, Math.min(100, steps / 5), 1e-3),
                Recipe.BATCHED.weights(),
                Recipe.BATCHED.beta(),
                Recipe.BATCHED.words(),
                Recipe.BATCHED.ramp(),
                Recipe.BATCHED.optimizer(),
                Recipe.BATCHED.clip());
    }

    private static Training trained(SitePool pool, int steps) {
        Training training = new Training(
                problem(pool, pool.batch(new SplittableRandom(4))), ObjectiveKind.HYBRID, recipe(steps), 101);
        while (training.stepsDone() < steps) {
            assertThat(training.step()).isFinite();
        }
        return training;
    }

    private static double preservation(GroupAction action, Problem problem) {
        Matrix points = Matrix.zeros(16, problem.points().parameterCount());
        SplittableRandom random = new SplittableRandom(5);
        for (int row = 0; row < points.rows(); row++) {
            problem.points().draw(random, points.entries(), row * points.columns());
        }
        return new ActionLaws(action, points, random).preservation(problem.target());
    }

    private static BatchedAction on(BatchedAction action, Problem problem) {
        return action.on(BatchView.of((SiteCoordinates) problem.target()));
    }

    @Test
    void trainingPreservesTheOutputsOnBatchesThatWereNotDrawn() {
        BatchedAction action = (BatchedAction) trained(POOL, 300).action();
        BatchedAction untrained = (BatchedAction) trained(POOL, 1).action();
        for (long seed = 11; seed < 15; seed++) {
            Problem problem = problem(POOL, unseen(seed));
            double drift = preservation(on(action, problem), problem);
            assertThat(drift).isLessThan(0.1 * preservation(on(untrained, problem), problem));
            // planted: an action that goes on as for another batch
            BatchedAction ignoring = on(action, problem(POOL, unseen(seed + 100)));
            assertThat(preservation(ignoring, problem)).isGreaterThan(10 * drift);
        }
    }

    @Test
    void reducedCoordinatesAreTrainedTheSameWay() {
        SitePool reduced = pool(true);
        Training training = trained(reduced, 300);

        assertThat(training.terms()).containsOnlyKeys("invariance", "preservation", "visibility");
        assertThat(training.terms().get("invariance")).isLessThan(1e-4);
        Problem problem = problem(reduced, unseen(11));
        BatchedAction untrained = (BatchedAction) trained(reduced, 1).action();
        assertThat(preservation(on((BatchedAction) training.action(), problem), problem))
                .isLessThan(0.1 * preservation(on(untrained, problem), problem));
    }

    @Test
    void theSameSeedGivesTheSameBitsAlsoAfterAnInterruption() {
        Training straight = trained(POOL, 30);
        Training resumed =
                new Training(problem(POOL, POOL.batch(new SplittableRandom(4))), ObjectiveKind.HYBRID, recipe(30), 101);
        while (resumed.stepsDone() < 12) {
            resumed.step();
        }
        Training other =
                new Training(problem(POOL, POOL.batch(new SplittableRandom(4))), ObjectiveKind.HYBRID, recipe(30), 101);
        other.restore(resumed.state());
        while (other.stepsDone() < 30) {
            other.step();
        }

        for (int i = 0; i < straight.action().weights().size(); i++) {
            assertThat(other.action().weights().get(i))
                    .isEqualTo(straight.action().weights().get(i));
        }
        Training another =
                new Training(problem(POOL, POOL.batch(new SplittableRandom(4))), ObjectiveKind.HYBRID, recipe(30), 102);
        while (another.stepsDone() < 30) {
            another.step();
        }
        assertThat(another.action().weights().getFirst())
                .isNotEqualTo(straight.action().weights().getFirst());
    }

    /** The batch is kept in float64: the solution of W would lose it otherwise. */
    @Test
    void aStoredActionIsTheSameMap() throws IOException {
        BatchedAction action = (BatchedAction) trained(POOL, 3).action();
        RunDirectory run = RunDirectory.create(folder.resolve("run"), "name: batched\n", 101);
        run.finish(action, 3, OptionalDouble.empty());
        BatchedAction read = (BatchedAction) run.action();
        Matrix points = Matrix.gaussian(4, action.parameterCount(), new SplittableRandom(6));
        Matrix elements = Matrix.of(4, 4, 1, 0.3, 0, 1, 1, -0.2, 0, 1, 1, 0.5, 0, 1, 1, 0, 0, 1);

        assertThat(read.apply(elements, points).entries())
                .isEqualTo(action.apply(elements, points).entries());
        assertThat(read.apply(elements, points).row(3)).isEqualTo(points.row(3));
    }

    @Test
    void withoutAPoolOrASiteItIsRefused() {
        SiteCoordinates site = POOL.coordinates(unseen(11));
        Problem one = Problem.calibrated(
                site, new GaussianPoints(site.origin(), 0.1, 0), Group.translations(1), new SplittableRandom(3));
        assertThatThrownBy(() -> new Training(one, ObjectiveKind.HYBRID, recipe(5), 101))
                .hasMessage(
                        "Training: an action for many batches is trained at a compensation site, on a pool of batches; give both");
        Problem matrices = Problem.calibrated(
                        site, new GaussianPoints(site.origin(), 0.1, 0), Group.ONE_GENERATOR, new SplittableRandom(3))
                .over(POOL);
        assertThatThrownBy(() -> new Training(matrices, ObjectiveKind.HYBRID, recipe(5), 101))
                .hasMessage(
                        "Training: an action for many batches has the group of translations with one generator; leave 'group' out");
    }
}
