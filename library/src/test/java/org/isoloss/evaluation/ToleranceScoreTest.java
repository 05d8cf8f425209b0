package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.evaluation.Requirement.Bound;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Calibration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToleranceScoreTest {
    private static final EvaluationGrid GRID = new EvaluationGrid(List.of(0.5), List.of(1, 2), 128);

    private static JudgedAction compensation(double size) {
        BoundCase exact = BoundCase.compensation(true);
        Calibration scales = Calibration.of(exact.target(), exact.points(), new SplittableRandom(1));
        return new JudgedAction(new PerturbedAction(exact.action(), 0, size), exact.target(), exact.points(), scales);
    }

    /** The short look sees the samples of the long one, so it never says worse than that. */
    @ParameterizedTest(name = "a mistake of {0}")
    @ValueSource(doubles = {1e-6, 1e-4, 1e-3, 1e-2, 1})
    void theOutputsAloneAreNoWorseThanEverything(double size) {
        JudgedAction tested = compensation(size);
        List<ErrorCell> cells = FiniteActionErrors.run(tested, GRID, new SplittableRandom(5));
        double early = ToleranceScore.ofOutputs(tested, new SplittableRandom(5));
        double output = cells.getFirst().output().p95() / Tolerances.PAPER.output();
        double cancellation = cells.getFirst()
                .cancellation()
                .map(errors -> errors.p95() / Tolerances.PAPER.cancellation())
                .orElse(0.0);

        assertThat(early).isEqualTo(Math.max(output, cancellation)).isPositive();
        assertThat(ToleranceScore.of(tested, new SplittableRandom(5)).ratio()).isGreaterThanOrEqualTo(early);
    }

    /** An error counts as the share of its tolerance; motion, where there is enough of it, not at all. */
    @Test
    void motionCountsOnlyWhereItIsMissed() {
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_MOST, 2, 1, true)))
                .isEqualTo(0.5);
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_MOST, 2, 3, false)))
                .isEqualTo(1.5);
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, 2, true)))
                .isZero();
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, 0.5, false)))
                .isEqualTo(4);
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, 0, false)))
                .isInfinite();
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_LEAST, 2, Double.NaN, false)))
                .isInfinite();
        assertThat(ToleranceScore.ratio(new Requirement(Bound.AT_MOST, 2, Double.NaN, false)))
                .isInfinite();
    }

    @Test
    void theLargestShareOfATolerancesDecides() {
        Map<String, Requirement> judged = new LinkedHashMap<>();
        judged.put("output", Requirement.of(Bound.AT_MOST, 1e-3, 5e-4));
        judged.put("inverse", Requirement.of(Bound.AT_MOST, 1e-2, 2e-2));
        judged.put("motion", Requirement.of(Bound.AT_LEAST, 0.05, 0.2));
        ToleranceScore score = ToleranceScore.of(judged);

        assertThat(score.ratio()).isEqualTo(2);
        assertThat(score.decisive()).isEqualTo("inverse");
        assertThat(score.values()).containsEntry("output", 5e-4).containsEntry("motion", 0.2);
    }

    /** A verdict refuses an action with one sample that is no number, and so does the score, though no percentile sees it. */
    @Test
    void oneSampleThatIsNoNumberIsSeen() {
        JudgedAction good = compensation(1e-6);
        JudgedAction rarely = new JudgedAction(
                new RareNan(good.action(), largestFirst(good)), good.target(), good.points(), good.calibration());
        ToleranceScore score = ToleranceScore.of(rarely, new SplittableRandom(5));

        assertThat(ToleranceScore.of(good, new SplittableRandom(5)).ratio()).isLessThan(1);
        assertThat(score.values().get("output")).isLessThan(Tolerances.PAPER.output());
        assertThat(score.ratio()).isInfinite();
        assertThat(score.decisive()).contains("at radius 0.5");
    }

    /** A number that few of 2,000 points exceed. */
    private static double largestFirst(JudgedAction tested) {
        double[] first = tested.draw(new SplittableRandom(2), 2_000).column(0);
        Arrays.sort(first);
        return first[1_960];
    }

    /** An action that is no number at few points. */
    private record RareNan(GroupAction exact, double above) implements GroupAction {
        @Override
        public Generators generators() {
            return exact.generators();
        }

        @Override
        public int parameterCount() {
            return exact.parameterCount();
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            Matrix moved = exact.apply(elements, parameters).copy();
            for (int row = 0; row < moved.rows(); row++) {
                if (parameters.get(row, 0) > above) {
                    moved.set(row, 0, Double.NaN);
                }
            }
            return moved;
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return exact.derivative(elements, directions, parameters);
        }
    }
}
