package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Homogeneity.Parity;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HomogeneityTest {
    /** A function that is only computed. */
    private record Computed(java.util.function.DoubleUnaryOperator of) implements Pointwise {
        @Override
        public double value(double z) {
            return of.applyAsDouble(z);
        }

        @Override
        public double first(double z) {
            throw new AssertionError("no derivative is asked for");
        }

        @Override
        public double second(double z) {
            throw new AssertionError("no derivative is asked for");
        }
    }

    static Stream<Arguments> functions() {
        return Stream.of(
                Arguments.of("ReLU", Clamp.RELU, true, 1, Parity.NONE),
                Arguments.of("leaky ReLU", Activation.LEAKY_RELU, true, 1, Parity.NONE),
                Arguments.of("identity", Activation.IDENTITY, true, 1, Parity.ODD),
                Arguments.of("square", Power.SQUARE, true, 2, Parity.EVEN),
                Arguments.of("reciprocal", Power.RECIPROCAL, true, -1, Parity.ODD),
                Arguments.of("reciprocal times 3", new Power(-1, 3), true, -1, Parity.ODD),
                Arguments.of("root", Power.ROOT, true, 0.5, Parity.NONE),
                Arguments.of("reciprocal root", Power.RECIPROCAL_ROOT, true, -0.5, Parity.NONE),
                Arguments.of("cube", new Power(3, 1), true, 3, Parity.ODD),
                Arguments.of("cube root", new Computed(Math::cbrt), true, 1.0 / 3, Parity.ODD),
                Arguments.of("absolute value", new Computed(Math::abs), true, 1, Parity.EVEN),
                Arguments.of("square of ReLU", new Computed(z -> z > 0 ? z * z : 0), true, 2, Parity.NONE),
                Arguments.of("sign", new Computed(Math::signum), true, 0, Parity.ODD),
                Arguments.of("tanh", Activation.TANH, false, 1, Parity.ODD),
                Arguments.of("GELU", Activation.GELU, false, 1, Parity.NONE),
                Arguments.of("sigmoid", Activation.SIGMOID, false, 1, Parity.NONE),
                Arguments.of("exp", Elementary.EXP, false, 1, Parity.NONE),
                Arguments.of("cosine", new Computed(Math::cos), false, 1, Parity.EVEN),
                Arguments.of("clamp at 6", new Clamp(0, 6, 0), false, 1, Parity.NONE));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("functions")
    void knownFunctionsAreTold(String name, Pointwise function, boolean isHomogeneous, double degree, Parity parity) {
        assertThat(Homogeneity.of(function)).as(name).isEqualTo(new Homogeneity(isHomogeneous, degree, parity));
    }

    /** A millionth of a curvature is seen. */
    @Test
    void nearlyHomogeneousIsNot() {
        assertThat(Homogeneity.of(new Computed(z -> z + 1e-6 * z * z * z)).isHomogeneous())
                .isFalse();
        assertThat(Homogeneity.of(new Computed(z -> z + 1e-6 * z * z)).parity()).isEqualTo(Parity.NONE);
        assertThat(Homogeneity.of(new Computed(_ -> Double.NaN)).isHomogeneous())
                .isFalse();
    }
}
