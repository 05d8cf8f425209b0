package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.Calibration;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Test;

class ExactFlowTest {
    /** The tolerance of the integrator, a hundred times over. */
    private static final double INTEGRATED = 1e-10;

    private static final EvaluationGrid GRID = new EvaluationGrid(List.of(0.5, 1.2), List.of(1, 2, 4), 16);

    private static JudgedAction site(SplittableRandom random) {
        DenseNetwork network = Networks.random(random, Activation.SIGMOID, false, 2, 4, 2);
        SiteCoordinates coordinates = SiteCoordinates.plain(CompensationSite.choose(
                network.block(0), Networks.gaussian(random, 2, 2), new MovingUnits.LargestContribution(1)));
        return tested(CompensatingAction.at(coordinates), coordinates, coordinates.origin(), 0.1);
    }

    private static JudgedAction tested(
            GroupAction action, DifferentiableTarget target, double[] origin, double deviation) {
        var points = new GaussianPoints(origin, deviation, 0);
        return new JudgedAction(action, target, points, Calibration.of(target, points, new SplittableRandom(1)));
    }

    private static Evaluation evaluate(JudgedAction tested) {
        return Evaluator.of(tested)
                .grid(GRID)
                .yardstick((DifferentiableTarget) tested.target(), () -> {})
                .run(new SplittableRandom(5));
    }

    @Test
    void theFlowMovesAsFarAndErrsByItsArithmeticAlone() {
        Evaluation evaluation = evaluate(site(new SplittableRandom(2)));
        ExactFlow flow = evaluation.yardstick().orElseThrow();

        assertThat(flow.matchedMotion())
                .isCloseTo(evaluation.orbits().getFirst().matchedMotion(), within(0.01 * flow.matchedMotion()));
        assertThat(flow.cells()).hasSize(4).allSatisfy(cell -> {
            assertThat(cell.output().max()).isLessThan(INTEGRATED);
            assertThat(cell.composition().max()).isLessThan(INTEGRATED);
            assertThat(cell.inverse().max()).isLessThan(INTEGRATED);
            assertThat(cell.transport().max()).isLessThan(INTEGRATED);
            assertThat(cell.motion().p50()).isGreaterThan(0.01);
        });
        assertThat(flow.fits()).isTrue();
        assertThat(flow.stopped()).isZero();
        assertThat(flow.cell(1.2, 2).factors()).isEqualTo(2);
        assertThatThrownBy(() -> flow.cell(0.5, 4))
                .hasMessage("ExactFlow: there is no cell of radius 0.5 and 4 factors");
    }

    /** What a progress bar says is left comes to nothing in the end. */
    @Test
    void asManyCurvesAreFollowedAsAreAnnounced() {
        JudgedAction tested = site(new SplittableRandom(2));
        for (EvaluationGrid grid : List.of(GRID, GRID.part(List.of(0.5), List.of(1, 2)))) {
            var followed = new AtomicLong();
            Evaluator evaluator = Evaluator.of(tested)
                    .grid(grid)
                    .yardstick((DifferentiableTarget) tested.target(), followed::incrementAndGet);
            evaluator.run(new SplittableRandom(5));
            assertThat(followed.get()).isEqualTo(evaluator.curves());
        }
    }

    @Test
    void askingForItChangesNoOtherPart() {
        JudgedAction tested = site(new SplittableRandom(2));
        Evaluation with = evaluate(tested);
        Evaluation without = Evaluator.of(tested).grid(GRID).run(new SplittableRandom(5));

        assertThat(without.yardstick()).isEmpty();
        assertThat(with.cells()).isEqualTo(without.cells());
        assertThat(with.orbits()).isEqualTo(without.orbits());
        assertThat(with.toJson()).contains("\"yardstick\"", "\"matched_motion\"");
        assertThat(without.toJson()).doesNotContain("yardstick");
        assertThat(Evaluation.fromJson(with.toJson(), "planted")).isEqualTo(with);
    }

    @Test
    void theDeclaredCellsAreThoseOfTheWholeGrid() {
        JudgedAction tested = site(new SplittableRandom(2));
        Evaluator evaluator = Evaluator.of(tested).yardstick((DifferentiableTarget) tested.target(), () -> {});
        Evaluation whole = evaluator.grid(GRID).run(new SplittableRandom(5));
        Evaluation part = evaluator.grid(GRID.part(List.of(0.5), List.of(1, 2))).run(new SplittableRandom(5));

        assertThat(part.yardstick().orElseThrow().cells())
                .containsExactly(
                        whole.yardstick().orElseThrow().cell(0.5, 1),
                        whole.yardstick().orElseThrow().cell(0.5, 2));
    }

    /** A field that is not projected changes the outputs, and the same tests see it. */
    @Test
    void theTestsSeeAFlowOfAnotherFunction() {
        JudgedAction tested = site(new SplittableRandom(2));
        SiteCoordinates other = (SiteCoordinates) site(new SplittableRandom(3)).target();
        ExactFlow wrong = ExactFlow.of(tested, other, 0.1, GRID, Tolerances.PAPER, () -> {}, new SplittableRandom(5));

        assertThat(wrong.cell(0.5, 1).output().p95()).isGreaterThan(1e-3);
        assertThat(wrong.cell(0.5, 1).composition().max()).isLessThan(INTEGRATED);
        assertThat(wrong.fits()).isFalse();
    }

    /** Around the point where a unit with one input falls silent, flows meet points of rank 0. */
    @Test
    void aFlowThatMeetsARankChangeLeavesNoNumberAndIsCounted() {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.RELU, false, 1, 1, 1);
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.of(1, 1, 1.0));
        ExactFlow flow = ExactFlow.of(
                tested(new Still(), target, new double[] {0, 1}, 0.5),
                target,
                0,
                GRID,
                Tolerances.PAPER,
                () -> {},
                new SplittableRandom(5));

        assertThat(flow.stopped()).isPositive();
        assertThat(flow.firstStop().orElseThrow())
                .contains(
                        "the rank of the Jacobian changed from", "at t = ", "stay before it, or choose another field");
        assertThat(flow.cell(1.2, 1).output().max()).isNaN();
        assertThat(flow.fits()).isFalse();
    }

    /** The action of R that moves nothing. */
    private static final class Still implements GroupAction {
        @Override
        public Generators generators() {
            return Generators.normalising(List.of(Matrix.of(2, 2, 0, 1, 0, 0)));
        }

        @Override
        public int parameterCount() {
            return 2;
        }

        @Override
        public Matrix apply(Matrix elements, Matrix parameters) {
            return parameters.copy();
        }

        @Override
        public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
            return Matrix.zeros(parameters.rows(), parameters.columns());
        }
    }
}
