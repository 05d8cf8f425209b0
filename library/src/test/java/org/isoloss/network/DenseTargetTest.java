package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DenseTargetTest {
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void movingParametersMoveAndTheOthersStay(long seed) {
        var random = new SplittableRandom(seed);
        DenseNetwork network = Networks.random(random, Activation.TANH, false, 4, 16, 16, 2);
        Matrix inputs = Networks.gaussian(random, 24, 4);
        Support support = Support.tensors(network.layout(), "0.weight", "4.weight");
        ModelTarget target = DenseTarget.outputs(network, support, inputs);
        assertThat(target.parameterCount()).isEqualTo(96);
        assertThat(target.outputCount()).isEqualTo(48);

        Matrix points = Networks.gaussian(random, 3, 96);
        Matrix outputs = target.outputs(points);
        for (int row = 0; row < 3; row++) {
            double[] full = network.parameters();
            support.scatter(points.row(row), full);
            assertThat(outputs.row(row))
                    .containsExactly(network.outputs(full, inputs).entries(), within(1e-13));
        }
        assertThat(target.outputs(Matrix.over(1, 96, target.origin())).entries())
                .containsExactly(network.outputs(network.parameters(), inputs).entries(), within(1e-13));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void jacobiansAgreeWithCentralDifferences(long seed) {
        var random = new SplittableRandom(seed);
        DenseNetwork network = Networks.random(random, Activation.SILU, true, 3, 5, 4, 2);
        Matrix inputs = Networks.gaussian(random, 3, 3);
        Support units = Support.units(network.layout(), 1, 2, 0);
        for (ModelTarget target : new ModelTarget[] {
            DenseTarget.outputs(network, Support.tensors(network.layout(), "4.bias", "2.weight"), inputs),
            DenseTarget.contribution(network, units, inputs, 1, 0, 2)
        }) {
            Matrix differences = Networks.differences(
                    point -> target.outputs(Matrix.over(1, point.length, point)).entries(), target.origin());
            Matrix jacobian = target.jacobian(target.origin());
            assertThat(jacobian.minus(differences).largestMagnitude()).isLessThan(1e-8);
            assertThat(jacobian.scaled(0.5).minus(differences).largestMagnitude())
                    .isGreaterThan(0.01);
        }
    }

    /** The local host: ten weights incident to one hidden unit, with its full boundary output. */
    @Test
    void keepingABoundaryKeepsTheHost() {
        var random = new SplittableRandom(5);
        DenseNetwork host = Networks.random(random, Activation.RELU, false, 2, 8, 8, 1);
        Matrix inputs = Networks.gaussian(random, 16, 2);
        Support support = Support.units(host.layout(), 0, 3);
        ModelTarget local = DenseTarget.contribution(host, support, inputs, 0, 3);
        ModelTarget whole = DenseTarget.outputs(host, support, inputs);
        assertThat(local.parameterCount()).isEqualTo(10);
        assertThat(local.outputCount()).isEqualTo(16 * 8);

        double[] point = local.origin();
        double[] rescaled = point.clone();
        for (int i = 0; i < 10; i++) {
            rescaled[i] *= i < 2 ? 2 : 0.5;
        }
        Matrix points = Matrix.zeros(2, 10);
        System.arraycopy(point, 0, points.entries(), 0, 10);
        System.arraycopy(rescaled, 0, points.entries(), 10, 10);
        Matrix boundary = local.outputs(points);
        assertThat(boundary.row(0)).isEqualTo(boundary.row(1)); // factors 2 and 1/2 round nothing
        assertThat(boundary.largestMagnitude()).isPositive();
        Matrix outputs = whole.outputs(points);
        assertThat(outputs.row(0)).isEqualTo(outputs.row(1));
    }

    @Test
    void theBoundaryIsWhatTheUnitsAddToTheNextLayer() {
        var random = new SplittableRandom(6);
        DenseNetwork network = Networks.random(random, Activation.GELU, true, 2, 5, 3, 1);
        Matrix inputs = Networks.gaussian(random, 4, 2);
        Support support = Support.units(network.layout(), 0, 1, 4);
        ModelTarget target = DenseTarget.contribution(network, support, inputs, 0, 1, 4);
        double[] silenced = network.parameters();
        for (int index : Support.columns(network.layout(), "2.weight", 1, 4).indices()) {
            silenced[index] = 0;
        }
        Matrix with = network.forward(network.parameters(), inputs).preActivations(1);
        Matrix without = network.forward(silenced, inputs).preActivations(1);
        Matrix contribution = Matrix.over(
                4,
                3,
                target.outputs(Matrix.over(1, support.size(), target.origin())).entries());
        assertThat(with.minus(without).minus(contribution).largestMagnitude()).isLessThan(1e-14);
    }

    @Test
    void supportsThatDoNotBelongAreRefused() {
        var random = new SplittableRandom(7);
        DenseNetwork network = Networks.random(random, Activation.RELU, false, 2, 3, 1);
        Matrix inputs = Networks.gaussian(random, 2, 2);
        assertThatThrownBy(() -> DenseTarget.contribution(network, Support.all(network.layout()), inputs, 0, 1))
                .hasMessage(
                        "parameter 0 is not incident to units [1] of hidden layer 0, so keeping their output would not keep the network's");
        DenseNetwork wider = Networks.random(random, Activation.RELU, false, 2, 4, 1);
        assertThatThrownBy(() -> DenseTarget.outputs(network, Support.all(wider.layout()), inputs))
                .hasMessage("the support is of 12 parameters, the network has 9");
        ModelTarget target = DenseTarget.outputs(network, Support.all(network.layout()), inputs);
        assertThatThrownBy(() -> target.outputs(Matrix.zeros(1, 8)))
                .hasMessage("ModelTarget: 8 moving parameters given, expected 9");
        assertThatThrownBy(() -> DenseTarget.outputs(network, Support.all(network.layout()), Matrix.zeros(1, 3)))
                .hasMessage(
                        "DenseNetwork: the batch has shape (1, 3), expected at least one row of 2, the input width");
    }

    @Test
    void placesInTheVectorOfAllParametersComeInAnyOrder() {
        var random = new SplittableRandom(8);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 3, 4, 6, 2);
        int[] units = Support.units(network.layout(), 1, 4, 1).indices();
        Moving moving = Moving.at(network.model(5), units);
        assertThat(moving.within()).containsExactly(units);
        assertThat(moving.places().keySet()).containsExactly("2.weight", "2.bias", "4.weight");
        assertThat(moving.origin())
                .containsExactly(Arrays.stream(units)
                        .mapToDouble(place -> network.parameters()[place])
                        .toArray());
        assertThatThrownBy(() -> Moving.at(network.model(), 3, 3))
                .hasMessage("[3, 3]: an entry of 0.weight is chosen twice");
        for (int[] places : new int[][] {{0, 40, 1}, {-1}, {100}}) {
            assertThatThrownBy(() -> Moving.at(network.model(), places))
                    .hasMessageEndingWith("of 60 parameters, expected those of one tensor one after the other");
        }
    }
}
