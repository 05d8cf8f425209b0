package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.BatchedAction;
import org.isoloss.action.BatchedShape;
import org.isoloss.discovery.ActionArchitecture;
import org.isoloss.discovery.Group;
import org.isoloss.discovery.LearningRate;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Problem;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.Training;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.SitePool;
import org.isoloss.network.TwoLayerBlock;
import org.junit.jupiter.api.Test;

class UnseenBatchesTest {
    private static final EvaluationGrid GRID = new EvaluationGrid(List.of(0.5), List.of(1, 2), 32);
    private static final int STEPS = 1_000;
    private static final SitePool POOL = pool();
    private static final BatchedAction TRAINED = trained();

    private static SitePool pool() {
        SplittableRandom random = new SplittableRandom(1);
        TwoLayerBlock block = TwoLayerBlock.of(
                Activation.SIGMOID,
                DenseLayer.of(Matrix.gaussian(4, 3, random)),
                DenseLayer.of(Matrix.gaussian(2, 4, random)));
        return SitePool.choose(
                block,
                Matrix.gaussian(400, 3, random),
                2,
                false,
                false,
                new MovingUnits.MostSensitive(1),
                new SplittableRandom(2));
    }

    private static Problem problem(Matrix batch) {
        SiteCoordinates site = POOL.coordinates(batch);
        return Problem.calibrated(
                site, new GaussianPoints(site.origin(), 0.1, 0), Group.translations(1), new SplittableRandom(3));
    }

    private static BatchedAction trained() {
        Recipe recipe = new Recipe(
                new ActionArchitecture.Batched(24, 2),
                STEPS,
                32,
                new LearningRate.Cosine(6e-3, 50, 1e-3),
                Recipe.BATCHED.weights(),
                0.5,
                Recipe.BATCHED.words(),
                0,
                Recipe.BATCHED.optimizer(),
                10);
        Training training = new Training(
                problem(POOL.batch(new SplittableRandom(4))).over(POOL), ObjectiveKind.HYBRID, recipe, 101);
        while (training.stepsDone() < STEPS) {
            training.step();
        }
        return (BatchedAction) training.action();
    }

    private static UnseenBatches judge() {
        return new UnseenBatches(POOL, UnseenBatchesTest::problem, GRID, Tolerances.PAPER);
    }

    private static SitePool others() {
        return POOL.with(Matrix.gaussian(40, 3, new SplittableRandom(9)));
    }

    @Test
    void aTrainedActionFitsOnBatchesOfAnotherPool() {
        List<JudgedBatch> judged = judge().judge(TRAINED, others(), 6, () -> {}, new SplittableRandom(5));

        assertThat(judged).hasSize(6).allMatch(JudgedBatch::fits).noneMatch(JudgedBatch::isLeftOut);
        assertThat(judged).allMatch(batch -> batch.distance() > 0);
        assertThat(judged).extracting(JudgedBatch::number).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(judge().judge(TRAINED, others(), 6, () -> {}, new SplittableRandom(5)))
                .isEqualTo(judged);
    }

    /** Planted: for each batch the action stays at hand for the batch of its training. */
    @Test
    void anActionThatIgnoresTheBatchMisses() {
        List<JudgedBatch> stuck = judge().judgeIgnoring(TRAINED, others(), 6, () -> {}, new SplittableRandom(5));
        List<JudgedBatch> judged = judge().judge(TRAINED, others(), 6, () -> {}, new SplittableRandom(5));

        assertThat(stuck)
                .noneMatch(JudgedBatch::fits)
                .allMatch(batch -> batch.missed().contains(Criterion.OUTPUT));
        for (int i = 0; i < 6; i++) {
            assertThat(stuck.get(i).condition()).isEqualTo(judged.get(i).condition());
            assertThat(stuck.get(i).value(Criterion.OUTPUT).orElseThrow())
                    .isGreaterThan(10 * judged.get(i).value(Criterion.OUTPUT).orElseThrow());
        }
    }

    @Test
    void anUntrainedActionMisses() {
        List<double[]> weights = new ArrayList<>(TRAINED.weights());
        weights.removeLast();
        weights.set(
                weights.size() - 2,
                Arrays.stream(weights.get(weights.size() - 2)).map(x -> 0.5 * x).toArray());
        BatchedAction halved = new BatchedAction(
                new BatchedShape(2, 2, 3, 3, 24, 2, 0.3, 0.01), TRAINED.generators(), weights, TRAINED.batch());

        List<JudgedBatch> judged = judge().judge(halved, others(), 4, () -> {}, new SplittableRandom(5));
        assertThat(judged)
                .noneMatch(JudgedBatch::fits)
                .allMatch(batch -> batch.missed().contains(Criterion.OUTPUT));
    }

    @Test
    void aBatchThatIsNotAdmissibleIsLeftOutAndCountsAsMissed() {
        Matrix alike = Matrix.gaussian(40, 3, new SplittableRandom(9));
        Arrays.setAll(alike.entries(), i -> 1 + 1e-8 * alike.entries()[i]);

        List<JudgedBatch> judged = judge().judge(TRAINED, POOL.with(alike), 3, () -> {}, new SplittableRandom(5));
        assertThat(judged).allMatch(JudgedBatch::isLeftOut).noneMatch(JudgedBatch::fits);
        assertThat(judged).allMatch(batch -> batch.condition() > 1e4);
        assertThat(judged.getFirst().value(Criterion.OUTPUT)).isEmpty();
    }
}
