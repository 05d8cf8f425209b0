package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ScalarShiftTest {
    private final ScalarShift shift = new ScalarShift();

    @Test
    void theFactorNeitherVanishesNorOverflowsByItself() {
        shift.choose(new double[] {-1000}, 0, 1);
        assertThat(shift.apply(1, 0, 1500)).isCloseTo(1.7803754321799846e17, within(64.0));
        assertThat(shift.apply(1, 0, 0)).isZero();
        assertThat(shift.apply(1, 0, 1e300)).isInfinite();
        shift.choose(new double[] {-123456789}, 0, 1);
        assertThat(shift.apply(1, 0, 178110499)).isCloseTo(3.353400677224035, within(2 * Math.ulp(3.0)));
        shift.choose(new double[] {1000}, 0, 1);
        assertThat(shift.apply(1, 0, 0)).isInfinite();
        assertThat(shift.apply(0, 0, 0)).isZero();
    }

    @Test
    void theShiftIsTheMeanAndExactWhereTheDiagonalIsConstant() {
        shift.choose(new double[] {9, 0.1, 5, 5, 0.1}, 1, 2);
        assertThat(shift.value()).isEqualTo(0.1);
        shift.choose(new double[] {1, 0, 0, 4}, 0, 2);
        assertThat(shift.value()).isEqualTo(2.5);
        shift.choose(new double[] {1e308, 0, 0, 1e308}, 0, 2);
        assertThat(shift.value()).isEqualTo(1e308);
        assertThat(shift.apply(0.5, 0, 1e10)).isInfinite();
        shift.choose(new double[] {-1e308, 0, 0, -1.5e308}, 0, 2);
        assertThat(shift.value()).isEqualTo(-1.25e308);
        assertThat(shift.apply(0.5, 0, 1e10)).isZero();
        shift.choose(new double[] {-0.0}, 0, 1);
        assertThat(shift.apply(0.5, 0, 1)).isEqualTo(1);
    }
}
