package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class TestedOrbitsTest {
    private static final Matrix POINTS = Matrix.of(2, 4, 1, 2, 3, 4, 5, Double.NaN, 7, 8);

    private static Matrix shears(double... times) {
        Matrix shears = Matrix.zeros(times.length, 4);
        for (int row = 0; row < times.length; row++) {
            Rows.set(shears, row, new double[] {1, times[row], 0, 1});
        }
        return shears;
    }

    @Test
    void aPointThatIsNotFiniteSpoilsItsOwnRowsOnly() {
        ShearAction action = new ShearAction();
        Matrix elements = shears(0.1, 0.2, 0.3, 0.4);
        JudgedOrbits orbits = JudgedOrbits.of(action, POINTS);
        Matrix moved = orbits.moved(elements);
        Matrix field = orbits.field(Matrix.of(2, 4, 0, 1, 0, 0, 0, 1, 0, 0));
        for (int row : new int[] {0, 2}) {
            assertThat(moved.row(row))
                    .isEqualTo(action.apply(elements.rows(row, row + 1), POINTS.rows(0, 1))
                            .row(0));
        }
        for (int row : new int[] {1, 3}) {
            assertThat(moved.row(row)).containsOnly(Double.NaN);
        }
        assertThat(Rows.isFinite(field, 0)).isTrue();
        assertThat(field.row(1)).containsOnly(Double.NaN);
        assertThat(POINTS.get(1, 1)).as("the points are not modified").isNaN();
    }
}
