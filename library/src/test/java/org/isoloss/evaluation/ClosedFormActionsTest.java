package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.action.CompensatingAction;
import org.isoloss.action.GroupAction;
import org.isoloss.action.HiddenBasisAction;
import org.isoloss.action.RescalingAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Target;
import org.isoloss.network.Activation;
import org.isoloss.network.Calibration;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.GaussianPoints;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.NonsingularPoints;
import org.isoloss.network.PointSampler;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole evaluation of actions that obey every law to rounding, on the settings of the paper. */
class ClosedFormActionsTest {
    private static final double ROUNDING = 1e-12;

    /** The cells of the paper with a quarter of its samples. */
    private static final EvaluationGrid GRID =
            new EvaluationGrid(EvaluationGrid.PAPER.radii(), EvaluationGrid.PAPER.factors(), 128);

    static Stream<Named<JudgedAction>> actions() {
        return Stream.of(
                Named.of("a change of hidden basis", linear(Matrix.of(2, 2, 0.5, -0.3, 0.8, 0.1))),
                Named.of(
                        "two shears that do not commute",
                        linear(Matrix.of(2, 2, 0, 1, 0, 0), Matrix.of(2, 2, 0, 0, 1, 0))),
                Named.of("rescalings of ReLU units", relu()),
                Named.of("compensation in plain coordinates", compensation(true)),
                Named.of("compensation in reduced coordinates", compensation(false)));
    }

    /**
     * Signed factors may cancel until nearly nothing moves, and rounding is no longer small beside that: for words of
     * several factors the largest errors relative to motion have no such bound, the 95th percentiles have.
     */
    @ParameterizedTest(name = "{0}")
    @MethodSource("actions")
    void scoresAtMostRoundingEverywhere(JudgedAction tested) {
        Evaluation evaluation = Evaluator.of(tested)
                .grid(GRID)
                .fresh(tested.target())
                .reference(tested.action())
                .run(new SplittableRandom(20));
        assertThat(evaluation.missed()).isEmpty();
        assertThat(evaluation.fits()).isTrue();
        assertThat(evaluation.cells()).hasSize(20).allSatisfy(cell -> {
            assertThat(cell.output().max()).isLessThan(ROUNDING);
            assertThat(cell.composition().p95()).isLessThan(ROUNDING);
            assertThat(cell.inverse().p95()).isLessThan(ROUNDING);
            assertThat(cell.transport().max()).isLessThan(ROUNDING);
            assertThat(cell.subdivision().max()).isLessThan(ROUNDING);
            cell.cancellation().ifPresent(error -> assertThat(error.p95()).isLessThan(ROUNDING));
            if (cell.factors() == 1) {
                assertThat(cell.composition().max()).isLessThan(ROUNDING);
                assertThat(cell.inverse().max()).isLessThan(ROUNDING);
            }
        });
        assertThat(evaluation.orbits())
                .allSatisfy(orbits -> assertThat(orbits.largestDrift()).isLessThan(ROUNDING));
        DataDependence data = evaluation.dataDependence().orElseThrow();
        assertThat(data.conditioning().max()).isLessThan(ROUNDING);
        assertThat(data.fresh()).isEqualTo(data.conditioning());
        ReferenceSpan span = evaluation.referenceSpan().orElseThrow();
        int generators = tested.action().generators().count();
        assertThat(span.maxError()).isLessThan(ROUNDING);
        assertThat(span.orbitRank()).isEqualTo(generators);
        assertThat(span.fieldDimension().orElseThrow().rank()).isEqualTo(generators);
    }

    private static JudgedAction tested(GroupAction action, Target target, PointSampler points) {
        return new JudgedAction(action, target, points, Calibration.of(target, points, new SplittableRandom(21)));
    }

    private static JudgedAction linear(Matrix... generators) {
        DenseNetwork network = new DenseNetwork(
                Activation.IDENTITY, List.of(DenseLayer.of(Matrix.identity(2)), DenseLayer.of(Matrix.identity(2))));
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.identity(2));
        PointSampler points = new NonsingularPoints(
                new GaussianPoints(target.origin(), 0.2, 0),
                List.of(new NonsingularPoints.Factor(0, 2), new NonsingularPoints.Factor(4, 2)));
        return tested(HiddenBasisAction.of(network, Generators.normalising(List.of(generators))), target, points);
    }

    private static JudgedAction relu() {
        var random = new SplittableRandom(22);
        DenseNetwork network = Networks.random(random, Activation.RELU, false, 2, 4, 2);
        ModelTarget target =
                DenseTarget.outputs(network, Support.all(network.layout()), Networks.gaussian(random, 16, 2));
        return tested(RescalingAction.of(network), target, new GaussianPoints(target.origin(), 0.3, 0));
    }

    private static JudgedAction compensation(boolean plain) {
        var random = new SplittableRandom(23);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 4, 12, 3);
        CompensationSite site = CompensationSite.choose(
                network.block(0), Networks.gaussian(random, 3, 4), new MovingUnits.MostSensitive(1));
        SiteCoordinates coordinates = plain ? SiteCoordinates.plain(site) : SiteCoordinates.reduced(site);
        PointSampler points = new GaussianPoints(coordinates.origin(), 0.2 * coordinates.weightScale(), 0.2);
        List<Matrix> direction = List.of(coordinates.incomingPart(
                Networks.gaussian(random, 1, coordinates.parameterCount()).entries()));
        Matrix contribution =
                coordinates.movingOutputs(Matrix.of(1, coordinates.parameterCount(), coordinates.origin()));
        return new JudgedAction(
                CompensatingAction.along(coordinates, direction),
                coordinates,
                points,
                new Calibration(coordinates.weightScale(), contribution.frobeniusNorm()));
    }
}
