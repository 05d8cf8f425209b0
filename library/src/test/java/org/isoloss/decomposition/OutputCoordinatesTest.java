package org.isoloss.decomposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Elementary;
import org.isoloss.model.ExponentialUnit;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.GatedBlock;
import org.isoloss.network.GatedRows;
import org.isoloss.network.MovingRows;
import org.isoloss.network.Networks;
import org.isoloss.network.SiteBlock;
import org.isoloss.network.TwoLayerBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OutputCoordinatesTest {
    private static final double ROUNDING = 1e-12;
    private static final int UNITS = 5;
    private static final int OUTPUTS = 2;

    /** Units on two inputs of two numbers. */
    record Case(String name, SiteBlock block, Matrix inputs) {
        OutputCoordinates coordinates() {
            return OutputCoordinates.choose(block, inputs);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(false, true)
                .flatMap(biased -> Stream.of(false, true).map(gated -> {
                    var random = new SplittableRandom(1);
                    Matrix inputs = Networks.gaussian(random, 2, 2);
                    DenseLayer last = DenseLayer.of(Networks.gaussian(random, OUTPUTS, UNITS));
                    SiteBlock block = gated
                            ? new GatedRows(
                                    GatedBlock.of(Activation.SILU, layer(random, biased), layer(random, biased), last),
                                    MovingRows.GATE_AND_UP)
                            : TwoLayerBlock.of(Activation.GELU, layer(random, biased), last);
                    return new Case((gated ? "gated" : "plain") + (biased ? ", biased" : ""), block, inputs);
                }));
    }

    private static DenseLayer layer(SplittableRandom random, boolean biased) {
        Matrix weight = Networks.gaussian(random, UNITS, 2);
        return biased
                ? DenseLayer.of(weight, Networks.gaussian(random, 1, UNITS).entries())
                : DenseLayer.of(weight);
    }

    private static SiteBlock plain(Pointwise activation, int units) {
        var random = new SplittableRandom(3);
        return TwoLayerBlock.of(
                activation,
                DenseLayer.of(Networks.gaussian(random, units, 2)),
                DenseLayer.of(Networks.gaussian(random, 1, units)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theyGiveTheParametersBack(Case each) {
        OutputCoordinates coordinates = each.coordinates();
        double[] theta = coordinates.origin();
        double[] x = coordinates.from(theta);
        assertThat(coordinates.movingCount()).isEqualTo(theta.length - 2 * OUTPUTS);
        assertThat(coordinates.contains(x)).isTrue();
        assertThat(coordinates.toParameters(x)).containsExactly(theta, within(ROUNDING));
        int[] all = IntStream.range(0, UNITS).toArray();
        Matrix outputs = each.block.outgoing(all).times(each.block.features(each.block.augmented(each.inputs), all));
        assertThat(Arrays.copyOf(x, 2 * OUTPUTS))
                .containsExactly(outputs.transpose().entries(), within(ROUNDING));
    }

    /** The same outputs as a model, away from the units' own weights, and their derivative against differences. */
    @ParameterizedTest
    @MethodSource("cases")
    void theOutputsHaveDerivatives(Case each) {
        OutputCoordinates coordinates = each.coordinates();
        double[] theta = coordinates.origin();
        Arrays.setAll(theta, i -> theta[i] + 0.1 * Math.sin(i));
        double[] outputs = coordinates
                .outputs()
                .outputs(Matrix.over(1, theta.length, theta))
                .entries();
        assertThat(outputs).containsExactly(Arrays.copyOf(coordinates.from(theta), outputs.length), within(ROUNDING));
        Matrix jacobian = coordinates.outputs().jacobian(theta);
        for (int i = 0; i < theta.length; i++) {
            double h = 1e-5;
            double[] up = theta.clone();
            double[] down = theta.clone();
            up[i] += h;
            down[i] -= h;
            double[] above = coordinates.from(up);
            double[] below = coordinates.from(down);
            for (int output = 0; output < outputs.length; output++) {
                assertThat(jacobian.get(output, i))
                        .isCloseTo((above[output] - below[output]) / (up[i] - down[i]), within(1e-8));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void anyOutputCanBeSetByTheCompensatingUnits(Case each) {
        OutputCoordinates coordinates = each.coordinates();
        double[] x = coordinates.from(coordinates.origin());
        x[0] += 0.3;
        x[coordinates.outputCount()] += 0.2;
        double[] moved = coordinates.toParameters(x);
        assertThat(coordinates.from(moved)).containsExactly(x, within(ROUNDING));
        assertThat(coordinates.changedUnits(coordinates.origin(), moved)).hasSizeLessThanOrEqualTo(3);
        assertThat(coordinates.changedUnits(moved, moved)).isEmpty();
    }

    @Test
    void outsideTheDomainIsSeen() {
        OutputCoordinates coordinates =
                OutputCoordinates.choose(plain(Activation.TANH, 4), Matrix.of(2, 2, 1, 2, -1, 3));
        double[] x = coordinates.from(coordinates.origin());
        for (int j = 0; j < coordinates.movingCount(); j++) {
            x[coordinates.outputCount() + j] = 0; // every unit silent
        }
        assertThat(coordinates.contains(x)).isFalse();
        assertThatThrownBy(() -> coordinates.toParameters(x)).isInstanceOf(ArithmeticException.class);
    }

    /** On the boundary of the ellipsoid the features of the compensating units are still invertible. */
    @ParameterizedTest
    @MethodSource("cases")
    void theEllipsoidLiesInTheDomain(Case each) {
        var random = new SplittableRandom(4);
        OutputCoordinates coordinates = each.coordinates();
        double[] radii = coordinates.radii(2);
        assertThat(Arrays.stream(radii).min().orElseThrow()).isPositive().isLessThan(2);
        for (int draw = 0; draw < 200; draw++) {
            double[] normal = Networks.gaussian(random, 1, radii.length).entries();
            double norm = Math.sqrt(Arrays.stream(normal).map(z -> z * z).sum());
            double[] theta = coordinates.origin();
            for (int i = 0; i < theta.length; i++) {
                theta[i] += radii[i] * normal[i] / norm;
            }
            assertThat(coordinates.contains(coordinates.from(theta))).isTrue();
        }
    }

    /** Of one unit {@code u v} on the input 1 the features vanish where v does, so that the bound is |v|, and no more. */
    @Test
    void theRadiusIsAsFarAsTheFeaturesCannotVanish() {
        SiteBlock one = TwoLayerBlock.of(
                Activation.IDENTITY, DenseLayer.of(Matrix.of(1, 1, 0.75)), DenseLayer.of(Matrix.of(1, 1, 1)));
        InvertibleFeatures features = InvertibleFeatures.of(one, Matrix.of(1, 1, 1), 0);
        assertThat(features.radius(10)).isCloseTo(0.75, within(1e-9));
        assertThat(features.radius(0.5)).isEqualTo(0.5);
    }

    @Test
    void functionsWithKinksAreRefused() {
        Matrix inputs = Matrix.of(2, 2, 1, 2, -1, 3);
        List<Pointwise> kinked = List.of(
                Activation.RELU, Activation.LEAKY_RELU, Clamp.RELU, Elementary.ABS, new ExponentialUnit(1.67, 1, 1.05));
        for (Pointwise function : kinked) {
            String message = "OutputCoordinates: " + function
                    + " has a kink, expected a smooth activation such as tanh, sigmoid, gelu, silu or softplus: at a kink D(psi - id), of which the theorem needs a norm below 1, does not exist";
            SiteBlock block = plain(function, 4);
            assertThatThrownBy(() -> OutputCoordinates.of(block, inputs, 0, 1)).hasMessage(message);
            assertThatThrownBy(() -> OutputCoordinates.choose(block, inputs)).hasMessage(message);
        }
        assertThat(new ExponentialUnit(1, 1, 1).hasKink()).isFalse();
    }

    @Test
    void unitsThatDoNotFitAreRefused() {
        SiteBlock block = plain(Activation.TANH, 4);
        Matrix inputs = Matrix.of(2, 2, 1, 2, -1, 3);
        assertThatThrownBy(() -> OutputCoordinates.of(block, inputs, 1, 1))
                .hasMessage(
                        "OutputCoordinates: compensating units [1, 1] for 2 inputs, expected as many different units of 0 to 3 as inputs, and a unit left");
        Matrix same = Matrix.of(2, 2, 1, 2, 1, 2);
        assertThatThrownBy(() -> OutputCoordinates.of(block, same, 0, 1))
                .hasMessage(
                        "OutputCoordinates: the compensating units [0, 1] cannot tell the 2 inputs apart; take others");
    }
}
