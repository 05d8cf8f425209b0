package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NilpotentSeriesTest {
    static LongStream seeds() {
        return LongStream.range(0, 40);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void permutedTriangularMatricesAreExactToTheLastBit(long seed) {
        var rng = new SplittableRandom(seed);
        for (int n = 2; n <= 7; n++) {
            Matrix a = Matrix.zeros(n, n);
            int[] order = permutation(n, rng);
            for (int i = 0; i < n; i++) {
                for (int j = i + 1; j < n; j++) {
                    double entry = seed % 2 == 0 ? rng.nextInt(-9, 10) : rng.nextDouble(-9, 9);
                    a.set(order[i], order[j], entry);
                }
            }
            assertThat(MatrixExponential.of(a).entries()).isEqualTo(exact(a));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void integerMatricesSimilarToTriangularOnesAreExactToTheLastBit(long seed) {
        var rng = new SplittableRandom(seed);
        for (int n = 2; n <= 5; n++) {
            Matrix a = Matrix.zeros(n, n);
            for (int i = 0; i < n; i++) {
                for (int j = i + 1; j < n; j++) {
                    a.set(i, j, rng.nextInt(-3, 4));
                }
            }
            for (int i = 0; i < 4; i++) { // shears: integer matrices with integer inverses
                int row = rng.nextInt(n);
                int column = (row + rng.nextInt(1, n)) % n;
                Matrix shear = Matrix.identity(n);
                Matrix inverse = Matrix.identity(n);
                double factor = rng.nextInt(-2, 3);
                shear.set(row, column, factor);
                inverse.set(row, column, -factor);
                a = shear.times(a).times(inverse);
            }
            assertThat(MatrixExponential.of(a).entries()).isEqualTo(exact(a));
        }
    }

    @Test
    void aLongChainHasFactorialsInItsCorner() {
        int n = 40;
        Matrix a = Matrix.zeros(n, n);
        for (int i = 0; i + 1 < n; i++) {
            a.set(i, i + 1, 3);
        }
        assertThat(MatrixExponential.of(a).entries()).isEqualTo(exact(a));
    }

    @Test
    void aMultipleOfTheIdentityIsTakenOut() {
        Matrix jordan = Matrix.of(3, 3, 0.1, 1, 0, 0, 0.1, 1, 0, 0, 0.1);
        double scale = Math.exp(0.1);
        assertThat(MatrixExponential.of(jordan).entries())
                .containsExactly(scale, scale, scale / 2, 0, scale, scale, 0, 0, scale);
    }

    @Test
    void otherMatricesAreNotNilpotent() {
        var series = new NilpotentSeries(3);
        // traces of the matrix and of its square vanish, that of its cube does not
        assertThat(series.evaluate(new double[] {0, 1, 0, 0, 0, 1, 1, 0, 0}, 0, 0))
                .isFalse();
        assertThat(series.evaluate(new double[] {0, 1, 0, 1, 0, 0, 0, 0, 0}, 0, 0))
                .isFalse();
        // its products would vanish by underflow, but its eigenvalues are 1 and -1
        assertThat(series.evaluate(new double[] {0, 1e300, 0, 1e-300, 0, 0, 0, 0, 0}, 0, 0))
                .isFalse();
        assertThat(series.evaluate(new double[] {5, 1, 0, 0, 5, 0, 0, 0, 5}, 0, 5))
                .isTrue();
    }

    /** The series in exact arithmetic, rounded once from 60 digits. */
    private static double[] exact(Matrix a) {
        int n = a.rows();
        BigDecimal[] sum = exactly(Matrix.identity(n));
        BigDecimal[] power = exactly(Matrix.identity(n));
        BigDecimal[] base = exactly(a);
        BigDecimal factorial = BigDecimal.ONE;
        for (int k = 1; k < n; k++) { // sum is k! times the series so far
            factorial = factorial.multiply(BigDecimal.valueOf(k));
            BigDecimal[] next = new BigDecimal[n * n];
            for (int i = 0; i < n * n; i++) {
                next[i] = BigDecimal.ZERO;
                for (int l = 0; l < n; l++) {
                    next[i] = next[i].add(power[i / n * n + l].multiply(base[l * n + i % n]));
                }
            }
            power = next;
            for (int i = 0; i < n * n; i++) {
                sum[i] = sum[i].multiply(BigDecimal.valueOf(k)).add(power[i]);
            }
        }
        double[] rounded = new double[n * n];
        for (int i = 0; i < n * n; i++) {
            rounded[i] = sum[i].divide(factorial, new MathContext(60)).doubleValue();
        }
        return rounded;
    }

    private static BigDecimal[] exactly(Matrix a) {
        BigDecimal[] exact = new BigDecimal[a.entries().length];
        for (int i = 0; i < exact.length; i++) {
            exact[i] = new BigDecimal(a.entries()[i]);
        }
        return exact;
    }

    private static int[] permutation(int n, SplittableRandom rng) {
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            int j = rng.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }
}
