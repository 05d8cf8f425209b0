package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.linalg.BoundGemm;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a program does from replay to replay; all numbers are small integers, so every comparison is exact. */
class ProgramTest {
    @ParameterizedTest
    @EnumSource
    void replaysFollowTheInputs(Precision precision) {
        Graph graph = new Graph();
        Tensor input = graph.input(1, 2);
        Tensor weights = graph.parameter(2, 1);
        Tensor loss = graph.product(input, weights);
        Program program = graph.compile(precision);
        program.set(weights, new double[] {2, 3});
        program.set(input, new double[] {5, 7});
        program.forward();
        assertThat(program.get(loss, 0)).isEqualTo(31);
        program.set(input, 1, 1);
        program.forward();
        assertThat(program.get(loss).entries()).containsExactly(13);
        program.backward(loss);
        assertThat(program.gradient(weights).entries()).containsExactly(5, 1);
        assertThat(program.parameterCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void stretchesOfNumbersGoInAndOut(Precision precision) {
        Graph graph = new Graph();
        Tensor input = graph.input(2, 2);
        Tensor sum = graph.add(input, 1, input);
        Program program = graph.compile(precision);
        program.set(input, new double[] {1, 2, 3, 4});
        program.set(input, 1, new double[] {9, 8, 7}, 1, 2);
        program.forward();
        double[] copy = {0, 0, 0};
        program.copy(sum, 1, copy, 1, 2);
        assertThat(copy).containsExactly(0, 16, 14);
        assertThat(program.get(sum).entries()).containsExactly(2, 16, 14, 8);
        assertThatThrownBy(() -> program.copy(sum, 3, copy, 0, 2))
                .hasMessage("Program: 2 numbers from number 3 on do not lie in a tensor of shape (2, 2)");
        assertThatThrownBy(() -> program.set(input, 0, new double[5], 0, 5))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    void gradientsOfOneBackwardPassDoNotReachTheNext(OperationCase operation) {
        Leaves leaves = Leaves.right(1);
        Tensor loss = leaves.weightedSum(operation.record(leaves));
        Program program = leaves.program(Precision.FLOAT32);
        program.forward();
        program.backward(loss);
        var first = leaves.tensors().stream().map(program::gradient).toList();
        program.forward();
        program.backward(loss);
        for (int i = 0; i < first.size(); i++) {
            assertThat(program.gradient(leaves.tensors().get(i)).entries())
                    .isEqualTo(first.get(i).entries());
        }
    }

    @Test
    void whatTheLossDoesNotReadHasNoGradient() {
        Graph graph = new Graph();
        Tensor read = graph.parameter(4, 2);
        Tensor unread = graph.parameter(2, 2);
        Tensor input = graph.differentiableInput(3, 2);
        graph.product(graph.add(input, 1, input), unread);
        Tensor loss = graph.innerProduct(1, read.rows(1, 3), input.rows(0, 2));
        Program program = graph.compile(Precision.FLOAT64);
        program.set(read, new double[] {1, 2, 3, 4, 5, 6, 7, 8});
        program.set(unread, new double[] {1, 2, 3, 4});
        program.set(input, new double[] {10, 20, 30, 40, 50, 60});
        program.forward();
        program.backward(loss);
        assertThat(program.get(loss, 0)).isEqualTo(30 + 80 + 150 + 240);
        assertThat(program.gradient(read).entries()).containsExactly(0, 0, 10, 20, 30, 40, 0, 0);
        assertThat(program.gradient(unread).entries()).containsOnly(0);
        assertThat(program.gradient(input).entries()).containsExactly(3, 4, 5, 6, 0, 0);
    }

    @Test
    void noGradientPassesADetachedCopy() {
        Graph graph = new Graph();
        Tensor input = graph.differentiableInput(1, 3);
        Tensor copy = graph.detach(input);
        Tensor loss = graph.innerProduct(1, graph.times(input, input), copy);
        Program program = graph.compile(Precision.FLOAT64);
        program.set(input, new double[] {1, 2, 3});
        program.forward();
        program.backward(loss);
        assertThat(program.get(copy).entries()).containsExactly(1, 2, 3);
        assertThat(program.get(loss, 0)).isEqualTo(36);
        assertThat(program.gradient(input).entries()).containsExactly(2, 8, 18); // 2 x^2, where 3 x^2 is the whole
    }

    @Test
    void rowsMayChangeBetweenReplays() {
        Graph graph = new Graph();
        Tensor source = graph.differentiableInput(3, 1);
        int[] rows = {0, 1};
        Tensor chosen = graph.combine(Term.live(2, source, rows));
        Tensor loss = graph.innerProduct(1, chosen, graph.constant(Matrix.of(2, 1, 1, 10)));
        Program program = graph.compile(Precision.FLOAT64);
        program.set(source, new double[] {1, 2, 3});
        program.forward();
        program.backward(loss);
        assertThat(program.get(loss, 0)).isEqualTo(42);
        assertThat(program.gradient(source).entries()).containsExactly(2, 20, 0);
        rows[0] = 2;
        rows[1] = -1;
        program.forward();
        program.backward(loss);
        assertThat(program.get(loss, 0)).isEqualTo(6);
        assertThat(program.gradient(source).entries()).containsExactly(0, 0, 2);
    }

    /** Views of a weight that begin at one row and end at different ones are not one weight. */
    @Test
    void weightViewsThatBeginAlikeKeepTheirGradientsApart() {
        Graph graph = new Graph();
        Tensor weights = graph.parameter(2, 1);
        Tensor whole = graph.product(graph.constant(Matrix.of(1, 2, 3, 5)), weights);
        Tensor upper = graph.product(graph.constant(Matrix.of(1, 1, 7)), weights.rows(0, 1));
        Tensor loss = graph.add(whole, 1, upper);
        Program program = graph.compile(Precision.FLOAT64);
        program.forward();
        program.backward(loss);
        assertThat(program.gradient(weights).entries()).containsExactly(10, 5);
    }

    @Test
    void aNanInOneStepDoesNotOutliveIt() {
        Leaves leaves = Leaves.right(2);
        Tensor loss = leaves.weightedSum(OperationCase.DENSE_TWICE.record(leaves));
        Program program = leaves.program(Precision.FLOAT32);
        program.forward();
        program.backward(loss);
        Tensor first = leaves.tensors().getFirst();
        double[] numbers = program.get(first).entries();
        double[] before = program.gradient(first).entries();
        program.set(first, 0, Double.NaN);
        program.forward();
        program.backward(loss);
        assertThat(program.get(loss, 0)).isNaN();
        program.set(first, numbers);
        program.forward();
        program.backward(loss);
        assertThat(program.gradient(first).entries()).isEqualTo(before);
    }

    @Test
    void programsOfOneGraphDoNotShareNumbers() {
        Graph graph = new Graph();
        Tensor input = graph.input(1, 1);
        Tensor constant = graph.constant(Matrix.of(1, 1, 1.0 / 3));
        Tensor sum = graph.add(input, 1, constant);
        Program single = graph.compile(Precision.FLOAT32);
        Program doubled = graph.compile(Precision.FLOAT64);
        single.set(input, 0, 1);
        single.forward();
        doubled.forward();
        assertThat(single.get(sum, 0)).isEqualTo(1 + (float) (1.0 / 3));
        assertThat(doubled.get(sum, 0)).isEqualTo(1.0 / 3);
    }

    @ParameterizedTest
    @EnumSource
    void theProductsOfOneStepCanBeRunAlone(Precision precision) {
        Graph graph = new Graph();
        Tensor input = graph.differentiableInput(2, 3);
        Tensor output = graph.product(input, graph.parameter(3, 5));
        Tensor loss = graph.innerProduct(1, output, output);
        Program program = graph.compile(precision);
        for (int call = 0; call < 2; call++) {
            List<BoundGemm> products = program.products(loss); // forward, gradient of the input, of the weights
            assertThat(products)
                    .hasSize(3)
                    .allSatisfy(product -> assertThat(product.flops()).isEqualTo(2 * 2 * 3 * 5));
            products.forEach(product -> product.run(false));
        }
    }

    @Test
    void anEmptyGraphRuns() {
        Program program = new Graph().compile(Precision.FLOAT64);
        program.forward();
        assertThat(program.parameterCount()).isZero();
    }

    @Test
    void wrongArgumentsAreRefused() {
        Graph graph = new Graph();
        Tensor weights = graph.parameter(2, 2);
        Tensor loss = graph.innerProduct(1, weights, weights);
        Tensor last = graph.add(loss, 1, loss);
        Program program = graph.compile(Precision.FLOAT64);
        assertThatThrownBy(() -> program.backward(weights))
                .hasMessage("Program.backward: the loss has shape (2, 2), expected (1, 1)");
        assertThatThrownBy(() -> program.backward(loss))
                .hasMessage("Program.backward: the loss is not the last recorded result; record it last");
        assertThatThrownBy(() -> program.backward(last))
                .hasMessage("Program.backward: no forward pass since the last backward pass; run forward first");
        program.forward();
        program.backward(last.shaped(1, 1));
        assertThatThrownBy(() -> program.backward(last)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> backwardFromPartOfTheLastResult())
                .hasMessage("Program.backward: the loss is not the last recorded result; record it last");
        assertThatThrownBy(() -> program.set(weights, new double[3]))
                .hasMessage("Program.set: 3 numbers for a tensor of shape (2, 2)");
        assertThatThrownBy(() -> program.setMoments(new double[4], new double[3]))
                .hasMessage("Program.setMoments: 4 and 3 moments for 4 parameters");
    }

    private static void backwardFromPartOfTheLastResult() {
        Graph graph = new Graph();
        Tensor sums = graph.product(graph.parameter(2, 1), graph.parameter(1, 1));
        graph.compile(Precision.FLOAT64).backward(sums.rows(0, 1));
    }

    /** A square that cannot be differentiated. */
    private static final Pointwise UNDIFFERENTIABLE = new Pointwise() {
        @Override
        public double value(double z) {
            return z * z;
        }

        @Override
        public double first(double z) {
            throw new UnsupportedOperationException("first");
        }

        @Override
        public double second(double z) {
            throw new UnsupportedOperationException("second");
        }

        @Override
        public void values(double[] numbers, double[] scratch, double[] more, int from, int to) {
            for (int i = from; i < to; i++) {
                numbers[i] = value(numbers[i]);
            }
        }
    };

    @Test
    void derivativesAreComputedOnlyForABackwardPassOrTangents() {
        Graph values = new Graph();
        Tensor weights = values.parameter(1, 2);
        Tensor squares = values.apply(UNDIFFERENTIABLE, Jet.of(weights)).stacked();
        Program program = values.compile(Precision.FLOAT64);
        program.set(weights, new double[] {2, -3});
        program.forward();
        assertThat(program.get(squares).entries()).containsExactly(4, 9);

        Graph loss = new Graph();
        loss.apply(UNDIFFERENTIABLE, Jet.of(loss.parameter(1, 1)));
        assertThatThrownBy(loss.compile(Precision.FLOAT64)::forward).hasMessage("first");

        Graph tangents = new Graph();
        tangents.apply(UNDIFFERENTIABLE, Jet.of(tangents.parameter(2, 2), new int[] {-1, 0}));
        assertThatThrownBy(tangents.compile(Precision.FLOAT64)::forward).hasMessage("first");
    }
}
