package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BalancingTest {
    private static final double GUARD = 0x1p64;

    @Test
    void aLoneLargeEntryShrinks() {
        var balancing = new Balancing(3);
        balancing.find(new double[] {0, 1e308, 0, 0, 1, 0, 0, 0, -1}, 0, 0);
        assertThat(balancing.guardedNorm() * GUARD).isLessThan(8);
        assertThat(balancing.exponent(0, 1)).isLessThan(-1000).isEqualTo(-balancing.exponent(1, 0));
    }

    @Test
    void rowsAndColumnsOfBlocksMeet() {
        var balancing = new Balancing(3);
        balancing.find(new double[] {0, 1e200, 1, 1e-200, 0, 1e-100, 0, 1e-150, 0}, 0, 0);
        assertThat(balancing.guardedNorm() * GUARD).isLessThan(8);
    }

    @Test
    void aGoodMatrixIsLeftAlone() {
        var balancing = new Balancing(2);
        balancing.find(new double[] {100, 0.1, 1e-3, 100}, 0, 100);
        assertThat(balancing.exponent(0, 1)).isZero();
        balancing.find(new double[] {0, -1e4, 1e4, 0}, 0, 0);
        assertThat(balancing.exponent(0, 1)).isZero();
    }
}
