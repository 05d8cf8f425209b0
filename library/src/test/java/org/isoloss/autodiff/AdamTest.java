package org.isoloss.autodiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.isoloss.network.GoldenRows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AdamTest {
    private static final int COUNT = 5;

    private final Adam adam = new Adam(10);

    /** Weights whose gradient is whatever the input says. */
    private static final class Weights {
        private final Graph graph = new Graph();
        private final Tensor weights = graph.parameter(1, COUNT);
        private final Tensor gradient = graph.input(1, COUNT);
        private final Tensor loss = graph.innerProduct(1, weights, gradient);
        private final Program program;

        Weights(Precision precision, double... start) {
            program = graph.compile(precision);
            program.set(weights, start);
        }

        double step(Adam adam, int number, double rate, double... gradients) {
            program.set(gradient, gradients);
            program.forward();
            program.backward(loss);
            return adam.update(program, number, rate);
        }

        double[] numbers() {
            return program.get(weights).entries();
        }
    }

    /** The constants 1e-8 and 1e-30 are far below these gradients; float32 rounds each step to 6e-8 of the weight. */
    @ParameterizedTest
    @EnumSource
    void stepsAreThoseOfTorch(Precision precision) {
        assertThat(distanceToTorch(precision, 1)).isLessThan(precision == Precision.FLOAT64 ? 1e-14 : 1e-6);
    }

    @Test
    void aGradientOfTheWrongSignIsSeen() {
        assertThat(distanceToTorch(Precision.FLOAT64, -1)).isGreaterThan(1e-3);
    }

    private double distanceToTorch(Precision precision, double sign) {
        GoldenRows torch = GoldenRows.read(AdamTest.class, "adam.csv");
        Weights weights = new Weights(precision, torch.one("start"));
        int number = 0;
        double distance = 0;
        for (double[] step : torch.all("step")) {
            number++;
            double[] gradient = Arrays.copyOfRange(step, 1, 1 + COUNT);
            gradient[0] *= sign;
            weights.step(adam, number, step[0], gradient);
            for (int i = 0; i < COUNT; i++) {
                distance = Math.max(distance, Math.abs(weights.numbers()[i] - step[1 + COUNT + i]));
            }
        }
        assertThat(number).isEqualTo(12);
        return distance;
    }

    @ParameterizedTest
    @EnumSource
    void theNormBeforeClippingIsReturned(Precision precision) {
        Weights weights = new Weights(precision, new double[COUNT]);
        assertThat(weights.step(adam, 1, 1e-3, 0, 30, 0, -40, 0)).isEqualTo(50);
    }

    /** One step forgets the size of the gradient, a second one does not: 5 and then 50, clipped to 10, is not 5 and 5. */
    @Test
    void onlyNormsAboveTheLimitAreClipped() {
        Weights clipped = new Weights(Precision.FLOAT64, new double[COUNT]);
        clipped.step(adam, 1, 1e-3, 0, 3, 0, -4, 0);
        clipped.step(adam, 2, 1e-3, 0, 30, 0, -40, 0);
        Weights expected = new Weights(Precision.FLOAT64, new double[COUNT]);
        Adam without = new Adam(Double.POSITIVE_INFINITY);
        expected.step(without, 1, 1e-3, 0, 3, 0, -4, 0);
        expected.step(without, 2, 1e-3, 0, 6, 0, -8, 0);
        for (int i = 0; i < COUNT; i++) {
            assertThat(Math.abs(clipped.numbers()[i] - expected.numbers()[i])).isLessThan(1e-17);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aGradientThatIsNotFiniteChangesNothing(Precision precision) {
        Weights weights = new Weights(precision, 1, 2, 3, 4, 5);
        weights.step(adam, 1, 1e-3, 1, 1, 1, 1, 1);
        double[] before = weights.numbers();
        double[] moments = weights.program.moments(true);
        assertThat(weights.step(adam, 2, 1e-3, 1, Double.NaN, 1, 1, 1)).isNaN();
        assertThat(weights.step(adam, 2, 1e-3, 1, 1, Double.NEGATIVE_INFINITY, 1, 1))
                .isInfinite();
        assertThat(weights.numbers()).isEqualTo(before);
        assertThat(weights.program.moments(true)).isEqualTo(moments);
    }

    /** The floor under the moments moves a weight without a gradient by at most 1e-21 times the rate. */
    @ParameterizedTest
    @EnumSource
    void withoutAGradientNothingMoves(Precision precision) {
        Weights weights = new Weights(precision, new double[COUNT]);
        for (int step = 1; step <= 100; step++) {
            weights.step(adam, step, 1, new double[COUNT]);
        }
        for (double weight : weights.numbers()) {
            assertThat(Math.abs(weight)).isLessThan(100 * 1.001e-21);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anotherProgramGoesOnFromWeightsAndMoments(Precision precision) {
        double[][] gradients = {{1, -2, 3, 0.1, 0}, {0.5, 1, -1, 7, 1e-9}, {-1, 1, 2, 3, 30}};
        Weights one = new Weights(precision, 1, 2, 3, 4, 5);
        assertThat(one.program.moments(false)).containsOnly(0).hasSize(COUNT);
        for (int step = 1; step <= 2; step++) {
            one.step(adam, step, 1e-2, gradients[step - 1]);
        }
        Weights other = new Weights(precision, one.numbers());
        other.program.setMoments(one.program.moments(false), one.program.moments(true));
        one.step(adam, 3, 1e-2, gradients[2]);
        other.step(adam, 3, 1e-2, gradients[2]);
        assertThat(other.numbers()).isEqualTo(one.numbers());
        assertThat(other.program.moments(false)).isEqualTo(one.program.moments(false));
        assertThat(other.program.moments(true)).isEqualTo(one.program.moments(true));
    }

    @Test
    void aLimitThatIsNotPositiveIsRefused() {
        assertThatThrownBy(() -> new Adam(0)).hasMessage("Adam: clipNorm must be positive, got 0.0");
        assertThatThrownBy(() -> new Adam(Double.NaN)).hasMessage("Adam: clipNorm must be positive, got NaN");
    }
}
