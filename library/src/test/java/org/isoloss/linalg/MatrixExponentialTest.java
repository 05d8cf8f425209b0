package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixExponentialTest {
    private static final double EPSILON = Math.ulp(1.0);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static Stream<CSVRecord> golden() {
        return Golden.read("exponentials.csv");
    }

    static LongStream seeds() {
        return LongStream.range(0, 8);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void exponentialsAgreeWithTwoHundredDigits(CSVRecord row) {
        Matrix a = Golden.matrix(row, "entries");
        double[] exact = Golden.numbers(row, "exponential");
        double[] computed = MatrixExponential.of(a).entries();
        // the promise is 10 eps max(1, |a|); in these sizes there is no factor |a|
        assertThat(relativeError(computed, exact)).isLessThan(3 * EPSILON);
        computed[indexOfLargest(exact)] *= 1 + 1e3 * EPSILON;
        assertThat(relativeError(computed, exact)).isGreaterThan(10 * EPSILON);
    }

    @ParameterizedTest
    @MethodSource("golden")
    void derivativesAgreeWithDifferencesOfTwoHundredDigits(CSVRecord row) {
        Matrix a = Golden.matrix(row, "entries");
        Matrix direction = Golden.matrix(row, "direction");
        double[] exact = Golden.numbers(row, "derivative");
        if (Arrays.stream(exact).anyMatch(Double::isInfinite)) {
            assertThatThrownBy(() -> MatrixExponential.derivative(a, direction))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessageMatching(
                            "MatrixExponential: entry \\(\\d, \\d\\) of the derivative is beyond the largest"
                                    + " double; scale the matrix down");
            return;
        }
        double[] computed = MatrixExponential.derivative(a, direction).entries();
        assertThat(relativeError(computed, exact)).isLessThan(4 * EPSILON);
        // of A^T along E^T the derivative is the transpose
        Matrix transposed = MatrixExponential.adjoint(a.transpose(), direction);
        assertThat(relativeError(transposed.entries(), exact)).isLessThan(4 * EPSILON);
        Matrix opposite = MatrixExponential.derivative(a, direction.scaled(-1));
        assertThat(relativeError(opposite.entries(), exact)).isGreaterThan(1);
    }

    @Test
    void scalarsHaveTheScalarExponential() {
        for (double x = -43; x <= 43; x += 0.25) {
            assertThat(MatrixExponential.of(Matrix.of(1, 1, x)).get(0, 0)).isEqualTo(Math.exp(x));
            double slope = MatrixExponential.derivative(Matrix.of(1, 1, x), Matrix.of(1, 1, 2))
                    .get(0, 0);
            assertThat(slope).isEqualTo(2 * Math.exp(x));
        }
        Matrix slope = MatrixExponential.derivative(Matrix.of(1, 1, 710), Matrix.of(1, 1, 1e-3));
        assertThat(slope.get(0, 0)).isCloseTo(2.233994766161711e305, within(1e292));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rotationsAreRotations(long seed) {
        var rng = new SplittableRandom(seed);
        for (int i = 0; i < 200; i++) {
            double angle = rng.nextDouble(-1e4, 1e4);
            double cos = Math.cos(angle);
            double sin = Math.sin(angle);
            Matrix plane = MatrixExponential.of(Matrix.of(2, 2, 0, -angle, angle, 0));
            assertThat(relativeError(plane.entries(), new double[] {cos, -sin, sin, cos}))
                    .isLessThan(4 * EPSILON);
            Matrix space = MatrixExponential.of(Matrix.of(3, 3, 0, 0, angle, 0, 0, 0, -angle, 0, 0));
            assertThat(relativeError(space.entries(), new double[] {cos, 0, sin, 0, 1, 0, -sin, 0, cos}))
                    .isLessThan(4 * EPSILON);
        }
    }

    @Test
    void aHugeNilpotentIsExact() {
        assertThat(MatrixExponential.of(Matrix.of(2, 2, 0, 1e308, 0, 0)).entries())
                .containsExactly(1, 1e308, 0, 1);
        assertThat(MatrixExponential.of(Matrix.of(2, 2, 0, 0, -1e308, 0)).entries())
                .containsExactly(1, 0, -1e308, 1);
        assertThat(MatrixExponential.of(Matrix.of(2, 2, 1e200, 1e200, -1e200, -1e200))
                        .entries())
                .containsExactly(1e200, 1e200, -1e200, -1e200);
        assertThat(MatrixExponential.of(Matrix.of(3, 3, 0, 1e308, 0, 0, 0, 0x1p-1000, 0, 0, 0))
                        .entries())
                .containsExactly(1, 1e308, Math.scalb(1e308, -1001), 0, 1, 0x1p-1000, 0, 0, 1);
    }

    @Test
    void anIdentityComesFromZero() {
        for (int n = 0; n < 5; n++) {
            assertThat(MatrixExponential.of(Matrix.zeros(n, n)).entries())
                    .isEqualTo(Matrix.identity(n).entries());
            Matrix direction = SvdTest.draw(n, n, n);
            assertThat(relativeError(
                            MatrixExponential.derivative(Matrix.zeros(n, n), direction)
                                    .entries(),
                            direction.entries()))
                    .isLessThan(EPSILON);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 100})
    void largeMatricesAgreeWithTwiceThePrecision(int n) {
        Matrix random = SvdTest.draw(n, n, n);
        Matrix skew = random.minus(random.transpose());
        Matrix direction = SvdTest.draw(n, n, 1);
        for (Matrix a : new Matrix[] {random.scaled(0.01), random, skew, skew.scaled(10)}) {
            var exact = new ScalingAndSquaring<>(n, new DoubleDoubleSquare(n), new ScalarShift());
            double[] expected = new double[n * n];
            exact.exponential(a.entries(), 0, expected, 0);
            double bound = n * EPSILON * Math.max(1, a.frobeniusNorm());
            assertThat(relativeError(MatrixExponential.of(a).entries(), expected))
                    .isLessThan(bound);
            exact.derivative(a.entries(), 0, direction.entries(), 0, false, expected, 0);
            assertThat(relativeError(MatrixExponential.derivative(a, direction).entries(), expected))
                    .isLessThan(bound);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 6, 70})
    void theAdjointIsAdjoint(int n) {
        Matrix a = SvdTest.draw(n, n, 1);
        Matrix direction = SvdTest.draw(n, n, 2);
        Matrix cotangent = SvdTest.draw(n, n, 3);
        double forwards = dot(cotangent, MatrixExponential.derivative(a, direction));
        double backwards = dot(MatrixExponential.adjoint(a, cotangent), direction);
        double size = cotangent.frobeniusNorm()
                * MatrixExponential.derivative(a, direction).frobeniusNorm();
        assertThat(backwards).isCloseTo(forwards, within(10 * n * EPSILON * size));
        if (n > 1) {
            double wrong = dot(MatrixExponential.derivative(a, cotangent), direction);
            assertThat(wrong).isNotCloseTo(forwards, within(1e-3 * size));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void anInstanceServesManyMatricesInPlaceAndWithoutAllocation(int n) {
        MatrixExponential exponential = MatrixExponential.forSize(n);
        int size = n * n;
        double[] numbers = new SplittableRandom(n).doubles(3L * size, -1, 1).toArray();
        Matrix a = Matrix.of(n, n, Arrays.copyOf(numbers, size));
        Matrix e = Matrix.of(n, n, Arrays.copyOfRange(numbers, size, 2 * size));

        exponential.adjoint(numbers, 0, numbers, size, numbers, 2 * size);
        assertThat(Arrays.copyOfRange(numbers, 2 * size, 3 * size))
                .isEqualTo(MatrixExponential.adjoint(a, e).entries());
        exponential.derivative(numbers, 0, numbers, size, numbers, size);
        assertThat(Arrays.copyOfRange(numbers, size, 2 * size))
                .isEqualTo(MatrixExponential.derivative(a, e).entries());
        exponential.exponential(numbers, 0, numbers, 0);
        assertThat(Arrays.copyOf(numbers, size))
                .isEqualTo(MatrixExponential.of(a).entries());

        double[] result = new double[size];
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) { // the first rounds are interpreted
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 100; i++) {
                exponential.exponential(a.entries(), 0, result, 0);
                exponential.derivative(a.entries(), 0, e.entries(), 0, result, 0);
                exponential.adjoint(a.entries(), 0, e.entries(), 0, result, 0);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(100);
    }

    @Test
    void overflowIsRefusedAndUnderflowIsZero() {
        for (int n : new int[] {1, 2, 3, 70}) {
            Matrix large = Matrix.identity(n).scaled(710);
            assertThatThrownBy(() -> MatrixExponential.of(large))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessage("MatrixExponential: entry (0, 0) of the exponential is beyond the largest double;"
                            + " scale the matrix down");
            assertThatThrownBy(() -> MatrixExponential.adjoint(large, Matrix.identity(n)))
                    .isInstanceOf(ArithmeticException.class)
                    .hasMessage("MatrixExponential: entry (0, 0) of the adjoint is beyond the largest double;"
                            + " scale the matrix down");
            for (double size : new double[] {-800, -1e17, -1e308}) {
                Matrix vanishing = Matrix.identity(n).scaled(size);
                vanishing.set(0, n - 1, n == 1 ? size : 1);
                assertThat(MatrixExponential.of(vanishing).entries()).containsOnly(0);
            }
        }
        assertThatThrownBy(() -> MatrixExponential.of(Matrix.of(3, 3, 0, 1e308, 0, 0, 0, 4, 0, 0, 0)))
                .hasMessageStartingWith("MatrixExponential: entry (0, 2) of the exponential is beyond");
        assertThatThrownBy(() -> MatrixExponential.of(Matrix.of(2, 2, 1e308, 1e308, 1e308, 1e308)))
                .isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> MatrixExponential.of(Matrix.identity(3).scaled(Double.MAX_VALUE)))
                .isInstanceOf(ArithmeticException.class);
    }

    @Test
    void aNormBeyondTheDigitsIsRefusedUnlessItsFormIsExact() {
        assertThatThrownBy(() -> MatrixExponential.of(Matrix.of(3, 3, -1e20, 1, 0, 1, 0, 0, 0, 0, 1e20)))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("MatrixExponential: the norm is 1.0e+20 when shifted and balanced;"
                        + " beyond 1e+15, rounding of the entries alone decides every digit");
        assertThatThrownBy(() -> MatrixExponential.derivative(
                        Matrix.of(2, 2, Double.MAX_VALUE, 1, 1, -Double.MAX_VALUE), Matrix.identity(2)))
                .hasMessageStartingWith("MatrixExponential: the norm is 1.8e+308 when shifted and balanced;");
        assertThat(MatrixExponential.of(Matrix.of(3, 3, -1e308, 0, 0, 0, 0, 0, 0, 0, -1e308))
                        .entries())
                .containsExactly(0, 0, 0, 0, 1, 0, 0, 0, 0);
        double angle = 1e20;
        assertThat(MatrixExponential.of(Matrix.of(2, 2, 0, -angle, angle, 0)).get(1, 0))
                .isCloseTo(Math.sin(angle), within(EPSILON));
    }

    @Test
    void wrongInputIsRefused() {
        for (int n = 1; n < 4; n++) {
            Matrix wrong = Matrix.zeros(n, n);
            wrong.set(n - 1, 0, Double.NaN);
            String rest = ": entry (%d, 0) is NaN; all entries must be finite".formatted(n - 1);
            Matrix right = Matrix.identity(n);
            assertThatThrownBy(() -> MatrixExponential.of(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("MatrixExponential: the matrix" + rest);
            assertThatThrownBy(() -> MatrixExponential.derivative(right, wrong))
                    .hasMessage("MatrixExponential: the direction" + rest);
            assertThatThrownBy(() -> MatrixExponential.adjoint(right, wrong))
                    .hasMessage("MatrixExponential: the cotangent" + rest);
        }
        assertThatThrownBy(() -> MatrixExponential.of(Matrix.zeros(2, 3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("MatrixExponential: the matrix has shape (2, 3), expected a square matrix");
        assertThatThrownBy(() -> MatrixExponential.derivative(Matrix.zeros(2, 2), Matrix.zeros(2, 3)))
                .hasMessage("MatrixExponential: the direction has shape (2, 3), expected the matrix's (2, 2)");
        assertThatThrownBy(() -> MatrixExponential.adjoint(Matrix.zeros(2, 2), Matrix.zeros(3, 2)))
                .hasMessage("MatrixExponential: the cotangent has shape (3, 2), expected the matrix's (2, 2)");
        assertThatThrownBy(() -> MatrixExponential.forSize(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("MatrixExponential: size -1, expected at least 0");
        assertThatThrownBy(() -> MatrixExponential.forSize(2).exponential(new double[5], 2, new double[4], 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("MatrixExponential: the matrix has 3 entries from index 2 of 5, expected 2 x 2");
        assertThatThrownBy(() -> MatrixExponential.forSize(2).exponential(new double[4], 0, new double[4], -1))
                .hasMessage("MatrixExponential: the result has 5 entries from index -1 of 4, expected 2 x 2");
    }

    /** The Frobenius norm of the difference over that of the exact numbers; not a number if a number is not. */
    static double relativeError(double[] computed, double[] exact) {
        double largest = Matrix.over(1, exact.length, exact).largestMagnitude();
        double scale = largest == 0 ? 1 : largest;
        double[] difference = IntStream.range(0, exact.length)
                .mapToDouble(i -> computed[i] / scale - exact[i] / scale)
                .toArray();
        double[] scaled = Arrays.stream(exact).map(x -> x / scale).toArray();
        double size = largest == 0 ? 1 : Matrix.over(1, scaled.length, scaled).frobeniusNorm();
        return Matrix.over(1, difference.length, difference).frobeniusNorm() / size;
    }

    private static int indexOfLargest(double[] numbers) {
        return IntStream.range(0, numbers.length)
                .reduce(0, (i, j) -> Math.abs(numbers[j]) > Math.abs(numbers[i]) ? j : i);
    }

    private static double dot(Matrix x, Matrix y) {
        return IntStream.range(0, x.entries().length)
                .mapToDouble(i -> x.entries()[i] * y.entries()[i])
                .sum();
    }
}
