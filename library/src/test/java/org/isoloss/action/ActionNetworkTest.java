package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.action.StackedCall.Block;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ActionNetworkTest {
    private static final ActionShape SHAPE = new ActionShape(2, 1, 3, 5, 3, Activation.TANH);

    private final Graph graph = new Graph();
    private final ActionNetwork network = new ActionNetwork(graph, SHAPE);

    @Test
    void tensorsHaveTheShapesOfTheLayers() {
        assertThat(network.tensors().stream().map(Tensor::toString))
                .containsExactly("(7, 5)", "(1, 5)", "(5, 5)", "(1, 5)", "(5, 5)", "(1, 5)", "(5, 3)");
    }

    /** Mean squares by the inputs: of the first, the hidden and the last matrix. */
    @ParameterizedTest
    @CsvSource({"LECUN, 1, 1, 1", "HE, 2, 2, 1", "ORTHOGONAL, 1, 1, 1", "SMALL_OUTPUT, 1, 1, 0.01"})
    void eachInitializationHasItsVariances(Initialization initialization, double first, double hidden, double last) {
        Graph wide = new Graph();
        ActionNetwork large = new ActionNetwork(wide, new ActionShape(2, 1, 60, 64, 2, Activation.SILU));
        Program program = wide.compile(Precision.FLOAT64);
        large.initialize(program, initialization, new SplittableRandom(3));
        List<Tensor> tensors = large.tensors();
        double[] expected = {first, 0, hidden, 0, last};
        for (int i = 0; i < expected.length; i++) {
            Matrix numbers = program.get(tensors.get(i));
            double square = numbers.frobeniusNorm() * numbers.frobeniusNorm() / numbers.columns();
            assertThat(square).isCloseTo(expected[i], within(0.15 * expected[i]));
        }
        Matrix square = program.get(tensors.get(2));
        Matrix gram = square.transpose().times(square);
        double distance = gram.minus(Matrix.identity(gram.rows())).frobeniusNorm();
        if (initialization == Initialization.ORTHOGONAL) {
            assertThat(distance).isLessThan(1e-13);
        } else {
            assertThat(distance).isGreaterThan(1);
        }
    }

    /** A uniformly distributed orthogonal matrix has trace 0 in the mean, with variance 1 and both determinants. */
    @Test
    void orthogonalMatricesAreUniformlyDistributed() {
        var random = new SplittableRandom(9);
        int draws = 2000;
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < draws; i++) {
            Matrix drawn = Initialization.ORTHOGONAL.draw(3, 3, false, random);
            double trace = drawn.get(0, 0) + drawn.get(1, 1) + drawn.get(2, 2);
            sum += trace;
            squares += trace * trace;
        }
        assertThat(sum / draws).isCloseTo(0, within(0.1)); // deviation 0.022; without the signs of R far off
        assertThat(squares / draws).isCloseTo(1, within(0.15));
    }

    /** Also where a weight matrix has one row, like a bias. */
    @ParameterizedTest
    @CsvSource({"1, 3", "1, 1", "4, 1"})
    void noWeightMatrixBeginsAtZero(int width, int depth) {
        Graph narrow = new Graph();
        ActionNetwork small = new ActionNetwork(narrow, new ActionShape(2, 1, 2, width, depth, Activation.SILU));
        Program program = narrow.compile(Precision.FLOAT64);
        small.initialize(program, Initialization.LECUN, new SplittableRandom(4));
        List<Tensor> tensors = small.tensors();
        for (int i = 0; i < tensors.size(); i++) {
            boolean bias = i % 2 == 1;
            assertThat(program.get(tensors.get(i)).largestMagnitude() == 0).isEqualTo(bias);
        }
    }

    @Test
    void theSameSeedGivesTheSameWeights() {
        Program program = graph.compile(Precision.FLOAT32);
        network.initialize(program, Initialization.LECUN, new SplittableRandom(5));
        double[] first = program.get(network.tensors().getFirst()).entries();
        network.initialize(program, Initialization.LECUN, new SplittableRandom(5));
        assertThat(program.get(network.tensors().getFirst()).entries()).isEqualTo(first);
        network.initialize(program, Initialization.LECUN, new SplittableRandom(6));
        assertThat(program.get(network.tensors().getFirst()).entries()).isNotEqualTo(first);
    }

    @Test
    void sizesBelowOneAreRefused() {
        assertThatThrownBy(() -> new ActionShape(2, 1, 0, 5, 3, Activation.SILU))
                .hasMessage(
                        "ActionShape: matrixSize 2, generatorCount 1, parameterCount 0, width 5, depth 3: all must be at least 1");
    }

    /** Two elements and a direction at two points, recorded in one stack and evaluated in plain loops. */
    private final class Call {
        private final Tensor elements = graph.input(3, 4);
        private final Tensor points = graph.input(2, 3);
        private final StackedCall call = new StackedCall(
                graph, network, network.elementPart(graph, elements), network.parameterPart(graph, points));
    }

    @Test
    void stackedArgumentsAreEvaluatedOneByOne() {
        Call stacked = new Call();
        Block values = stacked.call.values(new int[] {0, 1, 0}, new int[] {0, 0, 1});
        Block more = stacked.call.values(new int[] {1}, new int[] {1});
        Block tangents = stacked.call.tangents(values, new int[] {2, 2, 2});
        Block other = stacked.call.tangents(more, new int[] {1});
        Tensor output = network.output(graph, stacked.call.hidden());
        Program program = graph.compile(Precision.FLOAT64);
        network.initialize(program, Initialization.LECUN, new SplittableRandom(7));
        var random = new SplittableRandom(8);
        for (Tensor tensor : List.of(
                stacked.elements,
                stacked.points,
                network.tensors().get(1),
                network.tensors().get(3),
                network.tensors().get(5))) {
            double[] numbers = new double[tensor.size()];
            Arrays.setAll(numbers, i -> random.nextGaussian());
            program.set(tensor, numbers);
        }
        program.forward();
        List<double[]> weights = network.tensors().stream()
                .map(each -> program.get(each).entries())
                .toList();
        Matrix g = program.get(stacked.elements);
        Matrix theta = program.get(stacked.points);
        Matrix found = program.get(output);
        assertClose(found.row(values.from() + 2), plain(weights, g.row(0), theta.row(1), g.row(2))[0]);
        assertClose(found.row(more.from()), plain(weights, g.row(1), theta.row(1), g.row(2))[0]);
        assertClose(found.row(tangents.from() + 1), plain(weights, g.row(1), theta.row(0), g.row(2))[1]);
        assertClose(found.row(other.from()), plain(weights, g.row(1), theta.row(1), g.row(1))[1]);

        stacked.call.setDirection(tangents, 1, 0);
        program.forward();
        Matrix redirected = program.get(output);
        assertClose(redirected.row(tangents.from() + 1), plain(weights, g.row(1), theta.row(0), g.row(0))[1]);
        assertThat(redirected.row(tangents.from())).isEqualTo(found.row(tangents.from()));
        assertThat(tangents.rows()).containsExactly(4, 5, 6);
    }

    private static void assertClose(double[] found, double[] expected) {
        for (int i = 0; i < expected.length; i++) {
            assertThat(found[i]).isCloseTo(expected[i], within(1e-14));
        }
        assertThat(Arrays.stream(expected).map(Math::abs).max().orElseThrow()).isGreaterThan(1e-3);
    }

    /** Value and derivative of the network at one argument; the last layer has no bias. */
    private static double[][] plain(List<double[]> weights, double[] g, double[] theta, double[] direction) {
        double[] value = Arrays.copyOf(g, 7);
        System.arraycopy(theta, 0, value, 4, 3);
        double[] tangent = Arrays.copyOf(direction, 7);
        for (int layer = 0; layer < 4; layer++) {
            double[] matrix = weights.get(2 * layer);
            int outputs = layer < 3 ? 5 : 3;
            double[] sums = layer < 3 ? weights.get(2 * layer + 1).clone() : new double[3];
            double[] changes = new double[outputs];
            for (int i = 0; i < value.length; i++) {
                for (int j = 0; j < outputs; j++) {
                    sums[j] += value[i] * matrix[i * outputs + j];
                    changes[j] += tangent[i] * matrix[i * outputs + j];
                }
            }
            for (int j = 0; j < outputs && layer < 3; j++) {
                changes[j] *= 1 - Math.tanh(sums[j]) * Math.tanh(sums[j]);
                sums[j] = Math.tanh(sums[j]);
            }
            value = sums;
            tangent = changes;
        }
        return new double[][] {value, tangent};
    }

    @Test
    void valuesComeBeforeTangents() {
        Call stacked = new Call();
        Block values = stacked.call.values(new int[] {0}, new int[] {0});
        stacked.call.tangents(values, new int[] {2});
        assertThatThrownBy(() -> stacked.call.values(new int[] {0}, new int[] {0}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("StackedCall: values come before tangents");
    }
}
