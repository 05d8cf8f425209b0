package org.isoloss.lie;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

class NumericalClosureTest {
    private static int dimension(Matrix... matrices) {
        return NumericalClosure.of(Generators.normalising(List.of(matrices))).size();
    }

    private static Matrix random(SplittableRandom random, int size) {
        Matrix matrix = Matrix.zeros(size, size);
        for (int i = 0; i < size * size; i++) {
            matrix.entries()[i] = random.nextGaussian();
        }
        return matrix;
    }

    @Test
    void knownAlgebrasHaveTheirDimensions() {
        Matrix up = Matrix.of(2, 2, 0, 1, 0, 0);
        Matrix down = Matrix.of(2, 2, 0, 0, 1, 0);
        Matrix diagonal = Matrix.of(2, 2, 1, 0, 0, -1);
        assertThat(dimension(up)).isEqualTo(1);
        assertThat(dimension(up, up.scaled(3))).as("dependent generators").isEqualTo(1);
        assertThat(dimension(diagonal, up)).as("upper triangular, trace 0").isEqualTo(2);
        assertThat(dimension(up, down)).as("sl(2)").isEqualTo(3);
        assertThat(dimension(Matrix.of(3, 3, 0, 1, 0, -1, 0, 0, 0, 0, 0), Matrix.of(3, 3, 0, 0, 0, 0, 0, 1, 0, -1, 0)))
                .as("so(3)")
                .isEqualTo(3);
        assertThat(dimension(Matrix.of(3, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0), Matrix.of(3, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0)))
                .as("Heisenberg")
                .isEqualTo(3);
    }

    @Test
    void twoRandomMatricesGenerateAll() {
        var random = new SplittableRandom(1);
        assertThat(dimension(random(random, 3), random(random, 3))).isEqualTo(9);
    }

    @Test
    void theBasisIsOrthonormalAndBeginsWithTheGenerators() {
        var random = new SplittableRandom(2);
        Generators generators = Generators.normalising(List.of(random(random, 3), random(random, 3)));
        List<Matrix> basis = NumericalClosure.of(generators);
        for (int i = 0; i < basis.size(); i++) {
            for (int j = 0; j < basis.size(); j++) {
                double inner = 0;
                for (int k = 0; k < 9; k++) {
                    inner += basis.get(i).entries()[k] * basis.get(j).entries()[k];
                }
                assertThat(Math.abs(inner - (i == j ? 1 : 0))).isLessThan(1e-12);
            }
        }
        assertThat(basis.getFirst().minus(generators.get(0)).largestMagnitude()).isLessThan(1e-15);
    }
}
