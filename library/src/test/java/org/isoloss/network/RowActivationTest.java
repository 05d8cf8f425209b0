package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowActivationTest {
    static Stream<RowActivation> all() {
        return Stream.of(RowActivation.SOFTMAX, Activation.TANH, Activation.GELU, Activation.SIGMOID);
    }

    @ParameterizedTest
    @MethodSource("all")
    void theDerivativeIsThatOfCentralDifferences(RowActivation activation) {
        var random = new SplittableRandom(1);
        Matrix sums = Networks.gaussian(random, 3, 5);
        Matrix change = Networks.gaussian(random, 3, 5);
        double step = Math.cbrt(Math.ulp(1.0));
        Matrix differences = activation
                .values(sums.plus(change.scaled(step)))
                .minus(activation.values(sums.minus(change.scaled(step))))
                .scaled(0.5 / step);
        assertThat(activation.derivative(sums, change).entries()).containsExactly(differences.entries(), within(1e-9));
        assertThat(activation
                        .derivative(sums, change.scaled(-1))
                        .minus(differences)
                        .largestMagnitude())
                .isGreaterThan(0.01);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aRowDependsOnNoOther(RowActivation activation) {
        var random = new SplittableRandom(2);
        Matrix sums = Networks.gaussian(random, 3, 4);
        assertThat(activation.values(sums.rows(1, 2)).entries())
                .containsExactly(activation.values(sums).row(1));
        assertThat(activation.derivative(sums.rows(1, 2), sums.rows(2, 3)).entries())
                .containsExactly(activation
                        .derivative(sums, Matrix.over(3, 4, repeated(sums.row(2))))
                        .row(1));
    }

    private static double[] repeated(double[] row) {
        double[] rows = new double[3 * row.length];
        for (int i = 0; i < 3; i++) {
            System.arraycopy(row, 0, rows, i * row.length, row.length);
        }
        return rows;
    }

    @Test
    void softmaxOfLargeSumsDoesNotOverflow() {
        assertThat(RowActivation.SOFTMAX
                        .values(Matrix.of(2, 2, 1000, 999, -1000, -1000))
                        .entries())
                .containsExactly(
                        new double[] {1 / (1 + Math.exp(-1)), Math.exp(-1) / (1 + Math.exp(-1)), 0.5, 0.5},
                        within(1e-15));
    }
}
