package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import org.isoloss.model.Clamp;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HiddenActivationTest {
    @ParameterizedTest
    @CsvSource({
        "identity, identity, 1, true",
        "relu, relu, 1, false",
        "leaky_relu, leaky_relu, 1, false",
        "x^2, z^2, 2, false",
        "Z^3, z^3, 3, true",
        "tanh, tanh, 0, true",
        "sigmoid, sigmoid, 0, false",
        "gelu, gelu, 0, false",
        "swish, silu, 0, false"
    })
    void namesLeadToDegreeAndParity(String name, String label, int degree, boolean odd) {
        HiddenActivation activation = HiddenActivation.named(name);
        assertThat(activation.label()).isEqualTo(label);
        assertThat(HiddenActivation.named(label)).isEqualTo(activation);
        assertThat(activation.degree()).isEqualTo(degree);
        assertThat(activation.isOdd()).isEqualTo(odd);
        assertThat(HiddenActivation.of(activation.function())).hasValue(activation);
        assertThat(HiddenActivation.of(activation.base()))
                .hasValue(activation.isPower() ? HiddenActivation.IDENTITY : activation);
        double z = 0.7;
        double r = 1.3;
        if (degree > 0) {
            assertThat(activation.function().value(r * z))
                    .isCloseTo(Math.pow(r, degree) * activation.function().value(z), offset(1e-15));
        }
        if (odd) {
            assertThat(activation.function().value(-z))
                    .isEqualTo(-activation.function().value(z));
        }
    }

    /** A difference quotient of step 1e-5 is off by at most about 1e-10 here. */
    @ParameterizedTest
    @CsvSource({"identity", "relu", "leaky_relu", "z^2", "z^3", "z^5", "tanh", "gelu"})
    void slopesAreThoseOfTheValues(String name) {
        HiddenActivation activation = HiddenActivation.named(name);
        for (double z : new double[] {-1.2, -0.3, 0.4, 1.1}) {
            double quotient = (activation.function().value(z + 1e-5)
                            - activation.function().value(z - 1e-5))
                    / 2e-5;
            assertThat(activation.function().first(z)).isCloseTo(quotient, offset(1e-8));
        }
    }

    /** A slope that no task names. */
    @Test
    void otherFunctionsHaveNoName() {
        assertThat(HiddenActivation.of(new Clamp(0, Double.POSITIVE_INFINITY, 0.2)))
                .isEmpty();
        assertThat(HiddenActivation.of(null)).hasValue(HiddenActivation.IDENTITY);
    }

    @Test
    void kindsAreChecked() {
        assertThatThrownBy(() -> new HiddenActivation(Activation.IDENTITY, 0))
                .hasMessage("activation z^0: expected z^1 to z^9");
        assertThatThrownBy(() -> new HiddenActivation(Activation.TANH, 2))
                .hasMessage("activation tanh^2: expected z^1 to z^9");
        assertThatThrownBy(() -> HiddenActivation.named("z^0"))
                .hasMessageStartingWith("activation \"z^0\" is not known");
    }
}
