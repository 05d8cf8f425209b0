package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kernels work in blocks of 1024 entries: numbers that repeat every seven columns must give results that do, to the bit,
 * whatever block they lie in.
 */
class LongTensorTest {
    private static final int PERIOD = 7;
    private static final int LONG = 400 * PERIOD;

    /** Everything that works entry by entry, on rows of the given length. */
    private static final class Recorded {
        private final Graph graph = new Graph();
        private final Tensor input;
        private final Tensor weights;
        private final Tensor result;
        private final Tensor loss;
        private final Program program;

        Recorded(Precision precision, int columns) {
            input = graph.differentiableInput(3, columns);
            weights = graph.parameter(1, columns);
            Tensor combined = graph.combine(
                    Term.of(-1.5, input, 0, 0, 0, 1, 2),
                    Term.of(1, weights, 0, -1, 0, 0, 0),
                    Term.of(0.5, input, -1, 1, 2, 2, -1));
            Jet applied = graph.apply(Wave.RIGHT, Jet.of(combined, new int[] {-1, -1, 0, 1, 0}));
            result = graph.times(applied.stacked(), combined);
            double[] ones = new double[result.size()];
            Arrays.fill(ones, 1);
            loss = graph.innerProduct(1, result, graph.constant(Matrix.over(5, columns, ones)));
            program = graph.compile(precision);
            program.set(input, periodic(input));
            program.set(weights, periodic(weights));
            program.forward();
            program.backward(loss);
        }

        private static double[] periodic(Tensor tensor) {
            double[] numbers = new double[tensor.size()];
            Arrays.setAll(numbers, i -> {
                int row = i / tensor.columns();
                int place = i % tensor.columns() % PERIOD;
                return Math.cos(1.0 + place + 10.0 * row);
            });
            return numbers;
        }
    }

    @ParameterizedTest
    @EnumSource
    void resultsRepeatWithTheirArguments(Precision precision) {
        Recorded one = new Recorded(precision, PERIOD);
        Recorded many = new Recorded(precision, LONG);
        assertRepeats(one.program.get(one.result), many.program.get(many.result));
        assertRepeats(one.program.gradient(one.input), many.program.gradient(many.input));
        assertRepeats(one.program.gradient(one.weights), many.program.gradient(many.weights));
        double periods = (double) LONG / PERIOD;
        double loss = periods * one.program.get(one.loss, 0);
        assertThat(Math.abs(many.program.get(many.loss, 0) / loss - 1)).isLessThan(1e-5);

        Adam adam = new Adam(1e6);
        double shortNorm = adam.update(one.program, 1, 1e-3);
        double longNorm = adam.update(many.program, 1, 1e-3);
        assertThat(Math.abs(longNorm / (shortNorm * Math.sqrt(periods)) - 1)).isLessThan(1e-5);
        assertRepeats(one.program.get(one.weights), many.program.get(many.weights));
    }

    private static void assertRepeats(Matrix one, Matrix many) {
        assertThat(one.largestMagnitude()).isGreaterThan(0.1);
        for (int i = 0; i < many.entries().length; i++) {
            int row = i / LONG;
            assertThat(many.entries()[i]).isEqualTo(one.get(row, i % LONG % PERIOD));
        }
    }
}
