package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class OutputComparisonTest {
    @Test
    void everyOutputIsMeasuredOnItsOwn() {
        Matrix first = Matrix.of(3, 2, 1, 2, 5, 1, -8, 1);
        Matrix second = Matrix.of(3, 2, 1, 2.5, 4, 6, -8, 1);
        OutputComparison comparison = OutputComparison.of(first, second, false);
        assertThat(comparison.inputs()).isEqualTo(3);
        OutputComparison.OutputDifference left = comparison.outputs().get(0);
        assertThat(left.max()).isEqualTo(1);
        assertThat(left.scale()).isEqualTo(8);
        assertThat(left.relative()).isEqualTo(0.125);
        assertThat(left.worstInput()).isEqualTo(1);
        assertThat(left.flips()).isEqualTo(1); // input 1 went from output 0 to output 1
        OutputComparison.OutputDifference right = comparison.outputs().get(1);
        assertThat(right.max()).isEqualTo(5);
        assertThat(right.p95()).isCloseTo(0.5 + 0.9 * 4.5, within(1e-15)); // of 0, 0.5 and 5
        assertThat(right.relative()).isEqualTo(5.0 / 6);
        assertThat(right.flips()).isZero();
        assertThat(comparison.max()).isEqualTo(5);
        assertThat(comparison.flips()).isEqualTo(1);
        assertThat(comparison.worst().output()).isEqualTo(1);
        assertThat(comparison.p95()).isCloseTo(1 + 0.75 * 4, within(1e-14)); // of 0, 0, 0, 0.5, 1 and 5
    }

    @Test
    void equalOutputsDoNotDifferAlsoWhereTheyAreZero() {
        Matrix zeros = Matrix.zeros(2, 2);
        OutputComparison.OutputDifference output =
                OutputComparison.of(zeros, zeros, false).worst();
        assertThat(output.relative()).isZero();
        assertThat(output.max()).isZero();
    }

    @Test
    void aNumberThatIsNoneIsRefused() {
        assertThatThrownBy(() -> OutputComparison.of(Matrix.of(1, 2, 1, 2), Matrix.of(1, 2, 1, Double.NaN), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("OutputComparison: second: entry (0, 1) is NaN; all entries must be finite");
    }
}
