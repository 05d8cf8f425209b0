package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tangents, and gradients of what is computed from tangents, against central differences. */
class JetDerivativeTest {
    private static final Pointwise WRONG_FIRST = new Wave(-1, 1);
    private static final Pointwise WRONG_SECOND = new Wave(1, -1);

    static Stream<Arguments> jets() {
        return Arrays.stream(JetCase.values())
                .flatMap(jet -> LongStream.rangeClosed(1, 4).mapToObj(seed -> Arguments.arguments(jet, seed)));
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("jets")
    void tangentsAreDifferencesOfValues(JetCase jet, long seed) {
        assertThat(tangentError(jet, Leaves.right(seed), Wave.RIGHT)).isLessThan(GradientCheck.TOLERANCE);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("jets")
    void gradientsOfTangentsAreMixedDerivatives(JetCase jet, long seed) {
        assertThat(mixedError(jet, Leaves.right(seed), Wave.RIGHT)).isLessThan(GradientCheck.TOLERANCE);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("jets")
    void gradientsOfValuesAndTangentsAddUp(JetCase jet, long seed) {
        Leaves leaves = Leaves.right(seed);
        JetEntries output = jet.record(leaves, Wave.RIGHT);
        Tensor loss = leaves.graph().innerProduct(0.5, output.tensor(), output.tensor());
        assertThat(GradientCheck.worstError(leaves.program(Precision.FLOAT64), loss, leaves.tensors()))
                .isLessThan(GradientCheck.TOLERANCE);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("jets")
    void aTangentOfTheWrongSignIsSeen(JetCase jet, long seed) {
        Leaves count = Leaves.right(seed);
        jet.record(count, Wave.RIGHT);
        for (int wrong = 0; wrong < count.jets().size(); wrong++) {
            assertThat(tangentError(jet, Leaves.withWrongTangents(seed, wrong), Wave.RIGHT))
                    .as("jet %d", wrong)
                    .isGreaterThan(0.1);
        }
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("jets")
    void aMixedDerivativeOfTheWrongSignIsSeen(JetCase jet, long seed) {
        Leaves count = Leaves.right(seed);
        jet.record(count, Wave.RIGHT);
        for (int wrong = 0; wrong < count.tensors().size(); wrong++) {
            assertThat(mixedError(jet, Leaves.withWrongGradient(seed, wrong), Wave.RIGHT))
                    .as("leaf %d", wrong)
                    .isGreaterThan(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"APPLY", "DENSE_NETWORK"})
    void derivativesOfTheWrongSignAreSeen(JetCase jet) {
        assertThat(tangentError(jet, Leaves.right(5), WRONG_FIRST)).isGreaterThan(0.1);
        assertThat(tangentError(jet, Leaves.right(5), WRONG_SECOND)).isLessThan(GradientCheck.TOLERANCE);
        assertThat(mixedError(jet, Leaves.right(5), WRONG_SECOND)).isGreaterThan(0.1);
    }

    private static double tangentError(JetCase jet, Leaves leaves, Pointwise function) {
        JetEntries output = jet.record(leaves, function);
        return TangentCheck.worstError(leaves.program(Precision.FLOAT64), leaves.jets(), output);
    }

    /** The error of the gradient of a sum of tangents alone. */
    private static double mixedError(JetCase jet, Leaves leaves, Pointwise function) {
        JetEntries output = jet.record(leaves, function);
        Tensor loss = leaves.weightedSum(output.tensor(), output.tangents());
        return GradientCheck.worstError(leaves.program(Precision.FLOAT64), loss, leaves.tensors());
    }
}
