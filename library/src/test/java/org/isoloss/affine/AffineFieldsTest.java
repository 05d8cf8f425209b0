package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.isoloss.lie.AlgebraStructure;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AffineFieldsTest {
    /** Table {@code tab:frontier-higher-recovery} of the paper: dimension, center, derived; output error at most 1.5e-15. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "identity; 2 2 2; 4 1 3; gl(2)",
                "identity; 2 2 2 2; 8 2 6; gl(2) + gl(2)",
                "relu; 2 3 2; 3 3 0; R^3: hidden-unit rescalings",
                "relu; 2 3 3 1; 6 6 0; R^6: hidden-unit rescalings",
                "relu; 2 2 2 2 2 1; 8 8 0; R^8: hidden-unit rescalings"
            })
    void paperNetworks(String activation, String widths, String numbers, String name) {
        Recovery recovery = AffineFields.of(network(activation, false, widths)).recover();
        RecoveredAlgebra algebra = recovery.orThrow();
        AlgebraStructure structure = algebra.structure().orElseThrow();
        assertThat("%d %d %d".formatted(structure.dimension(), structure.center(), structure.derived()))
                .isEqualTo(numbers);
        assertThat(algebra.name()).isEqualTo(name);
        assertThat(algebra.unexplained()).isZero();
        assertThat(algebra.complete()).isTrue();
        assertThat(recovery.extractions()).hasSize(3).allSatisfy(extraction -> {
            assertThat(extraction.vectors()).isGreaterThanOrEqualTo(512);
            assertThat(extraction.solver()).isEqualTo(ConstraintSolver.DENSE);
        });
        assertThat(recovery.outputError()).isBetween(1e-17, 1.5e-15);
        assertThat(recovery.gap()).isGreaterThan(1e10);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "identity; false; 4 4 4 4; 32; gl(4) + gl(4)",
                "identity; false; 8 8 8; 64; gl(8)",
                "relu; true; 8 16 8; 16; R^16: hidden-unit rescalings",
                "identity; true; 2 2 2; 6; aff(2)",
                "identity; true; 2 1 3 2; 14; aff(1) + aff(3)",
                "leaky_relu; true; 2 3 2; 3; R^3: hidden-unit rescalings",
                "z^2; true; 2 3 2; 3; R^3: hidden-unit rescalings",
                "z^3; false; 2 3 2; 3; R^3: hidden-unit rescalings",
                "z^2; false; 2 2 2 1; 4; R^4: hidden-unit rescalings",
                "z^3; true; 1 2 2 1; 4; R^4: hidden-unit rescalings",
                "relu; false; 64 16 10; 16; R^16: hidden-unit rescalings"
            })
    void beyondThePaper(String activation, boolean biases, String widths, int dimension, String name) {
        Recovery recovery =
                AffineFields.of(network(activation, biases, widths)).seeds(101).recover();
        RecoveredAlgebra algebra = recovery.orThrow();
        assertThat(algebra.dimension()).isEqualTo(dimension);
        assertThat(algebra.name()).isEqualTo(name);
        assertThat(algebra.unexplained()).isZero();
        assertThat(algebra.complete()).isTrue();
        assertThat(recovery.outputError()).isLessThan(1.5e-15);
    }

    @Test
    void affineAlgebraOfTheHiddenPlane() {
        AlgebraStructure structure = AffineFields.of(Architecture.of(HiddenActivation.IDENTITY, true, 2, 2, 2))
                .seeds(101)
                .recover()
                .orThrow()
                .structure()
                .orElseThrow();
        assertThat(List.of(structure.dimension(), structure.center(), structure.derived()))
                .containsExactly(6, 0, 5);
    }

    /** By hand: three rescalings of the ReLU layer and nine changes of the linear layer's basis. */
    @Test
    void linearLayerInsideAReluNetwork() {
        RecoveredAlgebra algebra = AffineFields.of(new Architecture(
                        List.of(2, 3, 3, 2),
                        List.of(HiddenActivation.RELU, HiddenActivation.IDENTITY),
                        List.of(false, false, false)))
                .seeds(101)
                .recover()
                .orThrow();
        assertThat(algebra.dimension()).isEqualTo(12);
        assertThat(algebra.name()).isEqualTo("R^3 + gl(3): hidden-unit rescalings and hidden-basis changes");
        assertThat(algebra.complete()).isTrue();
        assertThat(algebra.generators().getFirst().moves()).containsExactly("0.weight", "2.weight");
        assertThat(algebra.generators().getLast().moves()).containsExactly("2.weight", "4.weight");
    }

    /** Networks that have none get none: five seeds each. */
    @ParameterizedTest
    @ValueSource(strings = {"tanh", "sigmoid", "gelu", "silu", "softplus", "gelu_tanh"})
    void nothingIsInvented(String activation) {
        Recovery recovery = AffineFields.of(network(activation, true, "2 3 2"))
                .solver(ConstraintSolver.GRADED)
                .seeds(1, 2, 3, 4, 5)
                .recover();
        assertThat(recovery.dimension()).hasValue(0);
        assertThat(recovery.orThrow().name()).isEqualTo("0");
        assertThat(recovery.orThrow().complete()).isTrue();
        assertThat(recovery.finiteChecks()).isEmpty();
    }

    /** Where no exact bound exists the answer says so: ReLU and tanh layers together. */
    @Test
    void whatIsOnlySampledIsNotCalledProved() {
        RecoveredAlgebra algebra = AffineFields.of(new Architecture(
                        List.of(2, 3, 3, 2),
                        List.of(HiddenActivation.named("tanh"), HiddenActivation.RELU),
                        List.of(true, true, true)))
                .seeds(101)
                .recover()
                .orThrow();
        assertThat(algebra.dimension()).isEqualTo(3);
        assertThat(algebra.complete()).isFalse();
        assertThat(algebra.upperBound()).isEmpty();
        assertThat(CertificateVerifier.verify(algebra.certificate()).complete()).isFalse();
    }

    @Test
    void bracketsAreWrittenInTheNamedGenerators() {
        RecoveredAlgebra algebra = AffineFields.of(Architecture.linear(2, 2, 2))
                .seeds(101)
                .recover()
                .orThrow();
        assertThat(algebra.brackets().orElseThrow())
                .contains(new BracketTable.Row(
                        "E1,2 on hidden layer 1",
                        "E2,1 on hidden layer 1",
                        "E1,1 on hidden layer 1 - E2,2 on hidden layer 1"))
                .hasSize(5);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(longs = {101, 102, 103})
    void digitsShapeOnEverySeed(long seed) {
        assertThat(AffineFields.of(Architecture.relu(64, 16, 10))
                        .seeds(seed)
                        .recover()
                        .orThrow()
                        .dimension())
                .isEqualTo(16);
    }

    private static Architecture network(String activation, boolean biases, String widths) {
        int[] numbers =
                Arrays.stream(widths.split(" ", -1)).mapToInt(Integer::parseInt).toArray();
        return Architecture.of(HiddenActivation.named(activation), biases, numbers);
    }
}
