package org.isoloss.basis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.isoloss.linalg.LinearSolve;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.RandomRotation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BasisMapTest {
    private static final int SIZE = 5;
    /** Of products and inverses of a few well-conditioned matrices. */
    private static final double ROUNDING = 1e-11;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 30);
    }

    private static BasisMap dense(SplittableRandom random) {
        Matrix matrix = RandomRotation.drawn(SIZE, false, random);
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                matrix.set(i, j, matrix.get(i, j) * (1 + i + 0.3 * j));
            }
        }
        return new BasisMap.Dense(matrix);
    }

    private static BasisMap monomial(SplittableRandom random) {
        int[] order = {0, 1, 2, 3, 4};
        for (int i = SIZE - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int kept = order[i];
            order[i] = order[j];
            order[j] = kept;
        }
        double[] factors = random.doubles(SIZE, 0.5, 2)
                .map(factor -> random.nextBoolean() ? factor : -factor)
                .toArray();
        return new BasisMap.Monomial(order, factors);
    }

    private static void requireSame(Matrix one, Matrix other) {
        assertThat(one.minus(other).largestMagnitude()).isLessThan(ROUNDING);
    }

    /** Whatever the two kinds do is what their matrices do. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void mapsActAsTheirMatrices(long seed) {
        var random = new SplittableRandom(seed);
        for (BasisMap map : List.of(dense(random), monomial(random))) {
            Matrix matrix = map.matrix();
            Matrix inverse = LinearSolve.of(matrix).solve(Matrix.identity(SIZE));
            assertThat(map.size()).isEqualTo(SIZE);
            requireSame(map.inverse().matrix(), inverse);
            requireSame(map.dual().matrix(), inverse.transpose());
            requireSame(map.dual().dual().matrix(), matrix);
            requireSame(map.then(map.inverse()).matrix(), Matrix.identity(SIZE));
            for (BasisMap next : List.of(dense(random), monomial(random))) {
                requireSame(map.then(next).matrix(), next.matrix().times(matrix));
                requireSame(
                        map.then(next).dual().matrix(),
                        map.dual().then(next.dual()).matrix());
                requireSame(
                        map.then(next).inverse().matrix(),
                        next.inverse().then(map.inverse()).matrix());
            }
            double[] rows = random.doubles(3 * SIZE, -1, 1).toArray();
            double[] mapped = rows.clone();
            map.apply(mapped, 2);
            Matrix expected =
                    Matrix.over(2, SIZE, Arrays.copyOf(rows, 2 * SIZE)).times(matrix.transpose());
            requireSame(Matrix.over(2, SIZE, Arrays.copyOf(mapped, 2 * SIZE)), expected);
            for (int i = 2 * SIZE; i < rows.length; i++) { // beyond the count nothing happens
                assertThat(mapped[i]).isEqualTo(rows[i]);
            }
        }
    }

    @Test
    void identitiesAreTold() {
        assertThat(new BasisMap.Dense(Matrix.identity(3)).isIdentity()).isTrue();
        assertThat(new BasisMap.Dense(Matrix.identity(3).scaled(2)).isIdentity())
                .isFalse();
        assertThat(BasisMap.Monomial.identity(3).isIdentity()).isTrue();
        assertThat(BasisMap.Monomial.ordered(new int[] {1, 0, 2}).isIdentity()).isFalse();
        assertThat(BasisMap.Monomial.scaled(new double[] {1, 1, -1}).isIdentity())
                .isFalse();
    }
}
