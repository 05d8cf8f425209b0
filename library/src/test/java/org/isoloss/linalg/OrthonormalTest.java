package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OrthonormalTest {
    private static final int N = 7;

    private static Matrix normal() {
        SplittableRandom random = new SplittableRandom(3);
        Matrix matrix = Matrix.zeros(N, N);
        for (int i = 0; i < N * N; i++) {
            matrix.entries()[i] = random.nextGaussian();
        }
        return matrix;
    }

    private static double departure(Matrix basis) {
        return Blas.gemm(basis, true, basis, false).minus(Matrix.identity(N)).frobeniusNorm();
    }

    /** Qᵀ A has nothing below its diagonal: the first columns of Q span those of A. */
    @Test
    void theFirstVectorsSpanTheFirstColumns() {
        Matrix square = normal();
        Matrix basis = Orthonormal.basis(square);
        assertThat(departure(basis)).isLessThan(1e-13);
        Matrix triangle = Blas.gemm(basis, true, square, false);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < i; j++) {
                assertThat(Math.abs(triangle.get(i, j))).isLessThan(1e-13);
            }
        }
    }

    @Test
    void theBasisIsCompleteWhateverTheRank() {
        assertThat(departure(Orthonormal.basis(Matrix.zeros(N, N)))).isLessThan(1e-13);
        Matrix singular = normal();
        for (int i = 0; i < N; i++) {
            singular.set(i, 2, 3 * singular.get(i, 1));
        }
        assertThat(departure(Orthonormal.basis(singular))).isLessThan(1e-13);
    }

    @Test
    void otherShapesAreRefused() {
        assertThatThrownBy(() -> Orthonormal.basis(Matrix.zeros(2, 3)))
                .hasMessage("Orthonormal.basis: shape (2, 3), expected a square one");
    }
}
