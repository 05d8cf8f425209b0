package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PivotedQrTest {
    private static final double TOLERANCE = 100 * Math.ulp(1.0);

    @ParameterizedTest(name = "{0} x {1}")
    @CsvSource({"4, 4", "7, 3", "3, 7", "1, 5", "5, 1", "50, 40"})
    void theFactorsMultiplyToThePermutedMatrix(int m, int n) {
        Matrix a = SvdTest.draw(m, n, 11L * m + n);
        PivotedQr qr = PivotedQr.of(a);
        assertThat(qr.pivots()).containsExactlyInAnyOrder(IntStream.range(0, n).toArray());
        Matrix permuted = columns(a, qr.pivots());
        assertThat(qr.q().times(qr.r()).minus(permuted).frobeniusNorm()).isLessThan(TOLERANCE * a.frobeniusNorm());
        assertThat(SvdTest.departureFromOrthonormal(qr.q())).isLessThan(1e-12);
        double[] diagonal = qr.diagonal();
        for (int i = 1; i < diagonal.length; i++) {
            assertThat(diagonal[i]).isLessThanOrEqualTo(diagonal[i - 1] * (1 + TOLERANCE));
            assertThat(qr.r().get(i, i - 1)).isZero();
        }
    }

    @Test
    void theFirstPivotsAreTheIndependentColumns() {
        Matrix a = Matrix.of(3, 4, 1, 0, 2, 0.1, 1, 0, 2, 0, 0, 3, 0, 0);
        PivotedQr qr = PivotedQr.of(a);
        assertThat(Arrays.copyOf(qr.pivots(), 2)).containsExactly(1, 2);
        assertThat(qr.condition(2)).isCloseTo(3 / Math.sqrt(8), within(TOLERANCE));
        assertThat(qr.condition(3))
                .isCloseTo(Svd.of(columns(a, Arrays.copyOf(qr.pivots(), 3))).condition(), within(1e-10));
        assertThat(qr.condition(1)).isEqualTo(1);
    }

    @Test
    void aDeficientMatrixHasItsRankThoughItsDiagonalIsNotExactlyZero() {
        Matrix a = SvdTest.draw(8, 3, 5).times(SvdTest.draw(3, 6, 6));
        PivotedQr qr = PivotedQr.of(a);
        assertThat(qr.rank(1e-10)).isEqualTo(3);
        assertThat(qr.diagonal()[3]).isLessThan(1e-13);
        assertThat(Arrays.stream(qr.diagonal()).skip(3)).anyMatch(entry -> entry != 0);
        assertThatThrownBy(() -> qr.rank(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("PivotedQr.rank: relative tolerance 0.0, expected between 0 and 1, such as 1e-10;"
                        + " rounding leaves no exact zeros");
    }

    @Test
    void rankDoesNotDependOnTheScale() {
        Matrix a = SvdTest.draw(5, 5, 9);
        for (int exponent : new int[] {-1000, -30, 900}) {
            PivotedQr scaled = PivotedQr.of(a.scaled(Math.scalb(1.0, exponent)));
            assertThat(scaled.pivots()).isEqualTo(PivotedQr.of(a).pivots());
            assertThat(scaled.q().entries()).isEqualTo(PivotedQr.of(a).q().entries());
            assertThat(scaled.rank(1e-8)).isEqualTo(5);
        }
        assertThat(PivotedQr.of(Matrix.identity(3).scaled(1e-9)).rank(1e-8)).isEqualTo(3);
        assertThat(PivotedQr.of(Matrix.zeros(3, 2)).rank(1e-8)).isZero();
        assertThat(PivotedQr.of(Matrix.zeros(0, 2)).pivots()).containsExactly(0, 1);
        assertThat(PivotedQr.of(Matrix.zeros(2, 0)).q().columns()).isZero();
    }

    @Test
    void wrongInputIsRefused() {
        assertThatThrownBy(() -> PivotedQr.of(Matrix.of(1, 2, 0, Double.NaN)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("PivotedQr: entry (0, 1) is NaN; all entries must be finite");
        PivotedQr qr = PivotedQr.of(Matrix.zeros(2, 3));
        assertThat(qr.condition(2)).isInfinite();
        for (int wrong : new int[] {0, 3}) {
            assertThatThrownBy(() -> qr.condition(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "PivotedQr.condition: %d columns asked for, expected 1 to 2, the lesser side of the matrix"
                                    .formatted(wrong));
        }
    }

    private static Matrix columns(Matrix a, int[] order) {
        Matrix chosen = Matrix.zeros(a.rows(), order.length);
        for (int i = 0; i < a.rows(); i++) {
            for (int j = 0; j < order.length; j++) {
                chosen.set(i, j, a.get(i, order[j]));
            }
        }
        return chosen;
    }
}
