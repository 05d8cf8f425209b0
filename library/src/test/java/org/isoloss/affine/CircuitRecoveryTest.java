package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.isoloss.circuit.Circuit;
import org.isoloss.circuit.SmallNetworks;
import org.isoloss.model.Model;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CircuitRecoveryTest {
    static Stream<Arguments> networks() {
        return Stream.of(
                Arguments.of("convolutions", SmallNetworks.convolutions(), "R^2"),
                Arguments.of("depthwise", SmallNetworks.depthwise(), "R^5"),
                Arguments.of("ReLU, then tanh", SmallNetworks.reluThenTanh(), "R^3"),
                Arguments.of("gated", SmallNetworks.gated(), "R^3"),
                Arguments.of("squared ReLU", SmallNetworks.squaredRelu(), "R^3"),
                Arguments.of("skip", SmallNetworks.skip(), "gl(2)"),
                Arguments.of("LSTM", SmallNetworks.lstm(), "R^8"),
                Arguments.of("GRU", SmallNetworks.gru(), "R^4"),
                Arguments.of("attention", SmallNetworks.attention(5, 3), "gl(3) + gl(3)"),
                Arguments.of("rotary", SmallNetworks.rotary(5, 4), "gl(4) + R^4"));
    }

    /** Weights of one input and one output are seen by their product alone; a first bias leaves gl(n) and what is skew. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, false, gl(1)",
        "2, 6, false, 'so(2, 2): '",
        "3, 15, false, 'so(3, 3): '",
        "2, 6, true, gl(2) + an"
    })
    void productsOfTwoNumbersAreNamed(int width, int dimension, boolean biased, String name) {
        Architecture architecture =
                new Architecture(List.of(1, width, 1), List.of(HiddenActivation.IDENTITY), List.of(biased, false));
        RecoveredAlgebra algebra =
                AffineFields.of(architecture).seeds(101).recover().orThrow();
        assertThat(algebra.dimension()).isEqualTo(dimension);
        assertThat(algebra.name()).startsWith(name);
        assertThat(CertificateVerifier.verify(algebra.certificate()).complete()).isTrue();
    }

    /** The planted algebra and nothing else, proved, and proved again from the text of the certificate alone. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("networks")
    void plantedAlgebraIsProvedWhole(String kind, Model model, String name) {
        RecoveredAlgebra algebra =
                AffineFields.of(Circuit.of(model)).seeds(101).recover().orThrow();
        assertThat(algebra.name()).isEqualTo(name);
        assertThat(algebra.complete()).isTrue();
        CertificateReport report = CertificateVerifier.verify(algebra.certificate());
        assertThat(report.checks())
                .allSatisfy(check -> assertThat(check.holds())
                        .as(check.claim() + ": " + check.detail())
                        .isTrue());
        assertThat(report.complete()).isTrue();
        assertThat(report.dimension()).isEqualTo(algebra.dimension());
    }
}
