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
import org.isoloss.network.DenseTarget;
import org.isoloss.network.MovingUnits;
import org.isoloss.network.Networks;
import org.isoloss.network.SiteCoordinates;
import org.isoloss.network.Support;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class NetworkCompensatingActionTest {
    @Nested
    class TwoLayers extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(Networks.random(random, Activation.SIGMOID, false, 2, 4, 2), 0, random);
        }
    }

    @Nested
    class WithBiases extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(Networks.random(random, Activation.SOFTPLUS, true, 3, 4, 2), 0, random);
        }
    }

    /** The layer's inputs depend on the point: the lifted action. */
    @Nested
    class SecondHiddenLayerOfThree extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            return whole(Networks.random(random, Activation.GELU, true, 2, 3, 4, 2), 1, random);
        }
    }

    @Nested
    class OneMixedDirection extends GroupActionContract {
        @Override
        Instance instance(SplittableRandom random) {
            DenseNetwork network = Networks.random(random, Activation.TANH, false, 3, 5, 2);
            Matrix inputs = Networks.gaussian(random, 2, 3);
            int[] compensators = compensators(network, 0, inputs);
            Support moved = Support.units(network.layout(), 0, other(compensators));
            GroupAction action = NetworkCompensatingAction.along(
                    network, 0, inputs, compensators, moved, Networks.gaussian(random, 1, moved.size()));
            return new Instance(
                    action, DenseTarget.outputs(network, Support.all(network.layout()), inputs), near(network, random));
        }
    }

    private static GroupActionContract.Instance whole(DenseNetwork network, int layer, SplittableRandom random) {
        Matrix inputs = Networks.gaussian(random, 2, network.widths().getFirst());
        return new GroupActionContract.Instance(
                NetworkCompensatingAction.of(network, layer, inputs, compensators(network, layer, inputs)),
                DenseTarget.outputs(network, Support.all(network.layout()), inputs),
                near(network, random));
    }

    /** Near enough to the network that the compensators stay independent. */
    private static Matrix near(DenseNetwork network, SplittableRandom random) {
        Matrix points = GroupActionContract.around(new double[network.layout().size()], 5, random)
                .scaled(0.25);
        double[] origin = network.parameters();
        for (int row = 0; row < points.rows(); row++) {
            for (int i = 0; i < origin.length; i++) {
                points.set(row, i, points.get(row, i) + origin[i]);
            }
        }
        return points;
    }

    private static int[] compensators(DenseNetwork network, int layer, Matrix inputs) {
        Matrix entering = network.forward(network.parameters(), inputs).activations(layer);
        return CompensationSite.choose(network.block(layer), entering, new MovingUnits.LargestContribution(1))
                .compensators();
    }

    private static int other(int[] compensators) {
        int unit = 0;
        while (unit == compensators[0] || unit == compensators[1]) {
            unit++;
        }
        return unit;
    }

    @Test
    void theGroupHasTheDimensionOfTheCorollary() {
        var random = new SplittableRandom(1);
        DenseNetwork network = Networks.random(random, Activation.TANH, false, 3, 6, 2);
        Matrix inputs = Networks.gaussian(random, 2, 3);
        GroupAction action = NetworkCompensatingAction.of(network, 0, inputs, compensators(network, 0, inputs));
        assertThat(action.generators().count()).isEqualTo((6 - 2) * (2 + 3));
    }

    @Test
    void translatingIncomingWeightsIsTheActionAtTheSite() {
        var random = new SplittableRandom(2);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 3, 6, 2);
        Matrix inputs = Networks.gaussian(random, 2, 3);
        CompensationSite site =
                CompensationSite.choose(network.block(0), inputs, new MovingUnits.LargestContribution(1));
        SiteCoordinates coordinates = SiteCoordinates.plain(site);
        GroupAction atSite = CompensatingAction.at(coordinates);
        Support incoming = Support.rows(network.layout(), "0.weight", site.moving()[0])
                .and(Support.rows(network.layout(), "0.bias", site.moving()[0]));
        GroupAction inNetwork =
                NetworkCompensatingAction.along(network, 0, inputs, site.compensators(), incoming, Matrix.identity(4));
        Matrix element = Matrix.over(
                1,
                25,
                GroupWord.parse("1:0.3,4:-0.2,2:0.1")
                        .matrix(atSite.generators())
                        .entries());
        double[] full = network.parameters();
        site.support(network.layout(), 0)
                .scatter(
                        atSite.apply(element, Matrix.over(1, coordinates.parameterCount(), coordinates.origin()))
                                .entries(),
                        full);
        assertThat(inNetwork
                        .apply(element, Matrix.over(1, full.length, network.parameters()))
                        .entries())
                .containsExactly(full, within(1e-14));
    }

    @Test
    void pointsOutsideTheDomainAreRefused() {
        DenseNetwork network = new DenseNetwork(
                Activation.TANH,
                List.of(DenseLayer.of(Matrix.of(3, 2, 1, 0, 0, 1, 1, 1)), DenseLayer.of(Matrix.of(1, 3, 1, 1, 1))));
        Matrix inputs = Matrix.of(2, 2, 1, 0, 0, 1);
        NetworkCompensatingAction action = NetworkCompensatingAction.of(network, 0, inputs, 0, 1);
        double[] point = network.parameters();
        point[0] = 0; // the first unit falls silent
        int size = action.generators().size();
        assertThatThrownBy(() -> action.apply(
                        Matrix.over(1, size * size, Matrix.identity(size).entries()), Matrix.over(1, 9, point)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "NetworkCompensatingAction: point 0: the compensating units cannot tell the 2 inputs apart: condition Infinity of their features, at most 1e+04 allowed, singular values [0.762, 0.00]; protect fewer or other inputs");
    }

    @Test
    void unitsThatDoNotFitAreRefused() {
        var random = new SplittableRandom(3);
        DenseNetwork network = Networks.random(random, Activation.TANH, false, 2, 3, 1);
        Matrix two = Networks.gaussian(random, 2, 2);
        assertThatThrownBy(() -> NetworkCompensatingAction.of(network, 0, two, 0))
                .hasMessage(
                        "NetworkCompensatingAction: compensating units [0] for 2 inputs, expected as many different units of 0 to 2 as inputs");
        assertThatThrownBy(() -> NetworkCompensatingAction.of(network, 0, two, 1, 1))
                .hasMessageStartingWith("NetworkCompensatingAction: compensating units [1, 1] for 2 inputs");
        assertThatThrownBy(() -> NetworkCompensatingAction.of(network, 0, Networks.gaussian(random, 3, 2), 0, 1, 2))
                .hasMessage(
                        "NetworkCompensatingAction: all 3 units compensate and none is left to move; protect at most 2 inputs");
        Support all = Support.all(network.layout());
        assertThatThrownBy(() -> NetworkCompensatingAction.along(
                        network, 0, two, new int[] {0, 1}, all, Matrix.identity(all.size())))
                .hasMessage(
                        "NetworkCompensatingAction: parameter 0 is not incident to a unit of the layer that does not compensate");
        assertThatThrownBy(() ->
                        NetworkCompensatingAction.along(network, 0, two, new int[] {0, 1}, all, Matrix.identity(3)))
                .hasMessage(
                        "NetworkCompensatingAction: directions have shape (3, 3), expected at least one row of 9, the moved parameters");
    }
}
