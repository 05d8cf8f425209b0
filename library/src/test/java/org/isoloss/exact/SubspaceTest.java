package org.isoloss.exact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cc.redberry.rings.Rational;
import cc.redberry.rings.Rings;
import cc.redberry.rings.bigint.BigInteger;
import cc.redberry.rings.linear.LinearSolver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubspaceTest {
    /**
     * The rows are consecutive Fibonacci numbers with determinant -1. In float64 the difference of the products rounds to
     * 0, so elimination calls the second row a multiple of the first; the rank is 2.
     */
    @Test
    void eliminationIsRightWhereFloatingPointIsNot() {
        long a = 190392490709135L;
        long b = 308061521170129L;
        long c = 498454011879264L;
        double pivoted = (double) c - (double) b / (double) a * (double) b;
        assertThat(pivoted).isEqualTo(0);
        assertThat(a * (double) c).isEqualTo(b * (double) b);

        Subspace span = Subspace.span(2, List.of(RationalVector.of(a, b), RationalVector.of(b, c)));
        assertThat(span.dimension()).isEqualTo(2);
        RationalVector solution = Subspace.solve(
                        RationalMatrix.of(new long[][] {{a, b}, {b, c}}), RationalVector.of(1, 0))
                .orElseThrow();
        assertThat(solution).isEqualTo(RationalVector.of(-c, b));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void rankAndSolutionsAgreeWithTheSolverOfRings(long seed) {
        var random = new SplittableRandom(seed);
        int rows = random.nextInt(1, 8);
        int columns = random.nextInt(1, 8);
        List<RationalVector> vectors = draw(random, rows, columns, Math.min(rows, random.nextInt(1, 8)));
        Rational<BigInteger>[][] dense = dense(vectors, columns);
        LinearSolver.rowEchelonForm(Rings.Q, dense, true);
        int rank = (int) Arrays.stream(dense)
                .filter(row -> Arrays.stream(row).anyMatch(entry -> !entry.isZero()))
                .count();
        Subspace span = Subspace.span(columns, vectors);
        assertThat(span.dimension()).isEqualTo(rank);
        for (int i = 0; i < rank; i++) {
            assertThat(span.basis().get(i).get(span.pivot(i))).isEqualTo(Rationals.ONE);
        }
        Subspace zeros = Subspace.nullSpace(columns, vectors);
        assertThat(zeros.dimension()).isEqualTo(columns - rank);
        zeros.basis()
                .forEach(
                        zero -> vectors.forEach(row -> assertThat(row.dot(zero)).isEqualTo(Rationals.ZERO)));
        assertThat(zeros.complement()).isEqualTo(span);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void equalSpansHaveEqualBases(long seed) {
        var random = new SplittableRandom(seed);
        List<RationalVector> vectors = draw(random, 3, 6, 3);
        List<RationalVector> mixed = new ArrayList<>(vectors.reversed());
        mixed.replaceAll(vector -> vector.scaled(Rationals.of(-7, 3)).plus(vectors.getFirst()));
        mixed.add(vectors.get(1).plus(vectors.get(2)));
        Subspace span = Subspace.span(6, vectors);
        assertThat(Subspace.span(6, mixed)).isEqualTo(span).hasSameHashCodeAs(span);
        assertThat(span.contains(Subspace.span(6, mixed))).isTrue();
    }

    @Test
    void coordinatesWriteMembersAndRefuseOthers() {
        Subspace plane = Subspace.span(3, List.of(RationalVector.of(1, 2, 3), RationalVector.of(0, 1, 1)));
        RationalVector member = RationalVector.of(2, 5, 7);
        assertThat(plane.coordinates(member).map(plane::combination)).hasValue(member);
        assertThat(plane.coordinates(RationalVector.of(2, 5, 8))).isEmpty();
        assertThat(plane.contains(RationalVector.of(2, 5, 8))).isFalse();
        assertThat(plane.intersection(Subspace.span(3, List.of(RationalVector.of(0, 0, 1), RationalVector.of(1, 0, 0))))
                        .basis())
                .containsExactly(RationalVector.of(1, 0, 1));
    }

    @Test
    void systemsWithoutSolutionSaySo() {
        RationalMatrix matrix = RationalMatrix.of(new long[][] {{1, 2}, {2, 4}});
        assertThat(Subspace.solve(matrix, RationalVector.of(1, 3))).isEmpty();
        assertThat(Subspace.solve(matrix, RationalVector.of(1, 2))).hasValue(RationalVector.of(1, 0));
        assertThatThrownBy(() -> Subspace.solve(matrix, RationalVector.of(1)))
                .hasMessage("Subspace.solve: 1 right-hand sides, expected 2, one a row");
    }

    @Test
    void lengthsAreChecked() {
        assertThatThrownBy(() -> Subspace.span(2, List.of(RationalVector.of(1, 2, 3))))
                .hasMessage("Subspace: vector of length 3, expected 2");
        assertThatThrownBy(() -> RationalVector.of(1, 2).plus(RationalVector.of(1)))
                .hasMessage("RationalVector: lengths 2 and 1 differ");
    }

    /** Rows of the wanted rank at most: the first {@code rank} are drawn, the others combine them. */
    private static List<RationalVector> draw(SplittableRandom random, int rows, int columns, int rank) {
        List<RationalVector> vectors = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            RationalVector vector = RationalVector.zero(columns);
            for (int j = 0; j < Math.max(columns, rank); j++) {
                Rational<BigInteger> factor = Rationals.of(random.nextInt(-4, 5), random.nextInt(1, 6));
                if (i < rank && j < columns) {
                    vector = vector.plus(factor, RationalVector.unit(columns, j));
                } else if (i >= rank && j < rank) {
                    vector = vector.plus(factor, vectors.get(j));
                }
            }
            vectors.add(vector);
        }
        return vectors;
    }

    private static Rational<BigInteger>[][] dense(List<RationalVector> vectors, int columns) {
        Rational<BigInteger>[][] dense = Rings.Q.createZeroesArray2d(vectors.size(), columns);
        for (int i = 0; i < vectors.size(); i++) {
            for (int j = 0; j < columns; j++) {
                dense[i][j] = vectors.get(i).get(j);
            }
        }
        return dense;
    }
}
