package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The gradient of every operation against central differences. */
class OperationGradientTest {
    static Stream<Arguments> operations() {
        return Arrays.stream(OperationCase.values())
                .flatMap(operation ->
                        LongStream.rangeClosed(1, 4).mapToObj(seed -> Arguments.arguments(operation, seed)));
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("operations")
    void gradientOfAReadResultIsTheDifference(OperationCase operation, long seed) {
        Leaves leaves = Leaves.right(seed);
        Tensor loss = leaves.weightedSum(operation.record(leaves));
        assertThat(error(leaves, loss)).isLessThan(GradientCheck.TOLERANCE);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("operations")
    void contributionsOfSeveralReadersAddUp(OperationCase operation, long seed) {
        Leaves leaves = Leaves.right(seed);
        Tensor loss = lossOfSeveralReaders(leaves, operation.record(leaves));
        assertThat(error(leaves, loss)).isLessThan(GradientCheck.TOLERANCE);
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("operations")
    void aGradientOfTheWrongSignIsSeen(OperationCase operation, long seed) {
        Leaves count = Leaves.right(seed);
        operation.record(count);
        for (int leaf = 0; leaf < count.tensors().size(); leaf++) {
            Leaves leaves = Leaves.withWrongGradient(seed, leaf);
            Tensor loss = leaves.weightedSum(operation.record(leaves));
            assertThat(error(leaves, loss)).as("leaf %d", leaf).isGreaterThan(1);
        }
    }

    /** The result is read as a whole, once more as a whole, and in part; the leaves are read besides the operation. */
    private static Tensor lossOfSeveralReaders(Leaves leaves, Tensor result) {
        Graph graph = leaves.graph();
        Tensor part = result.shaped(result.size(), 1).rows(result.size() / 2, result.size());
        List<Graph.Term> terms = new ArrayList<>();
        terms.add(Graph.Term.of(1, leaves.weightedSum(result), 0));
        terms.add(Graph.Term.of(0.1, graph.innerProduct(1, result, result), 0));
        terms.add(Graph.Term.of(-0.3, leaves.weightedSum(part), 0));
        for (Tensor leaf : leaves.tensors()) {
            terms.add(Graph.Term.of(0.05, leaves.weightedSum(leaf), 0));
        }
        return graph.combine(terms.toArray(Graph.Term[]::new));
    }

    private static double error(Leaves leaves, Tensor loss) {
        return GradientCheck.worstError(leaves.program(Precision.FLOAT64), loss, leaves.tensors());
    }
}
