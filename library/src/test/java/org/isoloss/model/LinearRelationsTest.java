package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LinearRelationsTest {
    private static final int UNKNOWNS = 7;
    /** Of small whole numbers, in a handful of steps. */
    private static final double ROUNDING = 1e-10;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 200);
    }

    /** Equations of one to four unknowns with small whole factors, as the dense rows that they are. */
    private static double[][] drawn(LinearRelations relations, boolean isBinary, SplittableRandom random) {
        double[][] rows = new double[random.nextInt(7)][UNKNOWNS];
        for (double[] row : rows) {
            int[] unknowns = random.ints(random.nextInt(1, 5), 0, UNKNOWNS).toArray();
            double[] factors = random.ints(unknowns.length, isBinary ? 1 : -2, isBinary ? 2 : 3)
                    .asDoubleStream()
                    .toArray();
            relations.add(unknowns, factors);
            for (int i = 0; i < unknowns.length; i++) { // the same unknown maybe twice
                row[unknowns[i]] += factors[i];
            }
        }
        return rows;
    }

    private static int[] wanted(SplittableRandom random) {
        return IntStream.range(0, UNKNOWNS).filter(_ -> random.nextBoolean()).toArray();
    }

    /** What all unknowns can be is the null space of the rows; what some can be is its projection. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void realSystemsHaveTheirNullSpaces(long seed) {
        var random = new SplittableRandom(seed);
        var relations = new LinearRelations(UNKNOWNS, false);
        double[][] rows = drawn(relations, false, random);
        Matrix equations = Matrix.zeros(Math.max(1, rows.length), UNKNOWNS);
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(rows[i], 0, equations.entries(), i * UNKNOWNS, UNKNOWNS);
        }
        Matrix space = Svd.of(equations).nullSpace(ROUNDING);
        Matrix all = relations.solved(IntStream.range(0, UNKNOWNS).toArray());
        assertThat(all.columns()).isEqualTo(space.columns());
        assertThat(equations.times(all).largestMagnitude()).isLessThan(ROUNDING);

        int[] some = wanted(random);
        Matrix values = relations.solved(some);
        Matrix projected = Matrix.zeros(some.length, space.columns());
        for (int i = 0; i < some.length; i++) {
            for (int k = 0; k < space.columns(); k++) {
                projected.set(i, k, space.get(some[i], k));
            }
        }
        assertThat(values.rows()).isEqualTo(some.length);
        assertThat(values.columns()).isEqualTo(rank(projected));
        assertThat(rank(values)).isEqualTo(values.columns());
        assertThat(rank(beside(values, projected))).isEqualTo(values.columns());
    }

    private static int rank(Matrix matrix) {
        return matrix.rows() == 0 || matrix.columns() == 0 || matrix.largestMagnitude() < ROUNDING
                ? 0
                : Svd.of(matrix).rank(ROUNDING);
    }

    private static Matrix beside(Matrix left, Matrix right) {
        Matrix both = Matrix.zeros(left.rows(), left.columns() + right.columns());
        for (int i = 0; i < left.rows(); i++) {
            for (int k = 0; k < both.columns(); k++) {
                both.set(i, k, k < left.columns() ? left.get(i, k) : right.get(i, k - left.columns()));
            }
        }
        return both;
    }

    /** Of all 2^7 assignments, those that keep every equation modulo 2, restricted to what is wanted. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void binarySystemsHaveTheirSolutions(long seed) {
        var random = new SplittableRandom(seed);
        var relations = new LinearRelations(UNKNOWNS, true);
        double[][] rows = drawn(relations, true, random);
        int[] some = wanted(random);
        Set<List<Integer>> expected = new HashSet<>();
        for (int number = 0; number < 1 << UNKNOWNS; number++) {
            int bits = number;
            boolean holds = Arrays.stream(rows)
                    .allMatch(row -> IntStream.range(0, UNKNOWNS)
                                            .mapToDouble(i -> row[i] * (bits >> i & 1))
                                            .sum()
                                    % 2
                            == 0);
            if (holds) {
                expected.add(Arrays.stream(some).mapToObj(i -> bits >> i & 1).toList());
            }
        }
        Matrix basis = relations.solved(some);
        Set<List<Integer>> spanned = new HashSet<>();
        for (int number = 0; number < 1 << basis.columns(); number++) {
            int bits = number;
            spanned.add(IntStream.range(0, some.length)
                    .mapToObj(i -> (int) Math.round(IntStream.range(0, basis.columns())
                                    .mapToDouble(k -> basis.get(i, k) * (bits >> k & 1))
                                    .sum())
                            % 2)
                    .toList());
        }
        assertThat(spanned).isEqualTo(expected);
        assertThat(spanned).hasSize(1 << basis.columns());
    }

    /** x = 2 y, y = 3 z: of the three one is free, and z = 1 makes x 6. */
    @Test
    void multiplesAreFollowed() {
        var relations = new LinearRelations(4, false);
        relations.add(new int[] {0, 1}, new double[] {1, -2});
        relations.add(new int[] {1, 2}, new double[] {1, -3});
        Matrix solved = relations.solved(new int[] {2, 0, 1});
        assertThat(solved.columns()).isOne();
        assertThat(solved.get(1, 0)).isEqualTo(6 * solved.get(0, 0));
        assertThat(solved.get(2, 0)).isEqualTo(3 * solved.get(0, 0));
        relations.zero(1);
        assertThat(relations.solved(new int[] {0, 1, 2}).columns()).isZero();
        assertThat(relations.solved(new int[] {3}).columns()).isOne();
    }

    /** A loop that closes with another factor leaves zero alone. */
    @Test
    void contradictionsLeaveZero() {
        var relations = new LinearRelations(2, false);
        relations.add(new int[] {0, 1}, new double[] {1, -1});
        relations.add(new int[] {0, 1}, new double[] {1, -2});
        assertThat(relations.solved(new int[] {0, 1}).columns()).isZero();
    }
}
