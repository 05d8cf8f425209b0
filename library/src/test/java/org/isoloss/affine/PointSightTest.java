package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs and weights of very different sizes: a right dimension, or none and the place that is to blame. */
class PointSightTest {
    private static final int INPUTS = 60;
    private static final Architecture RELU = Architecture.of(HiddenActivation.RELU, true, 3, 4, 2);
    private static final Architecture TANH = Architecture.of(HiddenActivation.named("tanh"), true, 3, 4, 2);

    /** The other rows suffice for the rank, and the four rescalings are known: there is no room for another dimension. */
    @ParameterizedTest
    @ValueSource(doubles = {1e6, 1e11, 1.7e18, 1e37, -9.96921e36})
    void oneHugeValueDecidesNothing(double huge) {
        Matrix inputs = batch();
        inputs.set(7, 1, huge);
        assertDecided(PointSymmetriesTest.at(RELU, weights(), inputs), 4);
        assertDecided(PointSymmetriesTest.at(TANH, weights(), inputs), 0);
    }

    /** In every second row: the others still show the four rescalings and nothing else, or the value is named. */
    @ParameterizedTest
    @ValueSource(doubles = {1e6, 1e11, 1.7e18, 1e37})
    void manyHugeValuesAreNamed(double huge) {
        Matrix inputs = batch();
        for (int i = 1; i < INPUTS; i += 2) {
            inputs.set(i, 1, huge);
        }
        PointSymmetries point = PointSymmetriesTest.at(RELU, weights(), inputs);
        assertThat(point.doubt())
                .hasValueSatisfying(doubt -> assertThat(doubt)
                        .containsPattern(
                                "what counts most there is row \\d*[13579], column 1 of the batch \\(both from 0\\), which is "
                                        + huge));
    }

    /** Beside nanoseconds no sum shows the other columns. */
    @Test
    void timestampsAreUndecided() {
        Matrix inputs = batch();
        for (int i = 0; i < INPUTS; i++) {
            inputs.set(i, 2, 1.7e18 + 1e9 * i);
        }
        for (Architecture network : List.of(RELU, TANH)) {
            PointSymmetries point = PointSymmetriesTest.at(network, weights(), inputs);
            assertThat(point.doubt())
                    .hasValueSatisfying(doubt -> assertThat(doubt)
                            .endsWith(
                                    "a sum of layer 1 does not show the share of input column 0; what counts most there is row 0,"
                                            + " column 2 of the batch (both from 0), which is 1.7E18; divide that column by its usual"
                                            + " size, or leave the row out"));
        }
    }

    /** The dimension alone is as open; without them it is the same. */
    @Test
    void dimensionAloneIsUndecidedToo() {
        Matrix inputs = batch();
        assertThat(dimension(inputs).doubt()).isEmpty();
        assertThat(dimension(inputs).nullity(1e-8)).isEqualTo(4);
        for (int i = 0; i < INPUTS; i++) {
            inputs.set(i, 2, 1.7e18 + 1e9 * i);
        }
        assertThat(dimension(inputs).doubt()).isPresent();
    }

    private static PointSymmetries dimension(Matrix inputs) {
        Moving moving = Moving.all(RELU.model(weights(), INPUTS));
        return PointSymmetries.dimensionOf(
                ModelTarget.of(moving, Map.of("x", inputs.entries())), new SplittableRandom(1));
    }

    /**
     * Three rows that a fill value makes alike. Beside 1e11 their differences are seen, and all 8 output components are
     * independent. Beside 1e37 they are not.
     */
    @Test
    void fewRowsOfFillValues() {
        Matrix inputs = batch().rows(0, 4);
        for (int i = 1; i < 4; i++) {
            inputs.set(i, 0, 1e11);
        }
        assertDecided(PointSymmetriesTest.at(RELU, weights(), inputs), 26 - 8);
        for (int i = 1; i < 4; i++) {
            inputs.set(i, 0, 1e37);
        }
        PointSymmetries point = PointSymmetriesTest.at(RELU, weights(), inputs);
        assertThat(point.doubt())
                .hasValueSatisfying(doubt ->
                        assertThat(doubt).contains("row 1, column 0 of the batch (both from 0), which is 1.0E37"));
    }

    @Test
    void overflowIsUndecided() {
        Matrix inputs = batch();
        inputs.set(5, 1, 1e200);
        Architecture squares = Architecture.of(HiddenActivation.named("z^2"), true, 3, 4, 2);
        PointSymmetries point = PointSymmetriesTest.at(squares, weights(), inputs);
        assertThat(point.doubt())
                .hasValue("numbers overflow; what counts most there is row 5, column 1 of the batch (both from 0),"
                        + " which is 1.0E200; divide that column by its usual size, or leave the row out");
        assertThat(point.nullities()).isEmpty();
        assertThat(point.families()).isEmpty();
        assertThat(point.gap()).isEqualTo(1);
    }

    /** tanh is a line to 9 digits on inputs of 1e-9, and would seem to have the symmetries of one. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-5, 1e-7, 1e-9, 1e-12})
    void curvesThatFloat64CannotSeeAreUndecided(double scale) {
        Matrix inputs = batch().scaled(scale);
        assertThat(PointSymmetriesTest.at(TANH, weights(), inputs).doubt()).isPresent();
    }

    /** The unit is flat at every input, so that its slopes of e^-200 and less are 0 in float64. */
    @Test
    void saturatedUnitsAreUndecided() {
        double[] theta = weights();
        theta[12] = 800;
        PointSymmetries point = PointSymmetriesTest.at(TANH, theta, batch());
        assertThat(point.doubt())
                .hasValueSatisfying(
                        doubt -> assertThat(doubt)
                                .startsWith(
                                        "tanh is flat or straight to the last digit at 8.0e+02, the sum of unit 1 of layer 1; "));
    }

    /** A column of the batch times 2^k and what reads it times 2^-k: the same function. */
    @ParameterizedTest
    @CsvSource({"0, 60", "0, -60", "2, 300", "1, -300", "1, 7"})
    void unitsOfAnInputChangeNoDimension(int column, int k) {
        Matrix inputs = batch();
        for (int i = 0; i < INPUTS; i++) {
            inputs.set(i, column, Math.scalb(inputs.get(i, column), k));
        }
        double[] theta = weights();
        for (int unit = 0; unit < 4; unit++) {
            theta[3 * unit + column] = Math.scalb(theta[3 * unit + column], -k);
        }
        assertDecided(PointSymmetriesTest.at(RELU, theta, inputs), 4);
        assertDecided(PointSymmetriesTest.at(TANH, theta, inputs), 0);
    }

    /** One output, or all, times 2^k. */
    @ParameterizedTest
    @CsvSource({"0, 60", "0, -60", "1, 300", "1, -300", "-1, 100", "-1, -100"})
    void unitsOfAnOutputChangeNoDimension(int output, int k) {
        double[] theta = weights();
        for (int c = 0; c < 2; c++) {
            if (c == output || output < 0) {
                for (int unit = 0; unit < 4; unit++) {
                    theta[16 + 4 * c + unit] = Math.scalb(theta[16 + 4 * c + unit], k);
                }
                theta[24 + c] = Math.scalb(theta[24 + c], k);
            }
        }
        assertDecided(PointSymmetriesTest.at(RELU, theta, batch()), 4);
        assertDecided(PointSymmetriesTest.at(TANH, theta, batch()), 0);
    }

    /** A ReLU unit times 2^k on its way in and by 2^-k on its way out. */
    @ParameterizedTest
    @ValueSource(ints = {60, -60, 200})
    void unitsOfAHiddenUnitChangeNoDimension(int k) {
        double[] theta = weights();
        for (int a : new int[] {3, 4, 5, 13}) {
            theta[a] = Math.scalb(theta[a], k);
        }
        for (int a : new int[] {17, 21}) {
            theta[a] = Math.scalb(theta[a], -k);
        }
        PointSymmetries point = PointSymmetriesTest.at(RELU, theta, batch());
        assertDecided(point, 4);
        Matrix basis = point.basis();
        assertThat(basis.transpose().times(basis).minus(Matrix.identity(4)).largestMagnitude())
                .isLessThan(1e-12);
    }

    private static void assertDecided(PointSymmetries point, int dimension) {
        assertThat(point.doubt()).isEmpty();
        assertThat(point.nullity(1e-8)).isEqualTo(dimension);
        assertThat(point.explained()).isLessThanOrEqualTo(dimension);
        assertThat(Arrays.stream(point.basis().entries())).allMatch(Double::isFinite);
    }

    /** Incoming weights 0 to 11, their biases 12 to 15, outgoing weights 16 to 23, their biases 24 and 25. */
    private static double[] weights() {
        var random = new SplittableRandom(11);
        double[] theta = new double[26];
        for (int a = 0; a < theta.length; a++) {
            theta[a] = (a >= 12 && a < 16 ? 0.3 : 1) * random.nextGaussian();
        }
        return theta;
    }

    private static Matrix batch() {
        var random = new SplittableRandom(5);
        Matrix batch = Matrix.zeros(INPUTS, 3);
        for (int i = 0; i < batch.entries().length; i++) {
            batch.entries()[i] = random.nextGaussian();
        }
        return batch;
    }
}
