package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SmoothCutoffTest {
    private static final SmoothCutoff CUTOFF = SmoothCutoff.of(new double[] {1, 2}, new double[] {0.5, 2});

    @Test
    void itIsOneInsideZeroOutsideAndFallsBetween() {
        assertThat(CUTOFF.at(new double[] {1.2, 2})).isEqualTo(1);
        assertThat(CUTOFF.at(new double[] {1, 3})).isEqualTo(1);
        assertThat(CUTOFF.at(new double[] {1, 4})).isZero();
        assertThat(CUTOFF.at(new double[] {0.4, 2})).isZero();
        assertThat(CUTOFF.at(new double[] {1, 3.5})).isCloseTo(0.5, within(1e-15));
        assertThat(CUTOFF.distance(new double[] {1.5, 2})).isEqualTo(1);
        double last = 1;
        for (double z = 3; z <= 4; z += 0.01) {
            double value = CUTOFF.at(new double[] {1, z});
            assertThat(value).isBetween(0.0, last);
            last = value;
        }
    }

    @Test
    void itCutsAFieldOff() {
        VectorField field = CUTOFF.times(VectorField.constant(3, -4));
        assertThat(field.at(new double[] {1, 2})).containsExactly(3, -4);
        assertThat(field.at(new double[] {1, 3.5})).containsExactly(new double[] {1.5, -2}, within(1e-14));
        assertThat(field.at(new double[] {9, 9})).containsExactly(0, -0.0);
    }

    @Test
    void radiiThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> SmoothCutoff.of(new double[2], new double[] {1, 0}))
                .hasMessage(
                        "SmoothCutoff: 2 coordinates of the centre and radii [1.0, 0.0], expected as many positive finite radii");
    }
}
