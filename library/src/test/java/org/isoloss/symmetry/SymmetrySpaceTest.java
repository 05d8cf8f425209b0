package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SymmetrySpaceTest {
    @Test
    void clearStepAtTheBoundDecides() {
        assertThat(SymmetrySpace.faint(new double[] {1, 1e-3, 1e-15, 1e-16})).isZero();
        assertThat(SymmetrySpace.faint(new double[] {1, 1e-3})).isZero();
        assertThat(SymmetrySpace.faint(new double[] {})).isZero();
    }

    /** Two lie below 1e-9 and far above what rounding leaves of zeros. */
    @Test
    void clearStepFurtherDownDecidesWhereThereIsNoneAtTheBound() {
        assertThat(SymmetrySpace.faint(new double[] {1, 2e-9, 6e-10, 1e-10, 1e-16, 9e-17}))
                .isEqualTo(2);
        assertThat(SymmetrySpace.faint(new double[] {5, 1e-8, 3e-9, 5e-10, 5e-16, 0}))
                .isEqualTo(2);
    }

    @Test
    void withoutAnyStepAllThatIsSmallIsZero() {
        assertThat(SymmetrySpace.faint(new double[] {1, 2e-9, 6e-10, 1e-12, 1e-14, 1e-15, 1e-16}))
                .isZero();
    }
}
