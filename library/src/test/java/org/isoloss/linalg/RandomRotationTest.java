package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RandomRotationTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 24, 65})
    void drawnMatricesAreOrthogonal(int n) {
        for (boolean fixesOnes : new boolean[] {false, true}) {
            Matrix matrix = RandomRotation.drawn(n, fixesOnes, new SplittableRandom(n));
            assertThat(matrix.times(matrix.transpose())
                            .minus(Matrix.identity(n))
                            .largestMagnitude())
                    .isLessThan(1e-13 * n);
            double[] sums = new double[n];
            Arrays.setAll(sums, i -> Arrays.stream(matrix.row(i)).sum());
            if (fixesOnes) {
                assertThat(sums).containsOnly(new double[] {1}, within(1e-13 * n));
            } else if (n > 2) {
                assertThat(Arrays.stream(sums)
                                .map(sum -> Math.abs(sum - 1))
                                .max()
                                .orElse(0))
                        .isGreaterThan(0.1);
            }
            assertThat(RandomRotation.drawn(n, fixesOnes, new SplittableRandom(n))
                            .entries())
                    .isEqualTo(matrix.entries());
        }
    }

    /** Of the uniform distribution each entry has mean 0 and variance 1 / n, and half of the determinants are negative. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void drawsAreUniform(boolean fixesOnes) {
        var random = new SplittableRandom(8);
        int draws = 4000;
        int n = 3;
        double[] mean = new double[n * n];
        double[] square = new double[n * n];
        int negative = 0;
        for (int draw = 0; draw < draws; draw++) {
            Matrix matrix = RandomRotation.drawn(n, fixesOnes, random);
            for (int i = 0; i < n * n; i++) {
                mean[i] += matrix.entries()[i] / draws;
                square[i] += matrix.entries()[i] * matrix.entries()[i] / draws;
            }
            negative += determinant(matrix) < 0 ? 1 : 0;
        }
        double fixed = fixesOnes ? 1.0 / n : 0; // 1 1' / n is always there
        double spread = fixesOnes ? (n - 1.0) / n * (n - 1) / n / (n - 1) : 1.0 / n;
        for (int i = 0; i < n * n; i++) { // five standard deviations of a mean of 4000
            assertThat(mean[i]).isCloseTo(fixed, within(0.05));
            assertThat(square[i]).isCloseTo(fixed * fixed + spread, within(0.05));
        }
        assertThat(negative / (double) draws).isCloseTo(0.5, within(0.04));
    }

    private static double determinant(Matrix m) {
        return m.get(0, 0) * (m.get(1, 1) * m.get(2, 2) - m.get(1, 2) * m.get(2, 1))
                - m.get(0, 1) * (m.get(1, 0) * m.get(2, 2) - m.get(1, 2) * m.get(2, 0))
                + m.get(0, 2) * (m.get(1, 0) * m.get(2, 1) - m.get(1, 1) * m.get(2, 0));
    }
}
