package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import org.isoloss.action.GroupAction;
import org.isoloss.network.Calibration;
import org.junit.jupiter.api.Test;

/** Cells of a trained action on several threads: the bits of one thread, and of an action that is never copied. */
class ParallelCellsTest {
    private static final EvaluationGrid GRID = new EvaluationGrid(List.of(0.1, 0.3, 0.5), List.of(1, 2, 4), 40);

    private static JudgedAction untrained() {
        BoundCase drawn = BoundCase.untrained();
        Calibration scales = Calibration.of(drawn.target(), drawn.points(), new SplittableRandom(1));
        return new JudgedAction(drawn.action(), drawn.target(), drawn.points(), scales);
    }

    private static List<ErrorCell> cells(JudgedAction tested, int threads) throws Exception {
        try (ForkJoinPool pool = new ForkJoinPool(threads)) {
            return pool.submit(() -> FiniteActionErrors.run(tested, GRID, new SplittableRandom(3)))
                    .get();
        }
    }

    @Test
    void theCellsDoNotDependOnTheNumberOfThreads() throws Exception {
        List<ErrorCell> one = cells(untrained(), 1);

        assertThat(one).hasSize(9);
        assertThat(cells(untrained(), 4)).isEqualTo(one);
        assertThat(cells(untrained(), 9)).isEqualTo(one);
        JudgedAction tested = untrained();
        GroupAction unknown = new PerturbedAction(tested.action(), 0, 0); // of no known class, so one after the other
        assertThat(cells(new JudgedAction(unknown, tested.target(), tested.points(), tested.calibration()), 4))
                .isEqualTo(one);
    }

    @Test
    void everyCellIsTold() {
        AtomicInteger told = new AtomicInteger();
        FiniteActionErrors.run(untrained(), GRID, told::incrementAndGet, new SplittableRandom(3));
        Evaluator evaluator = Evaluator.of(untrained()).grid(GRID).beyond().progress(told::incrementAndGet);
        evaluator.run(new SplittableRandom(3));

        assertThat(told).hasValue(9 + 14);
        assertThat(evaluator.cells()).isEqualTo(14);
    }
}
