package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class Float32OutputsTest {
    @ParameterizedTest
    @EnumSource(Activation.class)
    void outputsAreThoseOfFloat64UpToTheRoundingOfFloat32(Activation activation) {
        var random = new SplittableRandom(3);
        DenseNetwork network = Networks.random(random, activation, true, 6, 8, 7, 3);
        Matrix inputs = Networks.gaussian(random, 5, 6);
        Matrix exact = network.outputs(network.parameters(), inputs);
        Matrix narrow = Float32Outputs.of(network, inputs);
        // three layers of at most nine sums of unit scale, each rounded to 6e-8
        assertThat(narrow.minus(exact).largestMagnitude()).isBetween(1e-9, 3e-6);
        for (double output : narrow.entries()) {
            assertThat((double) (float) output).isEqualTo(output);
        }
    }

    @Test
    void everyStepIsRounded() {
        DenseNetwork network = new DenseNetwork(
                Activation.IDENTITY,
                List.of(
                        DenseLayer.of(Matrix.of(1, 1, 1), new double[] {1e8}),
                        DenseLayer.of(Matrix.of(1, 1, 1), new double[] {-1e8})));
        assertThat(network.outputs(network.parameters(), Matrix.of(1, 1, 1)).get(0, 0))
                .isEqualTo(1);
        assertThat(Float32Outputs.of(network, Matrix.of(1, 1, 1)).get(0, 0)).isZero(); // 1e8 + 1 is 1e8 in float32
        DenseNetwork large = new DenseNetwork(Activation.IDENTITY, List.of(DenseLayer.of(Matrix.of(1, 1, 1e39))));
        assertThat(Float32Outputs.of(large, Matrix.of(1, 1, 1)).get(0, 0)).isEqualTo(Double.POSITIVE_INFINITY);
    }

    /** The biases alone, through tanh. */
    @Test
    void aBiasedNetworkOnZeros() {
        DenseNetwork network = new DenseNetwork(
                Activation.TANH,
                List.of(
                        DenseLayer.of(Matrix.of(1, 1, 1), new double[] {0.5}),
                        DenseLayer.of(Matrix.of(1, 1, 2), new double[] {0.25})));
        assertThat(Float32Outputs.of(network, Matrix.of(1, 1, 0)).get(0, 0))
                .isCloseTo(2 * Math.tanh(0.5) + 0.25, within(1.2e-7));
    }
}
