package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlaneExponentialTest {
    private static final double EPSILON = Math.ulp(1.0);

    static LongStream seeds() {
        return LongStream.range(0, 6);
    }

    /** The closed form against Padé approximation in twice the precision: two ways that share nothing. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theClosedFormAgreesWithTwiceThePrecision(long seed) {
        var rng = new SplittableRandom(seed);
        var plane = new PlaneExponential();
        var twice = new ScalingAndSquaring<>(2, new DoubleDoubleSquare(2), new ScalarShift());
        double[] expected = new double[4];
        double[] computed = new double[4];
        for (int i = 0; i < 4_000; i++) {
            double[] a = draw(rng, i % 4);
            double[] direction = rng.doubles(4, -1, 1).toArray();
            if (!plane.exponential(a, 0, computed, 0)) {
                continue;
            }
            twice.exponential(a, 0, expected, 0);
            assertThat(MatrixExponentialTest.relativeError(computed, expected))
                    .as("exp of %s", Matrix.of(2, 2, a))
                    .isLessThan(4 * EPSILON);
            assertThat(plane.derivative(a, 0, direction, 0, i % 2 == 0, computed, 0))
                    .isTrue();
            twice.derivative(a, 0, direction, 0, i % 2 == 0, expected, 0);
            double bound = 10 * EPSILON * Math.max(1, Matrix.of(2, 2, a).frobeniusNorm());
            assertThat(MatrixExponentialTest.relativeError(computed, expected))
                    .as("derivative at %s", Matrix.of(2, 2, a))
                    .isLessThan(bound);
        }
    }

    /** Entries of one size, of sizes of their own, nearly defective, or nearly nilpotent. */
    private static double[] draw(SplittableRandom rng, int kind) {
        double size = Math.pow(10, rng.nextDouble(-4, 2.4));
        double[] a = rng.doubles(4, -size, size).toArray();
        switch (kind) {
            case 1 -> {
                a[1] *= Math.pow(10, rng.nextDouble(-4, 4));
                a[2] *= Math.pow(10, rng.nextDouble(-4, 0));
            }
            case 2 -> {
                double half = (a[0] - a[3]) / 2;
                a[2] = -half * half / a[1] * (1 + 1e-9 * rng.nextDouble(-1, 1));
            }
            case 3 -> {
                a[3] = -a[0];
                a[2] = -a[0] * a[0] / a[1];
            }
            default -> {}
        }
        return a;
    }

    @Test
    void whatMightOverflowIsLeftToOthersUntouched() {
        var plane = new PlaneExponential();
        double[] result = {1, 2, 3, 4};
        double[][] matrices = {{0, 1e200, -1e200, 0}, {1e200, 1, 1, 0}, {701, 0, 1, 0}, {-350, 400, 400, -352}};
        for (double[] matrix : matrices) {
            assertThat(plane.exponential(matrix, 0, result, 0)).isFalse();
            assertThat(plane.derivative(matrix, 0, new double[4], 0, false, result, 0))
                    .isFalse();
        }
        assertThat(plane.derivative(
                        new double[] {0, 1e200, 0, 0}, 0, new double[] {0, 0, 1e200, 0}, 0, false, result, 0))
                .isFalse();
        assertThat(result).containsExactly(1, 2, 3, 4);
    }
}
