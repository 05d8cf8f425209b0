package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScaleBalanceTest {
    /** 4 exp(2 t) + 9 exp(-4 t) is least where 8 exp(2 t) = 36 exp(-4 t). */
    @Test
    void oneScaleHasItsLeastSum() {
        var balance = new ScaleBalance(new double[] {2, 3}, List.of(Map.of(0, 1.0, 1, -2.0)));
        assertThat(balance.logarithms()).containsExactly(new double[] {Math.log(4.5) / 6}, within(1e-13));
        assertThat(balance.unbounded()).isZero();
    }

    /** Of three factors in a row the two scales between them make all equal: a product keeps its size. */
    @Test
    void scalesThatShareANumberAreBalancedTogether() {
        var balance =
                new ScaleBalance(new double[] {8, 1, 27}, List.of(Map.of(0, 1.0, 1, -1.0), Map.of(1, 1.0, 2, -1.0)));
        double mean = Math.log(8 * 27) / 3;
        assertThat(balance.logarithms())
                .containsExactly(new double[] {mean - Math.log(8), Math.log(27) - mean}, within(1e-12));
    }

    @Test
    void scalesWithoutLeastSumStay() {
        assertThat(new ScaleBalance(new double[] {2, 0}, List.of(Map.of(0, 1.0, 1, -1.0))).unbounded())
                .isEqualTo(1);
        // both numbers vanish where the second logarithm grows and the first stays between half of it and it
        var together = new ScaleBalance(new double[] {1, 1}, List.of(Map.of(0, 1.0, 1, -1.0), Map.of(0, -1.0, 1, 0.5)));
        assertThat(together.unbounded()).isEqualTo(1);
        assertThat(Arrays.stream(together.logarithms())).allMatch(own -> Math.abs(own) <= 16);
    }

    /** (3, 4, 5) without what lies along (1, 1, 0) is (-1/2, 1/2, 5). */
    @Test
    void shiftsLeaveTheShortest() {
        var least = new LeastShift(new double[] {3, 4, 5});
        least.add(new double[] {4, 5, 5}, 0);
        assertThat(least.factors()).containsExactly(new double[] {-3.5}, within(1e-14));
        assertThat(least.shortest()).containsExactly(new double[] {-0.5, 0.5, 5}, within(1e-14));
        assertThat(least.places(0)).containsExactly(0, 1);
    }
}
