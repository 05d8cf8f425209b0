package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.Calibration;
import org.isoloss.network.GaussianPoints;
import org.junit.jupiter.api.Test;

/** One action with generators at two scales: coefficients count in them as they are, and every test says the same of it. */
class RescaledGeneratorsTest {
    /** A power of two, so that the directions of norm 1 are the same bits. */
    private static final double SCALE = 1024;

    private record Rescaled(GroupAction action, Generators generators) implements GroupAction {
        static Rescaled of(GroupAction action) {
            Generators given = action.generators();
            return new Rescaled(
                    action,
                    Generators.of(IntStream.range(0, given.count())
                            .mapToObj(i -> given.get(i).scaled(SCALE))
                            .toList()));
        }

        @Override
        public int parameterCount() {
            return action.parameterCount();
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return action.apply(elements, parameters);
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return action.derivative(elements, directions, parameters);
        }
    }

    private static Evaluation evaluation(GroupAction action) {
        return Evaluator.of(Judged.split(action))
                .grid(EvaluationGrid.DECLARED)
                .fresh(new ScalarSite(-2))
                .reference(Rescaled.of(new ShearAction()))
                .run(new SplittableRandom(1));
    }

    @Test
    void theTestsSayTheSameAndCurvesCountInTheGeneratorAsItIs() {
        Evaluation unit = evaluation(new ShearAction());
        Evaluation scaled = evaluation(Rescaled.of(new ShearAction()));

        assertThat(scaled.cells()).isEqualTo(unit.cells());
        assertThat(scaled.tolerances()).isEqualTo(unit.tolerances());
        assertThat(scaled.dataDependence()).isEqualTo(unit.dataDependence());
        assertThat(scaled.referenceSpan()).isEqualTo(unit.referenceSpan());
        Orbits curve = scaled.orbits().getFirst();
        Orbits before = unit.orbits().getFirst();
        assertThat(curve.times()).endsWith(0.5 / SCALE);
        assertThat(curve.matchTime()).isEqualTo(0.3 / SCALE);
        assertThat(curve.learned()).isEqualTo(before.learned());
        assertThat(curve.random()).isEqualTo(before.random());
        assertThat(curve.matchedMotion()).isEqualTo(before.matchedMotion());
    }

    @Test
    void boundsAreTheSameAndTheirCurveCountsInTheGeneratorAsItIs() {
        BoundCase base = BoundCase.compensation(true);
        BoundCheck unit = bounds(base, base.action());
        BoundCheck scaled = bounds(base, Rescaled.of(base.action()));

        assertThat(scaled.output()).isEqualTo(unit.output());
        assertThat(scaled.composition()).isEqualTo(unit.composition());
        assertThat(scaled.curve().output()).isEqualTo(unit.curve().output());
        assertThat(scaled.curve().times()).endsWith(0.5 / SCALE);
        assertThat(scaled.curve().before()).isEqualTo(0.5 / SCALE);
    }

    private static BoundCheck bounds(BoundCase base, GroupAction action) {
        var tested = new JudgedAction(action, base.target(), base.points(), new Calibration(1, 1));
        return BoundCheck.of(tested, base.target()::jacobian, List.of(0.2, 0.5), 4, new SplittableRandom(1));
    }

    @Test
    void theAlgebraIsTheSame() {
        GroupAction shears = LinearAction.of(Matrix.of(2, 2, 0, 1, 0, 0), Matrix.of(2, 2, 0, 0, 1, 0));
        Matrix points = Matrix.of(3, 2, 1, 0.5, -2, 1, 0.3, 0.7);
        InfinitesimalAction unit = InfinitesimalAction.at(shears, points);
        InfinitesimalAction scaled = InfinitesimalAction.at(Rescaled.of(shears), points);
        assertThat(scaled.algebraDimension()).isEqualTo(unit.algebraDimension()).isEqualTo(3);
        assertThat(scaled.fields()).isEqualTo(unit.fields());
    }

    @Test
    void aWordMovesAsFarAsItsGeneratorsSay() {
        JudgedAction unit = Judged.split(new ShearAction());
        JudgedAction scaled = Judged.split(Rescaled.of(new ShearAction()));
        double[] origin = {0.3, 1.2, -0.4, 0.1};
        AppliedWord far = AppliedWord.of(unit, GroupWord.exp(0.5), origin);
        AppliedWord same = AppliedWord.of(scaled, GroupWord.exp(0.5 / SCALE), origin);

        assertThat(same.moved()).containsExactly(far.moved());
        assertThat(same.length()).isEqualTo(far.length()).isEqualTo(0.5);
        assertThat(same.motionPercent()).isEqualTo(far.motionPercent()).isPositive();
        assertThat(AppliedWord.of(scaled, GroupWord.exp(0.5), origin).moved()).isNotEqualTo(far.moved());
    }

    @Test
    void aWholeTurnMovesNothingAtAll() {
        var turning = new LinearAction(Generators.of(List.of(Matrix.of(2, 2, 0, 1, -1, 0))));
        var points = new GaussianPoints(new double[] {1, 2}, 0.1, 0);
        var tested = new JudgedAction(turning, new Sum(), points, new Calibration(1, 1));
        double[] origin = {1, 2};
        AppliedWord turn = AppliedWord.of(tested, GroupWord.exp(2 * Math.PI), origin);

        assertThat(turn.isIdentity()).isTrue();
        assertThat(turn.moved()).containsExactly(origin);
        assertThat(turn.motionPercent()).isZero();
        assertThat(turn.outputError()).isZero();
        AppliedWord quarter = AppliedWord.of(tested, GroupWord.exp(Math.PI / 2), origin);
        assertThat(quarter.isIdentity()).isFalse();
        // (1, 2) turns to (2, -1): a motion of sqrt(10) of a norm of sqrt(5), and a sum of 1 instead of 3
        assertThat(quarter.motionPercent()).isCloseTo(100 * Math.sqrt(2), within(1e-9));
        assertThat(quarter.outputError()).isCloseTo(2, within(1e-12));
    }

    private record Sum() implements Target {
        @Override
        public int parameterCount() {
            return 2;
        }

        @Override
        public int outputCount() {
            return 1;
        }

        @Override
        public Matrix outputs(Matrix parameters) {
            Matrix sums = Matrix.zeros(parameters.rows(), 1);
            for (int row = 0; row < parameters.rows(); row++) {
                sums.set(row, 0, parameters.get(row, 0) + parameters.get(row, 1));
            }
            return sums;
        }
    }
}
