package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;

/** tanh networks (5, 4, 2) with biases on 60 inputs, where some columns are lit in few of them; by hand. */
class FewInputsTest {
    private static final int INPUTS = 60;
    private static final Architecture NETWORK = Architecture.of(HiddenActivation.named("tanh"), true, 5, 4, 2);

    /** All five columns are lit everywhere: nothing is free. */
    @Test
    void nothingWhereAllIsLit() {
        assertFree(batch(), 0, 0);
    }

    /** Four weights read column 0, and move two output components: two are free. */
    @Test
    void litOnce() {
        Matrix inputs = batch();
        keep(inputs, 0, 17);
        PointSymmetries point = assertFree(inputs, 2, 1);
        assertThat(point.families().getFirst().words())
                .isEqualTo(
                        "changes of 4 weights of 0.weight that act on too few inputs: on 2 output components of 1 inputs");
    }

    /** Four weights on four components. */
    @Test
    void litTwice() {
        Matrix inputs = batch();
        keep(inputs, 0, 17, 31);
        assertFree(inputs, 0, 0);
    }

    /**
     * Column 0 is lit in one input, columns 1 and 2 in this and another: twelve weights on four components, where no two
     * columns alone have more than 8 - 4.
     */
    @Test
    void countedTogether() {
        Matrix inputs = batch();
        keep(inputs, 0, 17);
        keep(inputs, 1, 17, 31);
        keep(inputs, 2, 17, 31);
        PointSymmetries point = PointSymmetriesTest.at(NETWORK, weights(), inputs);
        assertThat(point.doubt()).isEmpty();
        assertThat(point.nullity(1e-8)).isEqualTo(12 - 4);
        assertThat(point.unexplained()).isZero();
        assertThat(point.families())
                .extracting(PointFamily::words)
                .contains(
                        "changes of 12 weights of 0.weight that act on too few inputs: on 4 output components of 2 inputs");
    }

    /** Dark columns, columns lit once and a column that repeats another: the dimension of the union, not the sum. */
    @Test
    void besideOtherReasons() {
        Matrix inputs = batch();
        keep(inputs, 0);
        keep(inputs, 1, 3);
        keep(inputs, 2, 3);
        PointSymmetries point = PointSymmetriesTest.at(NETWORK, weights(), inputs);
        assertThat(point.doubt()).isEmpty();
        assertThat(point.nullity(1e-8)).isEqualTo(4 + (8 - 2));
        assertThat(point.explained()).isEqualTo(10);
        assertThat(point.families().stream().mapToInt(PointFamily::size).sum()).isGreaterThan(10);
    }

    /** A ReLU unit that is on for one input alone: its weights in and out move two components. */
    @Test
    void unitThatIsOnOnce() {
        Architecture relu = Architecture.of(HiddenActivation.RELU, false, 2, 3, 2);
        double[] theta = {1, 0.25, -0.5, 1, 0.75, 0, 0.5, -1, 1, 1.5, -0.75, 0.5};
        Matrix inputs = Matrix.zeros(INPUTS, 2);
        var random = new SplittableRandom(2);
        for (int i = 0; i < INPUTS; i++) {
            inputs.set(i, 0, i == 9 ? 1 : -random.nextDouble(0.1, 2));
            inputs.set(i, 1, random.nextDouble(0.1, 2) * (i % 2 == 0 ? 6 : 1));
        }
        PointSymmetries point = PointSymmetriesTest.at(relu, theta, inputs);
        assertThat(point.doubt()).isEmpty();
        assertThat(point.unexplained()).isZero();
        assertThat(point.families())
                .extracting(PointFamily::words)
                .anyMatch(words -> words.contains("that act on too few inputs: on 2 output components of 1 inputs"));
    }

    private static PointSymmetries assertFree(Matrix inputs, int dimension, int families) {
        PointSymmetries point = PointSymmetriesTest.at(NETWORK, weights(), inputs);
        assertThat(point.doubt()).isEmpty();
        assertThat(point.nullity(1e-8)).isEqualTo(dimension);
        assertThat(point.explained()).isEqualTo(dimension);
        assertThat(point.families()).hasSize(families);
        return point;
    }

    /** Darkens a column everywhere else. */
    private static void keep(Matrix inputs, int column, int... lit) {
        for (int i = 0; i < INPUTS; i++) {
            int row = i;
            if (Arrays.stream(lit).noneMatch(kept -> kept == row)) {
                inputs.set(i, column, 0);
            }
        }
    }

    private static double[] weights() {
        return new SplittableRandom(4).doubles(34, -1.2, 1.2).toArray();
    }

    private static Matrix batch() {
        return Matrix.over(
                INPUTS, 5, new SplittableRandom(6).doubles(5 * INPUTS, -2, 2).toArray());
    }
}
