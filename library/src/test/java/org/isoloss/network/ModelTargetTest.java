package org.isoloss.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A dense network as a {@link Model} and as a {@link DenseNetwork}: two routes to the same numbers. */
class ModelTargetTest {
    private static final int INPUTS = 5;

    private final SplittableRandom random = new SplittableRandom(11);

    private Matrix normal(int rows, int columns) {
        Matrix matrix = Matrix.zeros(rows, columns);
        Arrays.setAll(matrix.entries(), _ -> random.nextGaussian());
        return matrix;
    }

    private DenseNetwork dense(Activation activation) {
        return new DenseNetwork(
                activation,
                List.of(
                        DenseLayer.of(normal(4, 3), normal(4, 1).entries()),
                        DenseLayer.of(normal(6, 4), normal(6, 1).entries()),
                        DenseLayer.of(normal(2, 6), normal(2, 1).entries())));
    }

    @ParameterizedTest
    @EnumSource(
            value = Activation.class,
            names = {"RELU", "TANH", "GELU", "SILU", "IDENTITY"})
    void wholeTensorsAsByTheDenseNetwork(Activation activation) {
        agrees(dense(activation), "0.weight", "4.weight");
    }

    @Test
    void everyParameterAsByTheDenseNetwork() {
        agrees(dense(Activation.TANH), "0.weight", "0.bias", "2.weight", "2.bias", "4.weight", "4.bias");
    }

    @Test
    void partsOfTensorsAsByTheDenseNetwork() {
        agrees(dense(Activation.TANH), "0.weight[1, :]", "0.bias[1]", "2.weight[2:5, 1]");
    }

    private void agrees(DenseNetwork network, String... parts) {
        Matrix inputs = normal(INPUTS, 3);
        Support support = Support.parse(network.layout(), List.of(parts));
        NetworkTarget expected = NetworkTarget.outputs(network, support, inputs);
        Moving moving = Moving.of(network.model(INPUTS), List.of(parts));
        ModelTarget found = ModelTarget.of(moving, Map.of("input", inputs.entries()));
        assertThat(found.origin()).containsExactly(expected.origin());
        Matrix points = normal(4, moving.count());
        close(found.outputs(points).entries(), expected.outputs(points).entries(), 1e-13);
        double[] point = points.row(0);
        close(found.jacobian(point).entries(), expected.jacobian(point).entries(), 1e-12);
        int outputs = expected.outputCount() / INPUTS;
        int[] order = IntStream.range(0, expected.outputCount())
                .map(i -> i % outputs * INPUTS + i / outputs) // input by input from output by output
                .toArray();
        for (Precision precision : Precision.values()) {
            double tolerance = precision == Precision.FLOAT64 ? 1e-12 : 1e-4;
            List<double[]> here = recorded(
                    found, points, precision, IntStream.range(0, order.length).toArray());
            List<double[]> there = recorded(expected, points, precision, order);
            for (int i = 0; i < here.size(); i++) {
                assertThat(here.get(i))
                        .as("row %d at %s", i, precision)
                        .usingComparatorWithPrecision(10 * tolerance)
                        .containsExactly(there.get(i));
            }
        }
    }

    /** Values, and gradients of a sum of all of them with fixed factors, for values with none, one and two tangents. */
    private static List<double[]> recorded(
            DifferentiableTarget target, Matrix points, Precision precision, int[] order) {
        Graph graph = new Graph();
        Tensor rows = graph.differentiableInput(4, points.columns());
        Jet jet = Jet.of(rows, new int[] {-1, -1, 1, 1});
        Tensor results = target.record(graph, jet).stacked();
        var factors = new SplittableRandom(3);
        Matrix weights = Matrix.zeros(4, results.columns());
        for (int row = 0; row < 4; row++) {
            for (int i = 0; i < order.length; i++) {
                weights.set(row, order[i], factors.nextDouble());
            }
        }
        Tensor loss = graph.innerProduct(1, results, graph.constant(weights));
        Program program = graph.compile(precision);
        program.set(rows, points.entries());
        program.forward();
        Matrix values = program.get(results);
        program.backward(loss);
        List<double[]> all = new ArrayList<>();
        for (int row = 0; row < 4; row++) {
            double[] ordered = new double[order.length];
            for (int i = 0; i < order.length; i++) {
                ordered[i] = values.get(row, order[i]);
            }
            all.add(ordered);
        }
        all.add(program.gradient(rows).entries());
        return all;
    }

    private static void close(double[] found, double[] expected, double tolerance) {
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < found.length; i++) {
            assertThat(found[i])
                    .isCloseTo(
                            expected[i],
                            org.assertj.core.api.Assertions.within(tolerance * (1 + Math.abs(expected[i]))));
        }
    }

    @Test
    void placesInTheVectorOfAllParametersInAnyOrder() {
        DenseNetwork network = dense(Activation.TANH);
        Matrix inputs = normal(INPUTS, 3);
        Support support = Support.units(network.layout(), 1, 4, 1);
        NetworkTarget expected = NetworkTarget.outputs(network, support, inputs);
        Moving moving = Moving.at(network.model(INPUTS), support.indices());
        assertThat(moving.within()).containsExactly(support.indices());
        assertThat(moving.places().keySet()).containsExactly("2.weight", "2.bias", "4.weight");
        ModelTarget found = ModelTarget.of(moving, Map.of("input", inputs.entries()));
        assertThat(found.origin()).containsExactly(expected.origin());
        Matrix points = normal(4, moving.count());
        close(found.outputs(points).entries(), expected.outputs(points).entries(), 1e-13);
        for (int[] places : new int[][] {{3, 3}, {0, 40, 1}, {-1}, {100}}) {
            assertThatThrownBy(() -> Moving.at(network.model(), places))
                    .hasMessageEndingWith(
                            "of 60 parameters, expected different ones, those of one tensor one after the other");
        }
    }

    @Test
    void tensorThatDoesNotReachTheOutputsIsNamed() {
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 2);
        Value a = builder.parameter("a", Dimensions.of(2), Numbers.of(1, 2));
        Value b = builder.parameter("b", Dimensions.of(2), Numbers.of(1, 2));
        builder.output("y", builder.product(x, a));
        builder.output("z", builder.product(x, b));
        Moving moving = Moving.of(builder.build(), List.of("a", "b"));
        assertThatThrownBy(() -> ModelTarget.of(moving, Map.of("x", new double[2]), "y"))
                .hasMessage("the tensor b moves without effect: no output that is protected depends on it");
    }

    @Test
    void choicesThatSelectNothingAreRefused() {
        Model model = dense(Activation.RELU).model();
        assertThatThrownBy(() -> Moving.of(model, List.of("0.weight[4]")))
                .hasMessage("'0.weight[4]': '4' is outside 0 to 3 or selects nothing");
        assertThatThrownBy(() -> Moving.of(model, List.of("0.weight[0]", "0.weight[:, 0]")))
                .hasMessage("0.weight[0], 0.weight[:, 0]: an entry of 0.weight is chosen twice");
        assertThatThrownBy(() -> Moving.of(model, List.of("1.weight")))
                .hasMessage(
                        "the model has no parameter \"1.weight\"; it has 0.weight, 0.bias, 2.weight, 2.bias, 4.weight, 4.bias");
    }
}
