package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compensation sites in gated blocks: the coordinates against the whole block, and their derivatives. */
class GatedSiteTest {
    private static final int INPUTS = 4;

    record Case(String name, GatedRows rows, Matrix batch, CompensationSite site) {
        static Case of(String name, long seed, Activation activation, boolean biased, MovingRows moving, int count) {
            var random = new SplittableRandom(seed);
            GatedRows rows = new GatedRows(block(random, activation, biased), moving);
            Matrix batch = Networks.gaussian(random, INPUTS, 6);
            return new Case(
                    name, rows, batch, CompensationSite.choose(rows, batch, new MovingUnits.MostSensitive(count)));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static GatedBlock block(SplittableRandom random, Activation activation, boolean biased) {
        Matrix gate = Networks.gaussian(random, 11, 6);
        Matrix up = Networks.gaussian(random, 11, 6);
        Matrix down = Networks.gaussian(random, 5, 11);
        double[] bias = Networks.gaussian(random, 1, 11).entries();
        double[] other = Networks.gaussian(random, 1, 11).entries();
        return GatedBlock.of(
                activation,
                biased ? DenseLayer.of(gate, bias) : DenseLayer.of(gate),
                biased ? DenseLayer.of(up, other) : DenseLayer.of(up),
                DenseLayer.of(down));
    }

    static Stream<Case> cases() {
        return Stream.of(
                Case.of("gate", 1, Activation.SILU, false, MovingRows.GATE, 1),
                Case.of("gate and up", 2, Activation.SILU, false, MovingRows.GATE_AND_UP, 1),
                Case.of("gate with biases", 3, Activation.GELU_TANH, true, MovingRows.GATE, 1),
                Case.of("two units, gate and up, biases", 4, Activation.SIGMOID, true, MovingRows.GATE_AND_UP, 2));
    }

    static Stream<SiteCoordinates> forms() {
        return cases().flatMap(each -> Stream.of(SiteCoordinates.plain(each.site), SiteCoordinates.reduced(each.site)));
    }

    @Test
    void theGateAloneGivesTwiceTheInputsAndBothRowsThreeTimes() {
        List<Integer> counts = cases().map(
                        each -> SiteCoordinates.reduced(each.site).parameterCount())
                .toList();
        assertThat(counts).containsExactly(2 * INPUTS, 3 * INPUTS, 2 * INPUTS, 2 * INPUTS + 2 * 2 * INPUTS);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void changesOfCoordinatesAndOfWeightsHaveOneNorm(SiteCoordinates coordinates) {
        Matrix pair = Networks.gaussian(new SplittableRandom(11), 2, coordinates.parameterCount());
        double[] first = coordinates.toPlain(pair.row(0));
        double[] second = coordinates.toPlain(pair.row(1));
        assertThat(difference(first, second).frobeniusNorm())
                .isCloseTo(difference(pair.row(0), pair.row(1)).frobeniusNorm(), within(1e-13));
        assertThat(difference(coordinates.fromPlain(first), pair.row(0)).largestMagnitude())
                .isLessThan(1e-13);
    }

    /** The output of the whole block moves as the coordinates say, all other units being as they were. */
    @ParameterizedTest
    @MethodSource("cases")
    void changesOfTheOutputAreThoseOfTheWholeBlock(Case each) {
        for (SiteCoordinates coordinates :
                List.of(SiteCoordinates.plain(each.site), SiteCoordinates.reduced(each.site))) {
            Matrix pair = Networks.gaussian(new SplittableRandom(12), 2, coordinates.parameterCount());
            Matrix inside = coordinates.outputs(pair);
            Matrix change = outputs(each, coordinates.toPlain(pair.row(0)))
                    .minus(outputs(each, coordinates.toPlain(pair.row(1))));
            assertThat(difference(inside.row(0), inside.row(1)).frobeniusNorm())
                    .isGreaterThan(0.1)
                    .isCloseTo(change.frobeniusNorm(), within(1e-12));
        }
    }

    /** All units of the block, with U_B and the moving rows put in their places. */
    private static Matrix outputs(Case each, double[] plain) {
        GatedBlock block = each.rows.block();
        double[] parameters = block.parameters();
        int at = 0;
        for (int output = 0; output < block.outputWidth(); output++) {
            for (int unit : each.site.compensators()) {
                parameters[block.outgoingIndex(output, unit)] = plain[at++];
            }
        }
        int width = block.incomingWidth();
        int projections = each.rows.moving() == MovingRows.GATE ? 1 : 2;
        for (int projection = 0; projection < projections; projection++) {
            for (int unit : each.site.moving()) {
                System.arraycopy(plain, at, parameters, (projection * block.units() + unit) * width, width);
                at += width;
            }
        }
        assertThat(at).isEqualTo(plain.length);
        GatedBlock moved = block.withParameters(parameters);
        int[] all = IntStream.range(0, block.units()).toArray();
        return moved.outgoing(all).times(moved.features(block.augmented(each.batch), all));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theJacobianAgreesWithCentralDifferencesAndAWrongOneDoesNot(SiteCoordinates coordinates) {
        double[] point = Networks.gaussian(new SplittableRandom(14), 1, coordinates.parameterCount())
                .entries();
        Matrix differences = Networks.differences(
                at -> coordinates.outputs(Matrix.over(1, at.length, at)).entries(), point);
        Matrix jacobian = coordinates.jacobian(point);
        // third derivatives of products of sums up to about 10, times the square of the step 6e-6
        assertThat(jacobian.minus(differences).largestMagnitude()).isLessThan(1e-7);
        assertThat(jacobian.scaled(-1).minus(differences).largestMagnitude()).isGreaterThan(0.01);
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theRecordingIsTheTargetItselfAndItsGradientThatOfDifferences(SiteCoordinates coordinates) {
        RecordedTarget recorded = RecordedTarget.of(coordinates);
        assertThat(recorded.errorOfValues()).isLessThan(1e-11);
        assertThat(recorded.errorOfTangents()).isLessThan(1e-11);
        recorded.program().backward(recorded.loss());
        Matrix gradient = recorded.program().gradient(recorded.parameters());
        double worst = 0;
        double largest = 0;
        for (int i = 0; i < gradient.entries().length; i++) {
            double slope = slope(recorded, i);
            worst = Math.max(worst, Math.abs(slope - gradient.entries()[i]));
            largest = Math.max(largest, Math.abs(slope));
        }
        assertThat(worst).isLessThan(1e-6 * largest);
    }

    private static double slope(RecordedTarget recorded, int index) {
        double value = recorded.program().get(recorded.parameters()).entries()[index];
        double step = 1e-5 * Math.max(1, Math.abs(value));
        double[] losses = new double[2];
        for (int side = 0; side < 2; side++) {
            recorded.program().set(recorded.parameters(), index, value + (side == 0 ? step : -step));
            recorded.program().forward();
            losses[side] = recorded.program().get(recorded.loss()).get(0, 0);
        }
        recorded.program().set(recorded.parameters(), index, value);
        recorded.program().forward();
        return (losses[0] - losses[1]) / (2 * step);
    }

    /** By definition: the least singular value of the Jacobian of the contribution by D, over the contribution. */
    @ParameterizedTest
    @MethodSource("cases")
    void theSensitivityIsThatOfTheContribution(Case each) {
        for (int unit : each.site.moving()) {
            SiteCoordinates alone = SiteCoordinates.reduced(
                    CompensationSite.of(each.rows, each.batch, new int[] {unit}, each.site.compensators()));
            Matrix jacobian = alone.jacobian(alone.origin());
            Matrix byIncoming = Matrix.zeros(jacobian.rows(), alone.incomingCount());
            for (int i = 0; i < byIncoming.columns(); i++) {
                for (int row = 0; row < byIncoming.rows(); row++) {
                    byIncoming.set(row, i, jacobian.get(row, alone.outgoingCount() + i));
                }
            }
            double[] singularValues = Svd.valuesOf(byIncoming);
            double contribution =
                    alone.movingOutputs(Matrix.zeros(1, alone.parameterCount())).frobeniusNorm();
            CompensationSite.UnitEffect effect = each.site.effects().stream()
                    .filter(one -> one.unit() == unit)
                    .findFirst()
                    .orElseThrow();
            assertThat(effect.contribution()).isCloseTo(contribution, within(1e-12));
            assertThat(effect.sensitivity())
                    .isPositive()
                    .isCloseTo(singularValues[singularValues.length - 1] / contribution, within(1e-12));
        }
    }

    @Test
    void aGatedSiteIsNoPartOfADenseNetwork() {
        CompensationSite site = cases().findFirst().orElseThrow().site;
        ParameterLayout layout = ParameterLayout.of(List.of(6, 11, 5), List.of(false, false));
        assertThatThrownBy(() -> site.support(layout, 0))
                .hasMessage("CompensationSite: a gated block is no part of a dense network");
        assertThat(site.block().incoming(site.moving()).columns()).isEqualTo(6);
        assertThat(Arrays.stream(site.moving())
                        .filter(unit -> Arrays.stream(site.compensators()).anyMatch(other -> other == unit)))
                .isEmpty();
    }

    private static Matrix difference(double[] first, double[] second) {
        return Matrix.of(1, first.length, first).minus(Matrix.of(1, second.length, second));
    }
}
