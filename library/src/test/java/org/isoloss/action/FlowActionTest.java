package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.ModelTarget;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.DenseTarget;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowActionTest {
    /** What is promised over the radii of the finite-action tests. */
    private static final double PROMISED = 1e-9;

    @Nested
    class TwoLayers extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(Networks.random(random, Activation.SIGMOID, true, 2, 3, 2), random);
        }
    }

    @Nested
    class FirstAndLastOfFourLayers extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.TANH, false, 2, 4, 4, 2);
            Support support = Support.tensors(network.layout(), "0.weight", "4.weight");
            return flow(DenseTarget.outputs(network, support, Networks.gaussian(random, 2, 2)), random);
        }
    }

    /** More outputs than the rank of their Jacobian: a linear network. */
    @Nested
    class DependentOutputs extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.IDENTITY, false, 2, 2, 2);
            return flow(
                    DenseTarget.outputs(network, Support.all(network.layout()), Networks.gaussian(random, 5, 2)),
                    random);
        }
    }

    @Nested
    class ReducedSite extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.GELU, true, 4, 9, 3);
            return flow(
                    SiteCoordinates.reduced(CompensationSite.choose(
                            network.block(0), Networks.gaussian(random, 3, 4), new MovingUnits.LargestContribution(1))),
                    random);
        }
    }

    private static GroupActionContract.Instance whole(DenseNetwork network, SplittableRandom random) {
        return flow(
                DenseTarget.outputs(network, Support.all(network.layout()), Networks.gaussian(random, 2, 2)), random);
    }

    private static GroupActionContract.Instance flow(DifferentiableTarget target, SplittableRandom random) {
        double[] origin =
                target instanceof ModelTarget network ? network.origin() : ((SiteCoordinates) target).origin();
        Matrix points =
                GroupActionContract.around(new double[origin.length], 4, random).scaled(0.5);
        for (int row = 0; row < points.rows(); row++) {
            for (int i = 0; i < origin.length; i++) {
                points.set(row, i, points.get(row, i) + origin[i]);
            }
        }
        double[] direction = Networks.gaussian(random, 1, origin.length).entries();
        return new GroupActionContract.Instance(FlowAction.of(target, VectorField.constant(direction)), target, points);
    }

    /** Both ways along the longest radius of the tests, and back, in one and in two steps. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13})
    void outputsAndGroupLawHoldOverTheTestRadii(long seed) {
        var random = new SplittableRandom(seed);
        GroupActionContract.Instance instance =
                whole(Networks.random(random, Activation.TANH, true, 3, 5, 2), random, 3);
        FlowAction flow = (FlowAction) instance.action();
        Matrix before = instance.target().outputs(instance.points());
        for (double time : new double[] {0.1, -0.3, 0.5, -0.8, 1.2}) {
            Matrix moved = at(flow, time, instance.points());
            Matrix halfway = at(flow, 0.37 * time, instance.points());
            assertThat(instance.target().outputs(moved).minus(before).largestMagnitude())
                    .isLessThan(PROMISED);
            assertThat(at(flow, 0.63 * time, halfway).minus(moved).largestMagnitude())
                    .isLessThan(PROMISED);
            assertThat(at(flow, -time, moved).minus(instance.points()).largestMagnitude())
                    .isLessThan(PROMISED);
            assertThat(moved.minus(instance.points()).frobeniusNorm()).isGreaterThan(0.1 * Math.abs(time));
        }
    }

    private static GroupActionContract.Instance whole(DenseNetwork network, SplittableRandom random, int inputs) {
        return flow(
                DenseTarget.outputs(
                        network,
                        Support.all(network.layout()),
                        Networks.gaussian(random, inputs, network.widths().getFirst())),
                random);
    }

    private static Matrix at(FlowAction flow, double time, Matrix points) {
        Matrix elements = Matrix.zeros(points.rows(), 4);
        IntStream.range(0, points.rows())
                .forEach(row -> System.arraycopy(new double[] {1, time, 0, 1}, 0, elements.entries(), 4 * row, 4));
        return flow.apply(elements, points);
    }

    /** F = u tanh(v x) for one input x = 1: its level sets are curves, and (0, 0) is the only point of rank 0. */
    private static FlowAction scalar(double... direction) {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.TANH, false, 1, 1, 1);
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.of(1, 1, 1.0));
        return FlowAction.of(target, VectorField.constant(direction));
    }

    /**
     * Parameters are (v, u). With v = 0 the path runs along the line of output 0 through the point of rank 0 at t = 1. The
     * field is constant there, so the integrator goes the whole way in a few steps, each of which begins and ends at rank 1.
     */
    @ParameterizedTest(name = "t = {0}")
    @ValueSource(doubles = {1.2, 1.0, 1.0 + 1e-7, 2.1, 30})
    void aPointOfLowerRankIsFoundAndNotSteppedOver(double time) {
        FlowAction flow = scalar(0, -1);

        FlowPath path = flow.follow(time, new double[] {0, 1});
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.RANK_CHANGED);
        assertThat(path.time()).isCloseTo(1, within(2e-8));
        assertThat(path.rank()).isEqualTo(1);
        assertThat(path.rankThere()).isZero();
        assertThat(path.point()[1]).isCloseTo(0, within(2e-8));
        assertThat(path.singularValues()[0]).isLessThan(1e-8);

        var thrown = catchThrowableOfType(RankChangeException.class, () -> at(flow, time, Matrix.of(1, 2, 0.0, 1.0)));
        assertThat(thrown)
                .hasMessageMatching(
                        "FlowAction: the rank of the Jacobian changed from 1 to 0 at t = (1\\.0000000\\d|0\\.99999999\\d), singular values \\[.*]: the flow is not defined beyond; stay before it, or choose another field");
        assertThat(thrown.time()).isEqualTo(path.time());
        assertThat(thrown.before()).isEqualTo(1);
        assertThat(thrown.after()).isZero();
    }

    @Test
    void backwardsTheTimeOfTheChangeIsNegative() {
        FlowPath path = scalar(0, 1).follow(-1.2, new double[] {0, 1});
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.RANK_CHANGED);
        assertThat(path.time()).isCloseTo(-1, within(2e-8));
    }

    @Test
    void aPathThatEndsBeforeOrPassesBesideArrives() {
        assertThat(scalar(0, -1).follow(0.999, new double[] {0, 1}).outcome()).isEqualTo(FlowPath.Outcome.ARRIVED);
        FlowPath beside = scalar(1, -1).follow(1.2, new double[] {1e-3, 1});
        assertThat(beside.outcome()).isEqualTo(FlowPath.Outcome.ARRIVED);
        assertThat(beside.point()[1] * Math.tanh(beside.point()[0])).isCloseTo(Math.tanh(1e-3), within(1e-14));
    }

    /** From the point of rank 0 every direction is allowed, a moment later only one. */
    @Test
    void aRankThatRisesIsReportedToo() {
        FlowPath path = scalar(1, 1).follow(0.5, new double[] {0, 0});
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.RANK_CHANGED);
        assertThat(path.time()).isCloseTo(0, within(1e-8));
        assertThat(path.rank()).isZero();
        assertThat(path.rankThere()).isEqualTo(1);
    }

    /** The derivative jumps at the kink, the rank does not. */
    @Test
    void theFlowGoesOnAcrossAKink() {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.LEAKY_RELU, true, 1, 1, 1);
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.of(1, 1, 1.0));
        FlowAction flow = FlowAction.of(target, VectorField.constant(-1, 0, 0, 0));
        double[] start = {0.3, 0.1, 0.8, 0.2};
        FlowPath path = flow.follow(1.2, start);
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.ARRIVED);
        assertThat(path.point()[0] + path.point()[1]).isNegative();
        Matrix outputs = target.outputs(Matrix.of(
                2, 4, 0.3, 0.1, 0.8, 0.2, path.point()[0], path.point()[1], path.point()[2], path.point()[3]));
        assertThat(outputs.get(1, 0)).isCloseTo(outputs.get(0, 0), within(PROMISED));
    }

    @Test
    void aFieldWithoutAPartInTheNullSpaceMovesNothing() {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.TANH, false, 1, 1, 1);
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.of(1, 1, 1.0));
        FlowAction flow = FlowAction.of(target, point -> target.jacobian(point).row(0));
        FlowPath path = flow.follow(1, new double[] {0.4, 0.9});
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.ARRIVED);
        assertThat(path.point()[0]).isCloseTo(0.4, within(1e-15));
    }

    @Test
    void withoutProjectionTheOutputsWouldDrift() {
        FlowAction flow = scalar(1, 0.5);
        double[] end = flow.follow(0.5, new double[] {0.4, 0.9}).orThrow();
        double before = 0.9 * Math.tanh(0.4);
        assertThat(end[1] * Math.tanh(end[0])).isCloseTo(before, within(1e-14));
        assertThat(Math.abs((0.9 + 0.25) * Math.tanh(0.4 + 0.5) - before)).isGreaterThan(0.1);
    }

    @Test
    void aLooserToleranceIsLessExact() {
        double[] exact = scalar(1, 0).follow(1.2, new double[] {0.4, 0.9}).orThrow();
        FlowPath loose = scalar(1, 0).withTolerance(1e-4).follow(1.2, new double[] {0.4, 0.9});
        assertThat(Math.abs(loose.orThrow()[1] - exact[1])).isBetween(1e-13, 1e-4);
        assertThat(loose.evaluations()).isBetween(1, 200);
    }

    /** From both sides the field points to u = 1/2, where steps must shrink without end. */
    @Test
    void aPathThatCannotGoOnSaysSo() {
        DenseNetwork network = Networks.random(new SplittableRandom(1), Activation.TANH, false, 1, 1, 1);
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), Matrix.of(1, 1, 1.0));
        FlowAction flow = FlowAction.of(target, point -> new double[] {0, point[1] > 0.5 ? -1 : 1});
        FlowPath path = flow.follow(1, new double[] {0, 1});
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.STUCK);
        assertThat(path.time()).isCloseTo(0.5, within(1e-6));
        assertThatThrownBy(path::orThrow)
                .isInstanceOf(ArithmeticException.class)
                .hasMessageMatching(
                        "FlowAction: stuck at t = 0\\.(5|4999)\\d* after \\d+ evaluations of the field, rank 1, singular values \\[.*]: the field is not smooth there; stay before it, or loosen the tolerance");
    }

    @Test
    void whatDoesNotFitIsRefused() {
        FlowAction flow = scalar(1, 0);
        assertThatThrownBy(() -> flow.follow(Double.NaN, new double[2]))
                .hasMessage("FlowAction: 2 parameters and t = NaN, expected 2 parameters and a finite t");
        assertThatThrownBy(() -> flow.follow(1, new double[3]))
                .hasMessage("FlowAction: 3 parameters and t = 1.0, expected 2 parameters and a finite t");
        assertThatThrownBy(() -> flow.follow(1, new double[] {Double.NaN, 0})).hasMessageContaining("the point");
        assertThatThrownBy(() -> scalar(1, 2, 3).follow(1, new double[] {1, 1}))
                .hasMessage("FlowAction: the field has 3 components at a point of 2 parameters");
        assertThatThrownBy(() -> flow.withTolerance(0))
                .hasMessage("FlowAction.withTolerance: 0.0, expected a number from 1e-15 to 1e-3");
    }
}
