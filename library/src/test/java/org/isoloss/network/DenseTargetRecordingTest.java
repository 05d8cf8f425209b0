package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.autodiff.GradientCheck;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ModelTarget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Recorded networks against the direct evaluation, for every way in which parameters can move. */
class DenseTargetRecordingTest {
    /** Sums of some tens of products of unit size, rounded in another order. */
    private static final double ROUNDING = 1e-13;

    private static final int INPUTS = 3;

    /** A target with what is special about it. */
    record Case(String name, ModelTarget target) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Every kind of support in a network with biases (2, 4, 3, 2). */
    static Stream<Case> supports() {
        var random = new SplittableRandom(7);
        DenseNetwork network = Networks.random(random, Activation.TANH, true, 2, 4, 3, 2);
        Matrix inputs = Networks.gaussian(random, INPUTS, 2);
        ParameterLayout layout = network.layout();
        Support units = Support.units(layout, 1, 2, 0);
        return Stream.concat(
                Stream.of(
                                Support.all(layout),
                                Support.tensors(layout, "0.weight"),
                                Support.tensors(layout, "0.bias"),
                                Support.tensors(layout, "2.weight"),
                                Support.tensors(layout, "2.bias"),
                                Support.tensors(layout, "4.weight"),
                                Support.tensors(layout, "4.bias"),
                                Support.tensors(layout, "4.weight", "0.weight"),
                                Support.tensors(layout, "2.bias", "0.bias", "4.bias"),
                                Support.rows(layout, "0.weight", 2, 0),
                                Support.rows(layout, "2.weight", 1),
                                Support.rows(layout, "0.bias", 3, 1),
                                Support.columns(layout, "2.weight", 3),
                                Support.columns(layout, "4.weight", 2, 0),
                                Support.units(layout, 0, 1),
                                units)
                        .map(support -> new Case(
                                "parameters " + Arrays.toString(support.indices()),
                                DenseTarget.outputs(network, support, inputs))),
                Stream.of(
                                units,
                                Support.columns(layout, "4.weight", 0, 2),
                                Support.rows(layout, "2.bias", 2),
                                Support.rows(layout, "2.weight", 2),
                                Support.indices(layout, units.indices()[5], units.indices()[0]))
                        .map(support -> new Case(
                                "boundary " + Arrays.toString(support.indices()),
                                DenseTarget.contribution(network, support, inputs, 1, 2, 0))));
    }

    /** Other depths, with and without biases. */
    static Stream<Case> depths() {
        var random = new SplittableRandom(8);
        return Stream.of(new int[] {2, 2}, new int[] {2, 2, 2}, new int[] {3, 5, 2}, new int[] {2, 3, 3, 3, 2})
                .flatMap(widths -> Stream.of(true, false).map(biased -> {
                    DenseNetwork network = Networks.random(random, Activation.SIGMOID, biased, widths);
                    Matrix inputs = Networks.gaussian(random, INPUTS, widths[0]);
                    return new Case(
                            Arrays.toString(widths) + (biased ? " with biases" : ""),
                            DenseTarget.outputs(network, Support.all(network.layout()), inputs));
                }));
    }

    static Stream<Case> all() {
        return Stream.concat(supports(), depths());
    }

    @ParameterizedTest
    @MethodSource("all")
    void valuesAreThoseOfTheTarget(Case given) {
        RecordedTarget recorded = RecordedTarget.of(given.target);
        assertThat(recorded.errorOfValues()).isLessThan(ROUNDING);
    }

    @ParameterizedTest
    @MethodSource("all")
    void tangentsAreProductsOfTheJacobian(Case given) {
        assertThat(RecordedTarget.of(given.target).errorOfTangents()).isLessThan(ROUNDING);
    }

    @ParameterizedTest
    @MethodSource("all")
    void gradientsAreDifferences(Case given) {
        RecordedTarget recorded = RecordedTarget.of(given.target);
        assertThat(GradientCheck.worstError(recorded.program(), recorded.loss(), List.of(recorded.parameters())))
                .isLessThan(GradientCheck.TOLERANCE);
    }

    @ParameterizedTest
    @EnumSource
    void everyActivationIsRecorded(Activation activation) {
        var random = new SplittableRandom(9);
        DenseNetwork network = Networks.random(random, activation, true, 2, 4, 2);
        Matrix inputs = Networks.gaussian(random, INPUTS, 2);
        RecordedTarget recorded =
                RecordedTarget.of(DenseTarget.outputs(network, Support.all(network.layout()), inputs));
        assertThat(recorded.errorOfValues()).isLessThan(ROUNDING);
        assertThat(recorded.errorOfTangents()).isLessThan(ROUNDING);
    }

    @Test
    void anotherJacobianIsSeen() {
        Case given = supports().toList().getFirst();
        RecordedTarget wrong = new RecordedTarget(
                given.target, point -> given.target.jacobian(point).scaled(1.001), given.target.origin(), 41);
        assertThat(wrong.errorOfTangents()).isGreaterThan(1e-4);
    }

    @ParameterizedTest
    @EnumSource(names = {"SIGMOID", "TANH", "GELU"})
    void sitesAreRecordedInBothCoordinates(Activation activation) {
        for (boolean biased : new boolean[] {true, false}) {
            CompensationSite site = site(activation, biased);
            for (SiteCoordinates coordinates : List.of(SiteCoordinates.plain(site), SiteCoordinates.reduced(site))) {
                RecordedTarget recorded = RecordedTarget.of(coordinates);
                assertThat(recorded.errorOfValues()).isLessThan(ROUNDING);
                assertThat(recorded.errorOfTangents()).isLessThan(ROUNDING);
                assertThat(GradientCheck.worstError(
                                recorded.program(), recorded.loss(), List.of(recorded.parameters())))
                        .isLessThan(GradientCheck.TOLERANCE);
            }
        }
    }

    /** Two moving and two compensating units, three outputs. */
    private static CompensationSite site(Activation activation, boolean biased) {
        var random = new SplittableRandom(10);
        DenseNetwork network = Networks.random(random, activation, biased, 3, 6, 3);
        return CompensationSite.choose(
                network.block(0), Networks.gaussian(random, 2, 3), new MovingUnits.LargestContribution(2));
    }

    @Test
    void vectorsOfAnotherLengthAreRefused() {
        Graph graph = new Graph();
        Jet two = Jet.of(graph.input(1, 2));
        ModelTarget target = supports().toList().getFirst().target;
        assertThatThrownBy(() -> target.record(graph, two))
                .hasMessage("Graph.apply: the parameters has shape (1, 2), expected (1, 35)");
        SiteCoordinates coordinates = SiteCoordinates.reduced(site(Activation.TANH, false));
        assertThatThrownBy(() -> coordinates.record(graph, two))
                .hasMessage(
                        "SiteCoordinates: 2 coordinates given, expected %d".formatted(coordinates.parameterCount()));
    }
}
