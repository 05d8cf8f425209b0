package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LeastSquaresTest {
    @Test
    void fitsALine() {
        Matrix a = Matrix.of(4, 2, 1, 0, 1, 1, 1, 2, 1, 3);
        LeastSquares fit = LeastSquares.of(a, Matrix.of(4, 1, 1, 3, 4, 4), 1e-10);
        assertThat(fit.solution().entries()).containsExactly(new double[] {1.5, 1}, within(1e-14));
        assertThat(fit.rank()).isEqualTo(2);
        assertThat(fit.singularValues()).containsExactly(Svd.valuesOf(a), within(1e-14));
    }

    @Test
    void ofManySolutionsTheLeastIsTaken() {
        LeastSquares wide = LeastSquares.of(Matrix.of(1, 2, 1, 1), Matrix.of(1, 2, 2, 4), 1e-10);
        assertThat(wide.solution().entries()).containsExactly(new double[] {1, 2, 1, 2}, within(1e-14));
        LeastSquares deficient = LeastSquares.of(Matrix.of(2, 2, 1, 2, 2, 4), Matrix.of(2, 1, 5, 10), 1e-10);
        assertThat(deficient.rank()).isEqualTo(1);
        assertThat(deficient.solution().entries()).containsExactly(new double[] {1, 2}, within(1e-14));
    }

    @Test
    void theScaleDoesNotMatter() {
        Matrix a = Matrix.of(2, 2, 3, 1, 1, 2);
        Matrix b = Matrix.of(2, 1, 4, 3);
        LeastSquares scaled = LeastSquares.of(a.scaled(0x1p-900), b.scaled(0x1p-900), 1e-10);
        assertThat(scaled.rank()).isEqualTo(2);
        assertThat(scaled.solution().entries())
                .isEqualTo(LeastSquares.of(a, b, 1e-10).solution().entries());
    }

    @Test
    void emptyProblemsHaveTheLeastSolution() {
        assertThat(LeastSquares.of(Matrix.zeros(0, 2), Matrix.zeros(0, 1), 0.5)
                        .solution()
                        .entries())
                .containsExactly(0, 0);
        assertThat(LeastSquares.of(Matrix.zeros(2, 2), Matrix.of(2, 1, 1, 1), 0.5)
                        .rank())
                .isZero();
        assertThat(LeastSquares.of(Matrix.identity(2), Matrix.zeros(2, 0), 0.5).rank())
                .isEqualTo(2);
    }

    @Test
    void wrongInputIsRefused() {
        Matrix a = Matrix.identity(2);
        assertThatThrownBy(() -> LeastSquares.of(a, Matrix.zeros(3, 1), 0.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LeastSquares: a has shape (2, 2) and b (3, 1); rows must agree");
        assertThatThrownBy(() -> LeastSquares.of(a, Matrix.zeros(2, 1), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("LeastSquares: relative tolerance 0.0, expected between 0 and 1");
        assertThatThrownBy(() -> LeastSquares.of(a, Matrix.of(2, 1, 0, Double.NaN), 0.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LeastSquares: b: entry (1, 0) is NaN; all entries must be finite");
        assertThatThrownBy(() -> LeastSquares.of(Matrix.of(1, 1, Double.NaN), Matrix.zeros(1, 1), 0.5))
                .hasMessage("LeastSquares: a: entry (0, 0) is NaN; all entries must be finite");
    }
}
