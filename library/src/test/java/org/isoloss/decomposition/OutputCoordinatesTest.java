package org.isoloss.decomposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OutputCoordinatesTest {
    private static final double ROUNDING = 1e-12;

    @Test
    void theyGiveTheParametersBack() {
        var random = new SplittableRandom(1);
        for (boolean biased : new boolean[] {false, true}) {
            DenseNetwork network =
                    biased ? hiddenBias(random) : Networks.random(random, Activation.TANH, false, 2, 5, 2);
            OutputCoordinates coordinates = OutputCoordinates.choose(network, Networks.gaussian(random, 2, 2));
            double[] theta = network.parameters();
            double[] x = coordinates.from(theta);
            assertThat(coordinates.movingCount()).isEqualTo(5 * (biased ? 3 : 2) + (5 - 2) * 2);
            assertThat(coordinates.contains(x)).isTrue();
            assertThat(coordinates.toParameters(x)).containsExactly(theta, within(ROUNDING));
            assertThat(Arrays.copyOf(x, 4))
                    .containsExactly(
                            network.outputs(theta, coordinates.inputs()).entries());
        }
    }

    private static DenseNetwork hiddenBias(SplittableRandom random) {
        DenseNetwork both = Networks.random(random, Activation.TANH, true, 2, 5, 2);
        return new DenseNetwork(
                Activation.TANH,
                List.of(both.layers().get(0), DenseLayer.of(both.layers().get(1).weight())));
    }

    @Test
    void anyOutputCanBeSetByTheCompensatingUnits() {
        var random = new SplittableRandom(2);
        DenseNetwork network = Networks.random(random, Activation.SIGMOID, false, 2, 4, 3);
        OutputCoordinates coordinates = OutputCoordinates.choose(network, Networks.gaussian(random, 2, 2));
        double[] x = coordinates.from(network.parameters());
        x[4] += 0.7;
        double[] moved = coordinates.toParameters(x);
        assertThat(coordinates.from(moved)).containsExactly(x, within(ROUNDING));
        assertThat(coordinates.changedUnits(network.parameters(), moved)).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void outsideTheDomainIsSeen() {
        var random = new SplittableRandom(3);
        DenseNetwork network = Networks.random(random, Activation.TANH, false, 2, 4, 1);
        OutputCoordinates coordinates = OutputCoordinates.choose(network, Networks.gaussian(random, 2, 2));
        double[] x = coordinates.from(network.parameters());
        for (int j = 0; j < coordinates.movingCount(); j++) {
            x[coordinates.outputCount() + j] = 0; // every unit silent
        }
        assertThat(coordinates.contains(x)).isFalse();
        assertThatThrownBy(() -> coordinates.toParameters(x)).isInstanceOf(ArithmeticException.class);
    }

    /** On the boundary of the ellipsoid the features of the compensating units are still invertible. */
    @Test
    void theEllipsoidLiesInTheDomain() {
        var random = new SplittableRandom(4);
        DenseNetwork network = Networks.random(random, Activation.GELU, false, 2, 5, 1);
        OutputCoordinates coordinates = OutputCoordinates.choose(network, Networks.gaussian(random, 2, 2));
        double[] radii = coordinates.radii(2);
        assertThat(coordinates.domainRadius()).isPositive();
        for (int draw = 0; draw < 200; draw++) {
            double[] normal = Networks.gaussian(random, 1, radii.length).entries();
            double norm = Math.sqrt(Arrays.stream(normal).map(z -> z * z).sum());
            double[] theta = network.parameters();
            for (int i = 0; i < theta.length; i++) {
                theta[i] += radii[i] * normal[i] / norm;
            }
            assertThat(coordinates.contains(coordinates.from(theta))).isTrue();
        }
    }

    /** The radius of the domain is a bound only if no activation is steeper than assumed. */
    @ParameterizedTest
    @EnumSource(Activation.class)
    void noSmoothActivationIsSteeperThanAssumed(Activation activation) {
        double steepest = IntStream.rangeClosed(-40_000, 40_000)
                .mapToDouble(i -> Math.abs(activation.first(1e-3 * i)))
                .max()
                .orElseThrow();
        assertThat(steepest)
                .isLessThan(
                        activation == Activation.SIGMOID
                                ? OutputCoordinates.LARGEST_SIGMOID_SLOPE + 1e-15
                                : OutputCoordinates.LARGEST_SLOPE);
    }

    @ParameterizedTest
    @EnumSource(names = {"RELU", "LEAKY_RELU"})
    void activationsWithKinksAreRefused(Activation activation) {
        var random = new SplittableRandom(6);
        DenseNetwork network = Networks.random(random, activation, false, 2, 4, 1);
        Matrix inputs = Networks.gaussian(random, 2, 2);
        String message = "OutputCoordinates: " + activation.label()
                + " has a kink, expected a smooth activation such as tanh, sigmoid, gelu, silu or softplus: at a kink D(psi - id), of which the theorem needs a norm below 1, does not exist";
        assertThatThrownBy(() -> OutputCoordinates.of(network, inputs, 0, 1)).hasMessage(message);
        assertThatThrownBy(() -> OutputCoordinates.choose(network, inputs)).hasMessage(message);
    }

    @Test
    void networksAndUnitsThatDoNotFitAreRefused() {
        var random = new SplittableRandom(5);
        Matrix inputs = Networks.gaussian(random, 2, 2);
        DenseNetwork biased = Networks.random(random, Activation.TANH, true, 2, 4, 1);
        assertThatThrownBy(() -> OutputCoordinates.of(biased, inputs, 0, 1))
                .hasMessage(
                        "OutputCoordinates: 1 hidden layers and a bias at the output, expected one hidden layer and no such bias");
        DenseNetwork network = Networks.random(random, Activation.TANH, false, 2, 4, 1);
        assertThatThrownBy(() -> OutputCoordinates.of(network, inputs, 1, 1))
                .hasMessage(
                        "OutputCoordinates: compensating units [1, 1] for 2 inputs, expected as many different units of 0 to 3 as inputs, and a unit left");
        Matrix same = Matrix.of(2, 2, 1, 2, 1, 2);
        assertThatThrownBy(() -> OutputCoordinates.of(network, same, 0, 1))
                .hasMessage(
                        "OutputCoordinates: the compensating units [0, 1] cannot tell the 2 inputs apart; take others");
    }
}
