package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LinearSolveTest {
    @Test
    void solvesForwardsAndTransposed() {
        Matrix a = Matrix.of(3, 3, 0, 2, 1, 1, -1, 0, 4, 0, 3);
        Matrix x = Matrix.of(3, 2, 1, 5, -2, 0, 3, 7);
        LinearSolve solve = LinearSolve.of(a);
        // condition about 10, so 100 eps is ample
        assertThat(solve.solve(a.times(x)).entries()).containsExactly(x.entries(), within(100 * Math.ulp(7.0)));
        assertThat(solve.solveTransposed(a.transpose().times(x)).entries())
                .containsExactly(x.entries(), within(100 * Math.ulp(7.0)));
        assertThat(solve.solve(new double[] {3, 0, 7})).containsExactly(new double[] {1, 1, 1}, within(1e-14));
    }

    @Test
    void theReciprocalConditionOfAHilbertMatrixIsKnown() {
        Matrix hilbert = Matrix.zeros(5, 5);
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                hilbert.set(i, j, 1.0 / (i + j + 1));
            }
        }
        // norm 137/60 times the largest column sum of the inverse, 413280
        assertThat(LinearSolve.of(hilbert).reciprocalCondition()).isCloseTo(60.0 / 137 / 413280, within(1e-9));
    }

    @Test
    void aSingularMatrixIsRefusedWithItsCondition() {
        LinearSolve exact = LinearSolve.of(Matrix.of(2, 2, 1, 2, 2, 4));
        assertThat(exact.reciprocalCondition()).isZero();
        assertThatThrownBy(() -> exact.solve(new double[] {1, 1}))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("LinearSolve: the matrix (2, 2) is singular to working precision:"
                        + " reciprocal condition 0.00e+00, below 2.22e-16");
        LinearSolve rounded = LinearSolve.of(Matrix.of(2, 2, 0.1, 0.3, 0.3, 0.9));
        assertThat(rounded.reciprocalCondition()).isLessThan(Math.ulp(1.0));
        assertThatThrownBy(() -> rounded.solve(new double[] {1, 1})).hasMessageContaining("singular");
    }

    @Test
    void theScaleOfTheMatrixDoesNotMatter() {
        Matrix a = Matrix.of(2, 2, 4, 1, 2, 3);
        for (double scale : new double[] {0x1p-1000, 0x1p-30, 0x1p1000}) {
            LinearSolve scaled = LinearSolve.of(a.scaled(scale));
            assertThat(scaled.reciprocalCondition()).isEqualTo(LinearSolve.of(a).reciprocalCondition());
            assertThat(scaled.solve(new double[] {6 * scale, 8 * scale}))
                    .containsExactly(new double[] {1, 2}, within(1e-15));
        }
        assertThatThrownBy(() -> LinearSolve.of(Matrix.of(1, 1, 0x1p-1000)).solve(new double[] {0x1p1000}))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage(
                        "LinearSolve: solution 0 is 1.00 * 2^2000, beyond the largest double; scale the problem down");
    }

    @Test
    void emptySystemsHaveEmptySolutions() {
        assertThat(LinearSolve.of(Matrix.zeros(0, 0)).solve(Matrix.zeros(0, 2)).columns())
                .isEqualTo(2);
        assertThat(LinearSolve.of(Matrix.identity(2)).solve(Matrix.zeros(2, 0)).rows())
                .isEqualTo(2);
    }

    @Test
    void wrongInputIsRefused() {
        assertThatThrownBy(() -> LinearSolve.of(Matrix.zeros(2, 3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LinearSolve: shape (2, 3), expected a square matrix");
        assertThatThrownBy(() -> LinearSolve.of(Matrix.of(1, 1, Double.NaN)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LinearSolve: entry (0, 0) is NaN; all entries must be finite");
        LinearSolve identity = LinearSolve.of(Matrix.identity(2));
        assertThatThrownBy(() -> identity.solve(new double[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LinearSolve: right side of shape (3, 1), expected 2 rows");
        assertThatThrownBy(() -> identity.solve(new double[] {1, Double.NEGATIVE_INFINITY}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("LinearSolve: right side: entry (1, 0) is -Infinity; all entries must be finite");
    }
}
