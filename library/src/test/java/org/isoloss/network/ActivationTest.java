package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Offset;
import org.isoloss.autodiff.Pointwise;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ActivationTest {
    /** The bound that the documentation of {@link Activation} states. */
    private static final double BOUND = 2e-15;

    @ParameterizedTest
    @EnumSource
    void valuesAndDerivativesAreExactToRounding(Activation activation) {
        assertThat(worstError(activation, activation)).isLessThan(BOUND);
    }

    @ParameterizedTest
    @EnumSource(names = {"SIGMOID", "TANH", "GELU", "SILU", "SOFTPLUS"})
    void tailsKeepTheRelativeAccuracy(Activation activation) {
        for (Golden golden : goldens(activation)) {
            if (Math.abs(golden.z) > 4) {
                assertThat(relative(activation.value(golden.z), golden.value)).isLessThan(BOUND);
                assertThat(relative(activation.first(golden.z), golden.first)).isLessThan(BOUND);
                assertThat(relative(activation.second(golden.z), golden.second)).isLessThan(BOUND);
            }
        }
    }

    @Test
    void theTwoKindsOfGeluAreToldApart() {
        assertThat(worstError(Activation.GELU_TANH, Activation.GELU)).isGreaterThan(1e-4);
    }

    @Test
    void aFlippedSignInADerivativeIsSeen() {
        Pointwise flipped = new Pointwise() {
            @Override
            public double value(double z) {
                return Activation.TANH.value(z);
            }

            @Override
            public double first(double z) {
                return Activation.TANH.first(z);
            }

            @Override
            public double second(double z) {
                return -Activation.TANH.second(z);
            }
        };
        assertThat(worstError(flipped, Activation.TANH)).isGreaterThan(0.1);
    }

    @ParameterizedTest
    @EnumSource
    void nothingOverflowsToNan(Activation activation) {
        for (double z : new double[] {0.0, -0.0, 40, 700, 1e5, 1e103, 1e155, 1e300}) {
            for (double signed : new double[] {z, -z}) {
                assertThat(activation.value(signed)).isFinite();
                assertThat(activation.first(signed)).isFinite();
                assertThat(activation.second(signed)).isFinite();
            }
        }
    }

    /** Fused kernels keep the bounds that single numbers have; at most four roundings more beside the terms that cancel. */
    @ParameterizedTest
    @EnumSource
    void batchesAreAsExactAsSingleNumbers(Activation activation) {
        double[] z = new double[4001];
        Arrays.setAll(z, i -> (i - 2000) * 0.375 * Math.abs(i - 2000) / 2000);
        z[0] = -Double.MAX_VALUE;
        z[4000] = Double.MAX_VALUE;
        double[] value = z.clone();
        double[] first = new double[z.length];
        double[] second = new double[z.length];
        activation.evaluate(value, first, second, 0, z.length);
        double[] alone = z.clone();
        activation.values(alone, new double[z.length], new double[z.length], 0, z.length);
        assertThat(alone).isEqualTo(value);
        for (int i = 0; i < z.length; i++) {
            double exact = activation.value(z[i]);
            assertThat(value[i]).isCloseTo(exact, relative(exact));
            assertThat(first[i]).isCloseTo(activation.first(z[i]), within(2e-15));
            assertThat(second[i]).isCloseTo(activation.second(z[i]), within(2e-15));
            if (Math.abs(z[i]) > 4) { // beyond the zeros of the derivatives
                assertThat(first[i]).isCloseTo(activation.first(z[i]), relative(activation.first(z[i])));
                assertThat(second[i]).isCloseTo(activation.second(z[i]), relative(activation.second(z[i])));
            }
        }
    }

    /** Below the normal numbers there are no relative errors. */
    private static Offset<Double> relative(double exact) {
        return within(2e-15 * Math.abs(exact) + 4 * Double.MIN_VALUE);
    }

    @ParameterizedTest
    @EnumSource
    void aNanStaysNan(Activation activation) {
        assertThat(activation.value(Double.NaN)).isNaN();
    }

    @ParameterizedTest
    @EnumSource
    void homogeneityIsWhatTheFunctionHas(Activation activation) {
        boolean homogeneous = true;
        for (double z : new double[] {-1.5, 0.5, 2}) {
            homogeneous &= Math.abs(activation.value(4 * z) - 4 * activation.value(z)) < 1e-15;
        }
        assertThat(activation.isHomogeneous()).isEqualTo(homogeneous);
    }

    @Test
    void derivativesAtAKinkAreThoseFromTheLeft() {
        assertThat(Activation.RELU.first(0)).isEqualTo(0);
        assertThat(Activation.LEAKY_RELU.first(0)).isEqualTo(0.01);
    }

    @ParameterizedTest
    @CsvSource({
        "gelu, GELU",
        "gelu_python, GELU",
        "gelu_new, GELU_TANH",
        "gelu_pytorch_tanh, GELU_TANH",
        "gelu_fast, GELU_TANH",
        "silu, SILU",
        "swish, SILU",
        "SiLU, SILU",
        "LeakyReLU, LEAKY_RELU",
        "linear, IDENTITY",
        "identity, IDENTITY",
        "softplus, SOFTPLUS"
    })
    void namesOfOtherProgramsAreUnderstood(String name, Activation expected) {
        assertThat(Activation.named(name)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void labelsAreReadBack(Activation activation) {
        assertThat(Activation.named(activation.label())).isEqualTo(activation);
    }

    @ParameterizedTest
    @ValueSource(strings = {"quick_gelu", "", "gelu "})
    void anUnknownNameIsRefusedWithTheKnownOnes(String name) {
        assertThatThrownBy(() -> Activation.named(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("activation \"" + name + "\" is not known; use one of identity, linear, relu, leaky_relu, "
                        + "leakyrelu, sigmoid, logistic, tanh, gelu, gelu_python, gelu_tanh, gelu_new, "
                        + "gelu_pytorch_tanh, gelu_fast, silu, swish, softplus");
    }

    private record Golden(double z, double value, double first, double second) {}

    private static List<Golden> goldens(Activation activation) {
        List<Golden> goldens = GoldenRows.read("activations.csv").all(activation.label()).stream()
                .map(row -> new Golden(row[0], row[1], row[2], row[3]))
                .toList();
        assertThat(goldens).hasSizeGreaterThan(60);
        return goldens;
    }

    private static double worstError(Pointwise function, Activation expected) {
        double worst = 0;
        for (Golden golden : goldens(expected)) {
            worst = Math.max(worst, scaled(function.value(golden.z), golden.value));
            worst = Math.max(worst, scaled(function.first(golden.z), golden.first));
            worst = Math.max(worst, scaled(function.second(golden.z), golden.second));
        }
        return worst;
    }

    private static double scaled(double value, double exact) {
        return Math.abs(value - exact) / Math.max(Math.abs(exact), 1);
    }

    private static double relative(double value, double exact) {
        return value == exact ? 0 : Math.abs(value - exact) / Math.max(Math.abs(exact), Double.MIN_NORMAL);
    }
}
