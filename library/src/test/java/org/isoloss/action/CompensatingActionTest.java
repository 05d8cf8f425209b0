package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.lie.GroupWord;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.CompensationSite;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.GatedBlock;
import org.isoloss.network.GatedRows;
import org.isoloss.network.MovingRows;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.SiteCoordinates;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class CompensatingActionTest {
    @Nested
    class PlainCoordinates extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return at(SiteCoordinates.plain(site(random, Activation.TANH, true, 1)), random);
        }
    }

    @Nested
    class ReducedCoordinates extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return at(SiteCoordinates.reduced(site(random, Activation.GELU, true, 1)), random);
        }
    }

    @Nested
    class TwoMovingUnits extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return at(SiteCoordinates.reduced(site(random, Activation.SIGMOID, false, 2)), random);
        }
    }

    @Nested
    class OneDirection extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            SiteCoordinates coordinates = SiteCoordinates.reduced(site(random, Activation.SILU, true, 1));
            Matrix direction = Networks.gaussian(random, 1, coordinates.incomingCount());
            return new Instance(
                    CompensatingAction.along(coordinates, List.of(direction)),
                    coordinates,
                    around(coordinates.origin(), 8, random));
        }
    }

    @Nested
    class GateOfAGatedBlock extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return at(SiteCoordinates.reduced(gatedSite(random, MovingRows.GATE)), random);
        }
    }

    @Nested
    class GateAndUpOfAGatedBlock extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return at(SiteCoordinates.reduced(gatedSite(random, MovingRows.GATE_AND_UP)), random);
        }
    }

    private static CompensationSite gatedSite(SplittableRandom random, MovingRows moving) {
        GatedBlock block = GatedBlock.of(
                Activation.SILU,
                DenseLayer.of(Networks.gaussian(random, 9, 4)),
                DenseLayer.of(Networks.gaussian(random, 9, 4)),
                DenseLayer.of(Networks.gaussian(random, 3, 9)));
        return CompensationSite.choose(
                new GatedRows(block, moving), Networks.gaussian(random, 3, 4), new MovingUnits.MostSensitive(1));
    }

    private static GroupActionContract.Instance at(SiteCoordinates coordinates, SplittableRandom random) {
        return new GroupActionContract.Instance(
                CompensatingAction.at(coordinates),
                coordinates,
                GroupActionContract.around(coordinates.origin(), 8, random));
    }

    private static CompensationSite site(SplittableRandom random, Activation activation, boolean biased, int moving) {
        DenseNetwork network = Networks.random(random, activation, biased, 4, 9, 3);
        return CompensationSite.choose(
                network.block(0), Networks.gaussian(random, 3, 4), new MovingUnits.LargestContribution(moving));
    }

    /** The example of two sigmoid units in the paper's appendix. */
    @Test
    void twoSigmoidUnitsCompensateEachOther() {
        double u1 = 0.7;
        double u2 = -1.3;
        double v1 = 0.4;
        double v2 = 0.9;
        double x = 1.3;
        double q = 0.35;
        DenseNetwork network = new DenseNetwork(
                Activation.SIGMOID,
                List.of(DenseLayer.of(Matrix.of(2, 1, v1, v2)), DenseLayer.of(Matrix.of(1, 2, u1, u2))));
        SiteCoordinates coordinates = SiteCoordinates.plain(
                CompensationSite.of(network.block(0), Matrix.of(1, 1, x), new int[] {1}, new int[] {0}));
        CompensatingAction action = CompensatingAction.at(coordinates);
        assertThat(action.generators().size()).isEqualTo(2);
        Matrix element = GroupWord.exp(q).matrix(action.generators());
        double[] moved = action.apply(Matrix.over(1, 4, element.entries()), Matrix.over(1, 2, coordinates.origin()))
                .entries();
        double compensated = u1 + u2 * (sigmoid(v2 * x) - sigmoid((v2 + q) * x)) / sigmoid(v1 * x);
        assertThat(moved[0]).isCloseTo(compensated, within(1e-15));
        assertThat(moved[1]).isEqualTo(v2 + q);

        double[] full = network.parameters();
        coordinates.site().support(network.layout(), 0).scatter(coordinates.toPlain(moved), full);
        assertThat(full).containsExactly(v1, v2 + q, moved[0], u2);
        double before =
                network.outputs(network.parameters(), Matrix.of(1, 1, x)).get(0, 0);
        assertThat(network.outputs(full, Matrix.of(1, 1, x)).get(0, 0)).isCloseTo(before, within(1e-15));
        // only the protected input is protected
        double elsewhere =
                network.outputs(network.parameters(), Matrix.of(1, 1, -2)).get(0, 0);
        assertThat(Math.abs(network.outputs(full, Matrix.of(1, 1, -2)).get(0, 0) - elsewhere))
                .isGreaterThan(0.01);
    }

    @Test
    void theUnitsContributionsCancel() {
        var random = new SplittableRandom(8);
        SiteCoordinates coordinates = SiteCoordinates.reduced(site(random, Activation.TANH, true, 1));
        CompensatingAction action = CompensatingAction.at(coordinates);
        Matrix point = Matrix.over(1, coordinates.parameterCount(), coordinates.origin());
        int size = action.generators().size();
        Matrix element = GroupWord.parse("1:0.3,2:-0.2").matrix(action.generators());
        Matrix moved = action.apply(Matrix.over(1, size * size, element.entries()), point);
        Matrix moving = coordinates.movingOutputs(moved).minus(coordinates.movingOutputs(point));
        Matrix compensating = coordinates.compensatingOutputs(moved).minus(coordinates.compensatingOutputs(point));
        assertThat(moving.largestMagnitude()).isGreaterThan(0.01);
        assertThat(moving.plus(compensating).largestMagnitude()).isLessThan(1e-14);
    }

    @Test
    void matricesOutsideTheGroupAreRefused() {
        SiteCoordinates coordinates = SiteCoordinates.plain(site(new SplittableRandom(9), Activation.TANH, false, 1));
        CompensatingAction action = CompensatingAction.along(coordinates, List.of(Matrix.of(1, 4, 1, 0, 0, 0)));
        Matrix points = Matrix.zeros(2, coordinates.parameterCount());
        assertThatThrownBy(() -> action.apply(Matrix.of(2, 4, 1, 2, 0, 1, 1, 2, 0.5, 1), points))
                .hasMessage(
                        "matrix 1 is not of the form [[I, x], [0, 1]] of the additive group: entry (1, 0) is 0.5, expected 0.0");
        Matrix elements = Matrix.of(2, 4, 1, 2, 0, 1, 1, 2, 0, 1);
        assertThatThrownBy(() -> action.derivative(elements, elements, points))
                .hasMessage(
                        "matrix 0 is not of the form [[0, x], [0, 0]] of the additive group: entry (0, 0) is 1.0, expected 0.0");
        assertThatThrownBy(() -> CompensatingAction.along(coordinates, List.of(Matrix.zeros(2, 4))))
                .hasMessage(
                        "CompensatingAction: a direction has shape (2, 4), expected (1, 4), that of the incoming coordinates");
    }

    private static double sigmoid(double z) {
        return 1 / (1 + Math.exp(-z));
    }
}
