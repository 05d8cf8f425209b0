package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.discovery.ActionArchitecture.Displacement;
import org.isoloss.linalg.BoundGemm;
import org.isoloss.network.GaussianPoints;
import org.junit.jupiter.api.Test;

/** The matrix products of a step are all of it: their work is that of the dense layers, counted by hand. */
class TrainingProductsTest {
    private static final int BATCH = 4;

    /** In batches: 5 in the call at the evaluation points, 3 at the points reached. */
    private static final int ROWS = 8;

    @Test
    void aHiddenLayerAddsItsThreeProductsForEveryRow() {
        long added = flops(16, 3) - flops(16, 2);
        double batchThroughLayer = 2.0 * BATCH * 16 * 16;
        // also half a batch on its way to the detached points, forward only; the rest are the gradients of a bias
        assertThat(added / batchThroughLayer).isBetween(3 * ROWS + 0.5, 3 * ROWS + 1.5);
    }

    @Test
    void theirWorkGrowsWithTheSquareOfTheWidth() {
        double ratio = (double) (flops(64, 3) - flops(64, 2)) / (flops(32, 3) - flops(32, 2));
        assertThat(ratio).isBetween(3.5, 4.0);
    }

    private static long flops(int width, int depth) {
        PreservedFunction.Example example = PreservedFunction.LINEAR_NETWORK.example(new SplittableRandom(1));
        Recipe base = Recipe.PAPER_STRONG;
        Displacement network = (Displacement) base.architecture();
        Recipe recipe = new Recipe(
                new Displacement(width, depth, network.initialization(), network.law()),
                10,
                BATCH,
                base.learningRate(),
                base.weights(),
                0.5,
                base.words(),
                0,
                new OptimizerChoice.Adam(),
                10);
        Problem problem =
                new Problem(example.target(), new GaussianPoints(example.origin(), 0.1, 0), Group.ONE_GENERATOR, 1, 1);
        List<BoundGemm> products = new Training(problem, ObjectiveKind.HYBRID, recipe, 1).products();
        return products.stream().mapToLong(BoundGemm::flops).sum();
    }
}
