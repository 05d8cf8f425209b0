package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SiteCoordinatesTest {
    /** A site inside a network: hidden layer 1 of 3, so that its inputs are activations. */
    record Case(String name, DenseNetwork network, Matrix batch, CompensationSite site) {
        static Case of(
                String name, long seed, Activation activation, boolean biased, int inputs, int moving, int width) {
            var random = new SplittableRandom(seed);
            DenseNetwork network = Networks.random(random, activation, biased, 3, 6, 9, width);
            Matrix batch = Networks.gaussian(random, inputs, 3);
            Matrix entering = network.forward(network.parameters(), batch).activations(1);
            return new Case(
                    name,
                    network,
                    batch,
                    CompensationSite.choose(network.block(1), entering, new MovingUnits.LargestContribution(moving)));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                Case.of("one moving unit, biases", 1, Activation.TANH, true, 4, 1, 5),
                Case.of("one moving unit, no biases", 2, Activation.GELU, false, 3, 1, 2),
                Case.of("two moving units", 3, Activation.SILU, true, 4, 2, 5),
                Case.of("more moving units than outputs", 4, Activation.SIGMOID, true, 3, 3, 2),
                Case.of("more inputs than input width", 5, Activation.SIGMOID, true, 8, 1, 1),
                Case.of("one input", 6, Activation.GELU_TANH, false, 1, 1, 1));
    }

    static Stream<SiteCoordinates> forms() {
        return cases().flatMap(each -> Stream.of(SiteCoordinates.plain(each.site), SiteCoordinates.reduced(each.site)));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theOriginIsTheWeightsOfTheSite(SiteCoordinates coordinates) {
        double[] plain = SiteCoordinates.plain(coordinates.site()).origin();
        assertThat(coordinates.toPlain(coordinates.origin())).isEqualTo(plain);
        assertThat(coordinates.fromPlain(plain)).isEqualTo(coordinates.origin());
        assertThat(SiteCoordinates.reduced(coordinates.site()).origin()).containsOnly(0);
        double sum = 0;
        for (double weight : plain) {
            sum += weight * weight;
        }
        assertThat(coordinates.weightScale()).isCloseTo(Math.sqrt(sum / plain.length), within(1e-15));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void changesOfCoordinatesAndOfWeightsHaveOneNorm(SiteCoordinates coordinates) {
        var random = new SplittableRandom(11);
        Matrix pair = Networks.gaussian(random, 2, coordinates.parameterCount());
        double[] first = coordinates.toPlain(pair.row(0));
        double[] second = coordinates.toPlain(pair.row(1));
        Matrix change = difference(pair.row(0), pair.row(1));
        assertThat(difference(first, second).frobeniusNorm()).isCloseTo(change.frobeniusNorm(), within(1e-13));
        assertThat(difference(coordinates.fromPlain(first), pair.row(0)).largestMagnitude())
                .isLessThan(1e-13);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void aChangeThatNoInputSeesIsLeftOut(Case each) {
        SiteCoordinates reduced = SiteCoordinates.reduced(each.site);
        SiteCoordinates plain = SiteCoordinates.plain(each.site);
        if (reduced.parameterCount() < plain.parameterCount()) {
            double[] moved = plain.origin();
            for (int i = 0; i < moved.length; i++) {
                moved[i] += Math.sin(i + 1.0);
            }
            double visible = Matrix.over(1, reduced.parameterCount(), reduced.fromPlain(moved))
                    .frobeniusNorm();
            assertThat(visible)
                    .isPositive()
                    .isLessThan(difference(moved, plain.origin()).frobeniusNorm() - 1e-3);
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    void changesOfTheOutputAreThoseOfTheBoundaryOfTheNetwork(SiteCoordinates coordinates) {
        Case each = cases().filter(
                        one -> one.site.toString().equals(coordinates.site().toString()))
                .findFirst()
                .orElseThrow();
        int[] units = IntStream.concat(IntStream.of(each.site.moving()), IntStream.of(each.site.compensators()))
                .toArray();
        Support site = each.site.support(each.network.layout(), 1);
        Support incident = Support.units(each.network.layout(), 1, units);
        ModelTarget boundary = DenseTarget.contribution(each.network, incident, each.batch, 1, units);
        assertThat(site.gather(each.network.parameters())).isEqualTo(coordinates.toPlain(coordinates.origin()));

        var random = new SplittableRandom(12);
        Matrix pair = Networks.gaussian(random, 2, coordinates.parameterCount());
        Matrix plain = Matrix.zeros(2, boundary.parameterCount());
        for (int row = 0; row < 2; row++) {
            double[] full = each.network.parameters();
            site.scatter(coordinates.toPlain(pair.row(row)), full);
            System.arraycopy(incident.gather(full), 0, plain.entries(), row * plain.columns(), plain.columns());
        }
        Matrix inside = coordinates.outputs(pair);
        Matrix outside = boundary.outputs(plain);
        double changeInside = difference(inside.row(0), inside.row(1)).frobeniusNorm();
        double changeOutside = difference(outside.row(0), outside.row(1)).frobeniusNorm();
        assertThat(changeInside).isGreaterThan(0.1).isCloseTo(changeOutside, within(1e-12));
        if (inside.columns() == outside.columns() && coordinates.offset().largestMagnitude() == 0) {
            assertThat(inside.minus(outside).largestMagnitude()).isLessThan(1e-12);
        }
    }

    /** Equation of the appendix, with the matrices that are handed out. */
    @ParameterizedTest
    @MethodSource("forms")
    void outputsFollowFromTheMatricesHandedOut(SiteCoordinates coordinates) {
        var random = new SplittableRandom(13);
        double[] point =
                Networks.gaussian(random, 1, coordinates.parameterCount()).entries();
        int o = coordinates.readout().rows();
        int k = coordinates.site().inputCount();
        int c = coordinates.readout().columns();
        int q = coordinates.inputs().rows();
        assertThat(coordinates.parameterCount()).isEqualTo(o * k + c * q);
        assertThat(coordinates.outgoingCount()).isEqualTo(o * k);
        assertThat(coordinates.incomingCount()).isEqualTo(c * q);
        Matrix features = coordinates.site().features().matrix();
        double[] outputs =
                coordinates.outputs(Matrix.over(1, point.length, point)).entries();
        for (int input = 0; input < k; input++) {
            for (int a = 0; a < o; a++) {
                double expected = 0;
                for (int b = 0; b < k; b++) {
                    expected += point[a * k + b] * features.get(b, input);
                }
                for (int j = 0; j < c; j++) {
                    double sum = coordinates.offset().get(j, input);
                    for (int i = 0; i < q; i++) {
                        sum += point[o * k + j * q + i] * coordinates.inputs().get(i, input);
                    }
                    expected += coordinates.readout().get(a, j)
                            * coordinates.activation().value(sum);
                }
                assertThat(outputs[input * o + a]).isCloseTo(expected, within(1e-12));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    void theJacobianAgreesWithCentralDifferencesAndAWrongOneDoesNot(SiteCoordinates coordinates) {
        var random = new SplittableRandom(14);
        double[] point =
                Networks.gaussian(random, 1, coordinates.parameterCount()).entries();
        Matrix differences = Networks.differences(
                at -> coordinates.outputs(Matrix.over(1, at.length, at)).entries(), point);
        Matrix jacobian = coordinates.jacobian(point);
        assertThat(jacobian.minus(differences).largestMagnitude()).isLessThan(1e-7);
        assertThat(jacobian.scaled(-1).minus(differences).largestMagnitude()).isGreaterThan(0.01);
    }

    @Test
    void oneMovingUnitAndIndependentInputsGiveTwiceTheInputs() {
        Case each = cases().findFirst().orElseThrow();
        SiteCoordinates reduced = SiteCoordinates.reduced(each.site);
        assertThat(reduced.parameterCount()).isEqualTo(8);
        assertThat(reduced.readout().get(0, 0)).isPositive();
        double moving = reduced.movingOutputs(Matrix.zeros(1, 8)).frobeniusNorm();
        assertThat(moving)
                .isCloseTo(
                        each.site.effects().stream()
                                .filter(effect -> effect.unit() == each.site.moving()[0])
                                .mapToDouble(CompensationSite.UnitEffect::contribution)
                                .sum(),
                        within(1e-13));
        assertThat(reduced.compensatingOutputs(Matrix.zeros(1, 8)).largestMagnitude())
                .isZero();
    }

    /** Both kinds of coordinates stand for the same weights, and only plain ones have their norm. */
    @Test
    void weightNormsAreThoseOfTheWeights() {
        CompensationSite site = cases().findFirst().orElseThrow().site;
        SiteCoordinates plain = SiteCoordinates.plain(site);
        SiteCoordinates reduced = SiteCoordinates.reduced(site);
        double norm = Matrix.of(1, plain.parameterCount(), plain.origin()).frobeniusNorm();
        assertThat(plain.weightNorms(Matrix.of(1, plain.parameterCount(), plain.origin()))[0])
                .isCloseTo(norm, within(1e-14));
        assertThat(reduced.weightNorms(Matrix.zeros(2, reduced.parameterCount())))
                .containsExactly(new double[] {norm, norm}, within(1e-14));
        assertThat(reduced.weightScale() * Math.sqrt(plain.parameterCount())).isCloseTo(norm, within(1e-14));
    }

    @Test
    void aMovingUnitThatWritesNothingIsRefused() {
        DenseNetwork silent = new DenseNetwork(
                Activation.TANH, List.of(DenseLayer.of(Matrix.of(2, 1, 1, 2)), DenseLayer.of(Matrix.of(1, 2, 3, 0))));
        CompensationSite site = CompensationSite.of(silent.block(0), Matrix.of(1, 1, 1), new int[] {1}, new int[] {0});
        assertThatThrownBy(() -> SiteCoordinates.reduced(site))
                .hasMessage(
                        "SiteCoordinates: the outgoing weights of moving units [1] are zero, so there is nothing to compensate");
        SiteCoordinates plain = SiteCoordinates.plain(site);
        assertThatThrownBy(() -> plain.outputs(Matrix.zeros(1, 3)))
                .hasMessage("SiteCoordinates: 3 coordinates given, expected 2");
        assertThatThrownBy(() -> plain.fromPlain(new double[3]))
                .hasMessage("SiteCoordinates: 3 weights given, expected 2");
        assertThatThrownBy(() -> site.support(ParameterLayout.of(List.of(1, 3, 1), List.of(false, false)), 0))
                .hasMessage("CompensationSite: hidden layer 0 is not the site's block of widths 1, 2, 1");
    }

    private static Matrix difference(double[] first, double[] second) {
        return Matrix.of(1, first.length, first).minus(Matrix.of(1, second.length, second));
    }
}
