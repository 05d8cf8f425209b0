package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;

class EchelonTest {
    /** Two bases of one space have one form; another space has another. */
    @Test
    void formDependsOnTheSpaceAlone() {
        var random = new SplittableRandom(2);
        Matrix space = normal(7, 3, random);
        Matrix one = Echelon.of(orthonormal(space));
        Matrix other = Echelon.of(orthonormal(space.times(normal(3, 3, random))));
        assertThat(one.minus(other).largestMagnitude()).isLessThan(1e-12);
        for (int pivot = 0; pivot < 3; pivot++) {
            int column = pivot;
            assertThat(IntStream.range(0, 7)
                            .anyMatch(row -> Math.abs(one.get(row, column) - 1) < 1e-12
                                    && Math.abs(one.get(row, (column + 1) % 3)) < 1e-12
                                    && Math.abs(one.get(row, (column + 2) % 3)) < 1e-12))
                    .isTrue();
        }
        assertThat(Echelon.of(orthonormal(normal(7, 3, random))).minus(one).largestMagnitude())
                .isGreaterThan(0.01);
    }

    /** Of two entries that are equal the first is the pivot. */
    @Test
    void zerosAreNoPivots() {
        Matrix space = Matrix.zeros(4, 2);
        space.set(1, 0, Math.sqrt(0.5));
        space.set(3, 0, Math.sqrt(0.5));
        space.set(2, 1, 1);
        Matrix form = Echelon.of(space);
        assertThat(form.column(0)).containsExactly(0, 1, 0, 1);
        assertThat(form.column(1)).containsExactly(0, 0, 1, 0);
    }

    private static Matrix normal(int rows, int columns, SplittableRandom random) {
        Matrix normal = Matrix.zeros(rows, columns);
        for (int i = 0; i < rows * columns; i++) {
            normal.entries()[i] = random.nextGaussian();
        }
        return normal;
    }

    private static Matrix orthonormal(Matrix columns) {
        return AffineFit.columns(Svd.of(columns).left(), columns.columns());
    }
}
