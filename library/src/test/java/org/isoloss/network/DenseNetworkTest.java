package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DenseNetworkTest {
    @ParameterizedTest
    @EnumSource
    void outputsAndJacobianAgreeWithPytorch(Activation activation) {
        GoldenRows rows = GoldenRows.read("dense_networks.csv");
        double[] parameters = rows.one(activation.label(), "parameters");
        DenseNetwork network = mixedBiases(activation).withParameters(parameters);
        Matrix inputs = Matrix.over(3, 3, rows.one(activation.label(), "inputs"));
        Matrix outputs = Matrix.over(3, 2, rows.one(activation.label(), "outputs"));
        Matrix jacobian = Matrix.over(6, 48, rows.one(activation.label(), "jacobian"));
        // sums of at most 5 terms of magnitude below 20 through three layers: 1e-13 is 30 roundings of the largest
        assertThat(network.outputs(parameters, inputs).minus(outputs).largestMagnitude())
                .isLessThan(1e-13);
        assertThat(DenseTarget.outputs(network, Support.all(network.layout()), inputs)
                        .jacobian(parameters)
                        .minus(jacobian)
                        .largestMagnitude())
                .isLessThan(1e-12);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void jacobianAgreesWithCentralDifferencesAndAWrongOneDoesNot(long seed) {
        var random = new SplittableRandom(seed);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 3, 5, 4, 2);
        Matrix inputs = Networks.gaussian(random, 4, 3);
        double[] parameters = network.parameters();
        Matrix jacobian = DenseTarget.outputs(network, Support.all(network.layout()), inputs)
                .jacobian(parameters);
        Matrix differences =
                Networks.differences(point -> network.outputs(point, inputs).entries(), parameters);
        assertThat(jacobian.minus(differences).largestMagnitude()).isLessThan(1e-8);
        assertThat(jacobian.scaled(-1).minus(differences).largestMagnitude()).isGreaterThan(0.1);
    }

    @Test
    void parametersAreLaidOutWeightThenBiasLayerByLayer() {
        DenseNetwork network = new DenseNetwork(
                Activation.RELU,
                List.of(
                        DenseLayer.of(Matrix.of(2, 1, 1, 2), new double[] {3, 4}),
                        DenseLayer.of(Matrix.of(1, 2, 5, 6))));
        assertThat(network.parameters()).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(network.layout().entries())
                .extracting(ParameterLayout.Entry::name)
                .containsExactly("0.weight", "0.bias", "2.weight");
        assertThat(network.widths()).containsExactly(1, 2, 1);
        assertThat(network.outputs(network.parameters(), Matrix.of(2, 1, 1, -1)).entries())
                .containsExactly(5 * 4 + 6 * 6, 5 * 2 + 6 * 2);
    }

    @Test
    void hiddenActivationsAreSeen() {
        DenseNetwork network = new DenseNetwork(
                Activation.RELU, List.of(DenseLayer.of(Matrix.of(2, 1, 1, -1)), DenseLayer.of(Matrix.of(1, 2, 5, 6))));
        ForwardPass pass = network.forward(network.parameters(), Matrix.of(1, 1, 2));
        assertThat(pass.preActivations(0).entries()).containsExactly(2, -2);
        assertThat(pass.activations(1).entries()).containsExactly(2, 0);
        assertThat(pass.outputs().entries()).containsExactly(10);
    }

    @Test
    void layersThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> new DenseNetwork(
                        Activation.RELU, List.of(DenseLayer.of(Matrix.zeros(8, 2)), DenseLayer.of(Matrix.zeros(3, 7)))))
                .hasMessage(
                        "DenseNetwork: the weight of layer 2 has shape (3, 7), expected 8 columns, the rows of layer 1");
        assertThatThrownBy(() -> DenseLayer.of(Matrix.zeros(2, 2), new double[3]))
                .hasMessage("DenseLayer: bias has shape (3), expected (2), the rows of weight (2, 2)");
        assertThatThrownBy(() -> new DenseNetwork(Activation.RELU, List.of()))
                .hasMessage("DenseNetwork: no layer given, expected at least one");
        assertThatThrownBy(() -> DenseLayer.of(Matrix.zeros(0, 2)))
                .hasMessage("DenseLayer: weight has shape (0, 2), expected at least (1, 1)");
    }

    @Test
    void weightsAndBatchesThatAreNotFiniteAreRefusedAtTheirFirstPlace() {
        assertThatThrownBy(() -> DenseLayer.of(Matrix.of(1, 2, 0, Double.NaN)))
                .hasMessage("DenseLayer: weight: entry (0, 1) is NaN; all entries must be finite");
        assertThatThrownBy(() -> DenseLayer.of(Matrix.zeros(2, 1), new double[] {0, Double.POSITIVE_INFINITY}))
                .hasMessage("DenseLayer: bias: entry (1, 0) is Infinity; all entries must be finite");
        DenseNetwork network = mixedBiases(Activation.TANH);
        assertThatThrownBy(() -> network.outputs(network.parameters(), Matrix.of(1, 3, 0, 0, Double.NaN)))
                .hasMessage("DenseNetwork: the batch: entry (0, 2) is NaN; all entries must be finite");
    }

    @Test
    void wrongWidthsAreRefused() {
        DenseNetwork network = mixedBiases(Activation.TANH);
        assertThatThrownBy(() -> network.outputs(network.parameters(), Matrix.zeros(2, 4)))
                .hasMessage(
                        "DenseNetwork: the batch has shape (2, 4), expected at least one row of 3, the input width");
        assertThatThrownBy(() -> network.outputs(network.parameters(), Matrix.zeros(0, 3)))
                .hasMessage(
                        "DenseNetwork: the batch has shape (0, 3), expected at least one row of 3, the input width");
        assertThatThrownBy(() -> network.outputs(new double[5], Matrix.zeros(1, 3)))
                .hasMessage("DenseNetwork.forward: 5 parameters given, expected 48 for widths [3, 4, 5, 2]");
    }

    private static DenseNetwork mixedBiases(Activation activation) {
        return new DenseNetwork(
                activation,
                List.of(
                        DenseLayer.of(Matrix.zeros(4, 3), new double[4]),
                        DenseLayer.of(Matrix.zeros(5, 4)),
                        DenseLayer.of(Matrix.zeros(2, 5), new double[2])));
    }
}
