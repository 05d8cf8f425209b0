package org.isoloss.linalg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentTest {
    /** Sums of at most 7 numbers below 4, in another order. */
    private static final double ROUNDING = 64 * Math.ulp(1.0);

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    private static double sum(Matrix gain, int[] rows) {
        return IntStream.range(0, rows.length)
                .mapToDouble(column -> gain.get(rows[column], column))
                .sum();
    }

    /** The largest sum over all orders of the rows. */
    private static double bruteForce(Matrix gain, int[] rows, int from) {
        if (from == rows.length) {
            return sum(gain, rows);
        }
        double best = Double.NEGATIVE_INFINITY;
        for (int i = from; i < rows.length; i++) {
            int[] swapped = rows.clone();
            swapped[from] = rows[i];
            swapped[i] = rows[from];
            best = Math.max(best, bruteForce(gain, swapped, from + 1));
        }
        return best;
    }

    private static int[] order(int count) {
        return IntStream.range(0, count).toArray();
    }

    /** Every second seed draws small whole numbers, so that many orders are equally good. */
    private static Matrix drawn(long seed) {
        var random = new SplittableRandom(seed);
        int count = (int) (seed % 8);
        Matrix gain = Matrix.zeros(count, count);
        Arrays.setAll(gain.entries(), _ -> seed % 2 == 0 ? random.nextInt(-1, 2) : 4 * random.nextDouble() - 2);
        return gain;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noOrderHasALargerSum(long seed) {
        Matrix gain = drawn(seed);
        int[] rows = Assignment.largest(gain);
        assertThat(rows).containsExactlyInAnyOrder(order(gain.rows()));
        assertThat(sum(gain, rows)).isCloseTo(bruteForce(gain, order(gain.rows()), 0), within(ROUNDING));
    }

    /** In [[3, 2], [2, 0]] the largest entry is no part of the best order. */
    @Test
    void greedIsNotEnough() {
        assertThat(Assignment.largest(Matrix.of(2, 2, 3, 2, 2, 0))).containsExactly(1, 0);
    }

    @Test
    void aPlantedOrderIsFound() {
        int count = 512;
        var random = new SplittableRandom(7);
        int[] planted = order(count);
        for (int i = count - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int kept = planted[i];
            planted[i] = planted[j];
            planted[j] = kept;
        }
        Matrix gain = Matrix.zeros(count, count);
        Arrays.setAll(gain.entries(), _ -> random.nextDouble());
        for (int column = 0; column < count; column++) {
            gain.set(planted[column], column, 1);
        }
        assertThat(Assignment.largest(gain)).isEqualTo(planted);
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
    void whatIsNotFiniteIsRefused(double entry) {
        assertThatThrownBy(() -> Assignment.largest(Matrix.of(2, 2, 1, entry, 0, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Assignment: gain has an entry that is not finite");
        assertThatThrownBy(() -> Assignment.largest(Matrix.zeros(2, 3)))
                .hasMessage("Assignment: gain has shape (2, 3), expected a square matrix");
    }
}
