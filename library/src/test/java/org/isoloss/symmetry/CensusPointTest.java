package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.KnownNetworks;
import org.isoloss.model.KnownNetworks.Network;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CensusPointTest {
    private final SplittableRandom random = new SplittableRandom(7);

    private Matrix gaussian(int rows, int columns) {
        Matrix matrix = Matrix.zeros(rows, columns);
        Arrays.setAll(matrix.entries(), _ -> random.nextGaussian());
        return matrix;
    }

    private DenseNetwork network(Activation activation, int in, int hidden, int out) {
        return new DenseNetwork(
                activation, List.of(DenseLayer.of(gaussian(hidden, in)), DenseLayer.of(gaussian(out, hidden))));
    }

    private static CensusPoint of(DenseNetwork network, Matrix inputs) {
        Moving moving = Moving.all(network.model(inputs.rows()));
        return CensusPoint.of(
                Symmetries.of(network.model(8), List.of(), 1), moving, List.of(Map.of("input", inputs.entries())));
    }

    /** Of W2 W1 on k inputs in general position maps of rank h on a space of min(k, n) dimensions are seen: GL(h) is not, nor what leaves that space. */
    @ParameterizedTest
    @CsvSource({"1, 3", "2, 6", "3, 8", "4, 10", "5, 12", "9, 12"})
    void linearNetworkLosesGlAndWhatTheInputsDoNotSpan(int inputs, int rank) {
        CensusPoint point = of(network(Activation.IDENTITY, 5, 2, 3), gaussian(inputs, 5));
        assertThat(point.data().rank()).hasValue(rank);
        assertThat(point.families()).isEqualTo(4);
        assertThat(point.unexplained()).hasValue(0);
        assertThat(point.ofBatch()).hasValue(16 - 4 - rank);
    }

    /** tanh without biases is odd: the outputs of x and -x move together, whatever the weights. */
    @Test
    void inputsThatTheNetworkCannotTellApartCountOnce() {
        DenseNetwork odd = network(Activation.TANH, 4, 4, 2);
        Matrix some = gaussian(5, 4);
        Matrix closed = Matrix.zeros(10, 4);
        for (int row = 0; row < 5; row++) {
            for (int column = 0; column < 4; column++) {
                closed.set(2 * row, column, some.get(row, column));
                closed.set(2 * row + 1, column, -some.get(row, column));
            }
        }
        assertThat(of(odd, some).ofBatch()).hasValue(24 - 10);
        assertThat(of(odd, closed).ofBatch()).hasValue(24 - 10);
        assertThat(of(odd, gaussian(10, 4)).ofBatch()).hasValue(24 - 20);
    }

    /** gelu(z) - gelu(-z) = z: the outputs of x and -x differ by those of the linear network, which sees the 4 dimensions that 5 inputs span. */
    @Test
    void whatTellsInputsApartMayItselfBeLinear() {
        DenseNetwork gelu = network(Activation.GELU, 4, 4, 2);
        Matrix some = gaussian(5, 4);
        Matrix closed = Matrix.zeros(10, 4);
        System.arraycopy(some.entries(), 0, closed.entries(), 0, 20);
        System.arraycopy(some.scaled(-1).entries(), 0, closed.entries(), 20, 20);
        assertThat(of(gelu, closed).ofBatch()).hasValue(24 - 10 - 2 * 4);
        assertThat(of(gelu, gaussian(10, 4)).ofBatch()).hasValue(24 - 20);
    }

    /** On 60 inputs, more than it takes, what keeps the outputs are the symmetries that were counted by hand. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("org.isoloss.model.KnownNetworks#networks")
    void onManyInputsTheSymmetriesOfTheFunctionAreLeft(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        Network network = new Network();
        Moving moving = network.target(width, made).moving();
        Map<String, double[]> inputs = Map.of("x", network.normal(KnownNetworks.BATCH * width));
        JacobianRank rank = JacobianRank.of(moving, List.of(inputs));
        assertThat(rank.parameters()).isEqualTo(parameters);
        assertThat(rank.nullity()).as(name).hasValue(nullity);
    }

    /** A ReLU that random inputs make active and the batch does not: its own 4 + 2 weights, of which one direction is a scale. */
    @Test
    void unitThatTheBatchLeavesAsleepIsTheBatchs() {
        Matrix first = gaussian(3, 4);
        for (int column = 0; column < 4; column++) {
            first.set(0, column, -1);
        }
        DenseNetwork relu =
                new DenseNetwork(Activation.RELU, List.of(DenseLayer.of(first), DenseLayer.of(gaussian(2, 3))));
        Matrix positive = gaussian(40, 4);
        Arrays.setAll(positive.entries(), i -> Math.abs(positive.entries()[i]));
        CensusPoint point = of(relu, positive);
        assertThat(point.families()).isEqualTo(3);
        assertThat(point.unexplained()).hasValue(0);
        assertThat(point.ofBatch().orElseThrow()).isGreaterThanOrEqualTo(5);
        assertThat(of(relu, gaussian(40, 4)).ofBatch()).hasValue(0);
    }

    @Test
    void withoutAStepNothingIsDecided() {
        double[] falling = new double[20];
        Arrays.setAll(falling, i -> Math.pow(10, -i));
        JacobianRank undecided = JacobianRank.of(falling, 20);
        assertThat(undecided.rank()).isEmpty();
        assertThat(undecided.effective(1e-4)).isEqualTo(4);
        JacobianRank decided = JacobianRank.of(new double[] {2, 1, 0.1, 1e-15}, 6);
        assertThat(decided.rank()).hasValue(3);
        assertThat(decided.nullity()).hasValue(3);
        assertThat(decided.leastKept()).isEqualTo(0.05);
        CensusPoint half = new CensusPoint(1, JacobianRank.of(new double[] {1, 0.5}, 20), undecided);
        assertThat(half.dimension()).isEmpty();
        assertThat(half.ofBatch()).isEmpty();
        assertThat(half.unexplained()).hasValue(17);
    }

    @Test
    void zerosHaveRankZero() {
        assertThat(JacobianRank.of(new double[3], 3).rank()).hasValue(0);
    }

    @Test
    void whatDoesNotFitInMemoryIsRefusedBeforeItIsComputed() {
        assertThatThrownBy(() -> JacobianRank.requireRoom(1_000_000, 5000, 1L << 30))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the data give 1000000 outputs, whose Jacobian in 5000 parameters takes 38146 MB, and there is room for 1024 MB; take fewer inputs or parameters");
        JacobianRank.requireRoom(26_843, 5000, 1L << 30);
    }

    @Test
    void differentParametersAreRefused() {
        assertThatThrownBy(() ->
                        new CensusPoint(0, JacobianRank.of(new double[] {1}, 2), JacobianRank.of(new double[] {1}, 3)))
                .hasMessageStartingWith("CensusPoint: 2 parameters reach the outputs for random inputs and 3 on");
    }
}
