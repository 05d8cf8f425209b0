package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MatrixTest {
    private final Matrix a = Matrix.of(2, 3, 1, 2, 3, 4, 5, 6);

    @Test
    void entriesLieRowByRow() {
        assertThat(a.get(1, 0)).isEqualTo(4);
        assertThat(a.row(1)).containsExactly(4, 5, 6);
        assertThat(a.column(2)).containsExactly(3, 6);
        assertThat(a.rows(1, 2).entries()).containsExactly(4, 5, 6);
        assertThat(a.transpose().entries()).containsExactly(1, 4, 2, 5, 3, 6);
        assertThat(a).hasToString("Matrix(2, 3)[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]");
    }

    @Test
    void onlyWhatIsMadeOverAnArraySharesIt() {
        double[] array = {1, 2};
        Matrix over = Matrix.over(1, 2, array);
        Matrix of = Matrix.of(1, 2, array);
        Matrix copy = over.copy();
        array[0] = 9;
        over.set(0, 1, 8);
        assertThat(over.entries()).containsExactly(9, 8).isSameAs(array);
        assertThat(of.entries()).containsExactly(1, 2);
        assertThat(copy.entries()).containsExactly(1, 2);
    }

    @Test
    void arithmeticFollowsTheDefinitions() {
        assertThat(a.times(Matrix.of(3, 1, 1, 0, -1)).entries()).containsExactly(-2, -2);
        assertThat(a.plus(a).minus(a.scaled(3)).entries()).containsExactly(-1, -2, -3, -4, -5, -6);
        assertThat(Matrix.identity(2).times(a).entries()).isEqualTo(a.entries());
        assertThat(Matrix.of(1, 2, 0, 1).times(Matrix.of(2, 1, Double.NaN, 1)).get(0, 0))
                .isNaN();
    }

    @Test
    void normsNeitherOverflowNorVanishNorHideNaN() {
        assertThat(Matrix.of(1, 2, 3e300, 4e300).frobeniusNorm()).isEqualTo(5e300);
        assertThat(Matrix.of(1, 2, 0x3p-1060, 0x4p-1060).frobeniusNorm()).isEqualTo(0x5p-1060);
        assertThat(Matrix.zeros(2, 0).frobeniusNorm()).isZero();
        assertThat(Matrix.of(1, 3, 1, Double.NaN, 2).frobeniusNorm()).isNaN();
        assertThat(Matrix.of(1, 3, 1, Double.NaN, 2).largestMagnitude()).isNaN();
        assertThat(Matrix.of(1, 2, 1, Double.NEGATIVE_INFINITY).frobeniusNorm()).isInfinite();
        assertThat(a.scaled(-1).largestMagnitude()).isEqualTo(6);
    }

    @Test
    void wrongShapesAndNumbersAreRefused() {
        assertThatThrownBy(() -> Matrix.of(2, 2, 1, 2, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Matrix: 3 entries given, expected 2 x 2 = 4");
        assertThatThrownBy(() -> a.times(a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Matrix.times: (2, 3) times (2, 3): the inner sizes differ");
        assertThatThrownBy(() -> a.plus(a.transpose()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Matrix.plus: shapes (2, 3) and (3, 2) differ");
        assertThat(a.requireFinite("a")).isSameAs(a);
        a.set(1, 1, Double.NaN);
        assertThatThrownBy(() -> a.requireFinite("weights"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("weights: entry (1, 1) is NaN; all entries must be finite");
    }
}
