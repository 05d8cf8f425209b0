package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SvdTest {
    /** Backward error of dgesdd on these sizes: well under 100 eps of the largest singular value. */
    private static final double TOLERANCE = 100 * Math.ulp(1.0);

    static Stream<CSVRecord> golden() {
        return Golden.read("singular-values.csv");
    }

    @ParameterizedTest
    @MethodSource("golden")
    void singularValuesAgreeWithFiftyDigits(CSVRecord row) {
        double[] expected = Golden.numbers(row, "values");
        Matrix a = Golden.matrix(row, "entries");
        assertThat(Svd.of(a).singularValues()).containsExactly(expected, within(TOLERANCE * expected[0]));
        assertThat(Svd.valuesOf(a)).containsExactly(expected, within(TOLERANCE * expected[0]));
    }

    @ParameterizedTest(name = "{0} x {1}")
    @CsvSource({"1, 1", "4, 4", "9, 3", "3, 9", "1, 6", "6, 1", "60, 40", "40, 60"})
    void theFactorsMultiplyToTheMatrix(int m, int n) {
        Matrix a = draw(m, n, 7L * m + n);
        Svd svd = Svd.of(a);
        double[] s = svd.singularValues();
        Matrix scaledLeft = svd.left();
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < s.length; j++) {
                scaledLeft.set(i, j, scaledLeft.get(i, j) * s[j]);
            }
        }
        Matrix product = scaledLeft.times(svd.right().transpose());
        assertThat(product.minus(a).frobeniusNorm()).isLessThan(TOLERANCE * s[0] * s.length);
        assertThat(departureFromOrthonormal(svd.left())).isLessThan(1e-12);
        assertThat(departureFromOrthonormal(svd.right())).isLessThan(1e-12);
        assertThat(s).isSortedAccordingTo((x, y) -> Double.compare(y, x));
    }

    @ParameterizedTest(name = "{0} x {1}, rank {2}")
    @CsvSource({"6, 9, 4", "9, 6, 4", "5, 5, 5", "5, 12, 5", "3, 4, 0", "0, 3, 0"})
    void aPlantedNullSpaceIsFound(int m, int n, int rank) {
        Matrix a = draw(m, rank, 1).times(draw(rank, n, 2));
        Svd svd = Svd.of(a);
        assertThat(svd.rank(1e-10)).isEqualTo(rank);
        Matrix basis = svd.nullSpace(1e-10);
        assertThat(basis.rows()).isEqualTo(n);
        assertThat(basis.columns()).isEqualTo(n - rank);
        assertThat(departureFromOrthonormal(basis)).isLessThan(1e-12);
        assertThat(a.times(basis).frobeniusNorm()).isLessThanOrEqualTo(1e-12 * (1 + a.frobeniusNorm()));
        if (rank > 0 && rank < Math.min(m, n)) {
            assertThat(svd.gap(1e-10)).isGreaterThan(1e10);
        } else {
            assertThat(svd.gap(1e-10)).isInfinite();
        }
    }

    @Test
    void aMatrixThatIsNotFiniteHasNoRank() {
        for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
            Matrix a = Matrix.of(2, 2, 1, 0, wrong, 1);
            String message = "Svd: entry (1, 0) is %s; all entries must be finite".formatted(wrong);
            assertThatThrownBy(() -> Svd.of(a))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
            assertThatThrownBy(() -> Svd.valuesOf(a))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(message);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-9, 1e-300, Double.MIN_VALUE, 1, 1e300})
    void aSmallMultipleOfTheIdentityHasFullRank(double scale) {
        Svd svd = Svd.of(Matrix.identity(4).scaled(scale));
        assertThat(svd.rank(1e-8)).isEqualTo(4);
        assertThat(svd.nullSpace(1e-8).columns()).isZero();
        assertThat(svd.condition()).isEqualTo(1);
        assertThat(svd.singularValues()).containsOnly(scale);
    }

    @ParameterizedTest
    @ValueSource(ints = {-900, -30, 1, 64, 1000})
    void scalingByAPowerOfTwoChangesNoBit(int exponent) {
        Matrix a = draw(5, 7, 3);
        Svd plain = Svd.of(a);
        Svd scaled = Svd.of(a.scaled(Math.scalb(1.0, exponent)));
        assertThat(scaled.left().entries()).isEqualTo(plain.left().entries());
        assertThat(scaled.right().entries()).isEqualTo(plain.right().entries());
        double[] expected = Arrays.stream(plain.singularValues())
                .map(s -> Math.scalb(s, exponent))
                .toArray();
        assertThat(scaled.singularValues()).isEqualTo(expected);
    }

    @Test
    void signsAreFixedAlsoWhereEntriesTie() {
        Matrix a = Matrix.of(2, 2, 1, -1, -1, 1);
        Matrix right = Svd.of(a).right();
        assertThat(right.get(0, 0)).isPositive();
        assertThat(right.get(1, 0)).isNegative();
        assertThat(Svd.of(a.scaled(-1)).right().get(0, 0)).isPositive();
        Matrix basis = Svd.of(Matrix.of(1, 3, 0, 0, -2)).nullSpace(1e-8);
        // unit vectors, in an order that is LAPACK's
        assertThat(Arrays.stream(basis.entries()).sorted().toArray())
                .containsExactly(new double[] {0, 0, 0, 0, 1, 1}, within(1e-15));
    }

    @Test
    void anUnsortedDiagonalComesBackSorted() {
        Svd svd = Svd.of(Matrix.of(3, 3, 1, 0, 0, 0, 5, 0, 0, 0, 3));
        assertThat(svd.singularValues()).containsExactly(new double[] {5, 3, 1}, within(TOLERANCE * 5));
        assertThat(svd.condition()).isCloseTo(5, within(5 * TOLERANCE));
        assertThat(svd.rank(0.3)).isEqualTo(2);
        assertThat(svd.gap(0.3)).isCloseTo(3, within(5 * TOLERANCE));
        assertThat(Math.abs(svd.nullSpace(0.3).get(0, 0))).isCloseTo(1, within(TOLERANCE));
    }

    @Test
    void emptyAndZeroMatricesHaveRankZero() {
        assertThat(Svd.of(Matrix.zeros(0, 3)).nullSpace(1e-8).entries())
                .isEqualTo(Matrix.identity(3).entries());
        assertThat(Svd.of(Matrix.zeros(3, 0)).nullSpace(1e-8).columns()).isZero();
        assertThat(Svd.of(Matrix.zeros(3, 0)).condition()).isEqualTo(1);
        assertThat(Svd.valuesOf(Matrix.zeros(3, 0))).isEmpty();
        Svd zero = Svd.of(Matrix.zeros(2, 3));
        assertThat(zero.rank(1e-8)).isZero();
        assertThat(zero.nullSpace(1e-8).columns()).isEqualTo(3);
        assertThat(zero.condition()).isInfinite();
    }

    @Test
    void wrongTolerancesAreRefused() {
        Svd svd = Svd.of(Matrix.identity(2));
        for (double wrong : new double[] {0, 1, -1e-8, Double.NaN}) {
            String rest =
                    ": relative tolerance %s, expected between 0 and 1, such as 1e-10; rounding leaves no exact zeros"
                            .formatted(wrong);
            assertThatThrownBy(() -> svd.rank(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Svd.rank" + rest);
            assertThatThrownBy(() -> svd.nullSpace(wrong)).hasMessage("Svd.nullSpace" + rest);
            assertThatThrownBy(() -> svd.gap(wrong)).hasMessage("Svd.gap" + rest);
        }
    }

    @Test
    void aSingularValueBeyondTheLargestDoubleIsRefused() {
        double big = Double.MAX_VALUE;
        assertThatThrownBy(() -> Svd.of(Matrix.of(2, 2, big, big, big, big)))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage(
                        "Svd: singular value 0 is 2.00 * 2^1024, beyond the largest double; scale the problem down");
    }

    static Matrix draw(int rows, int columns, long seed) {
        return Matrix.over(
                rows,
                columns,
                new SplittableRandom(seed).doubles((long) rows * columns, -1, 1).toArray());
    }

    static double departureFromOrthonormal(Matrix columns) {
        return columns.transpose()
                .times(columns)
                .minus(Matrix.identity(columns.columns()))
                .largestMagnitude();
    }
}
