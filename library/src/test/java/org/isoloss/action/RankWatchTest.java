package org.isoloss.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drops of rank that are planted on a path, and places where a singular value only comes near to zero. */
class RankWatchTest {
    /**
     * {@code F(w, y, z) = (w, y g(z))}, whose Jacobian at y = 0 has the singular values 1 and |g(z)|. Along y = 0 the field
     * {@code d/dz} needs no projection, so that the integrator goes as far as it may in one step.
     */
    private record Planted(DoubleUnaryOperator factor) implements DifferentiableTarget {
        static FlowPath follow(double time, double from, DoubleUnaryOperator factor) {
            return FlowAction.of(new Planted(factor), VectorField.constant(0, 0, 1))
                    .follow(time, new double[] {1, 0, from});
        }

        @Override
        public int parameterCount() {
            return 3;
        }

        @Override
        public int outputCount() {
            return 2;
        }

        @Override
        public Matrix jacobian(double[] point) {
            double h = 1e-6;
            double slope =
                    (factor.applyAsDouble(point[2] + h) - factor.applyAsDouble(point[2] - h)) / (2 * h) * point[1];
            return Matrix.of(2, 3, 1, 0, 0, 0, factor.applyAsDouble(point[2]), slope);
        }

        @Override
        public Matrix outputs(Matrix parameters) {
            throw new UnsupportedOperationException("a flow asks for Jacobians only");
        }

        @Override
        public Jet record(Graph graph, Jet parameters) {
            throw new UnsupportedOperationException("a flow asks for Jacobians only");
        }
    }

    /** y z^n through z = 0, at twenty places inside the path, forwards and backwards. */
    @ParameterizedTest(name = "order {0}")
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 8})
    void dropsOfEvenAndOddOrderAreFound(int order) {
        var random = new SplittableRandom(order);
        for (int i = 0; i < 20; i++) {
            double time = (random.nextBoolean() ? 1 : -1) * random.nextDouble(0.5, 3);
            double place = random.nextDouble(0.01, 0.99) * time;
            FlowPath path = Planted.follow(time, -place, z -> Math.pow(z, order));
            // |z|^n is 1e-8 of the largest singular value at the start, 1 or place^n
            double early = 1.001 * Math.pow(1e-8, 1.0 / order) * Math.max(1, Math.abs(place));
            if (path.rank() < 2) {
                assertThat(Math.abs(place)).isLessThan(early);
                continue;
            }
            assertThat(path.outcome()).as("t = %s, zero at %s", time, place).isEqualTo(FlowPath.Outcome.RANK_CHANGED);
            assertThat(path.rankThere()).isEqualTo(1);
            assertThat(Math.abs(path.time())).isBetween(Math.abs(place) - early, Math.abs(place) + 1e-9);
        }
    }

    /** The two ends of the only step have the same Jacobian. */
    @Test
    void aDropInTheMiddleOfAStepIsFound() {
        FlowPath path = Planted.follow(2, -1, z -> z * z);
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.RANK_CHANGED);
        assertThat(path.time()).isCloseTo(1, within(1.1e-4));
        assertThat(path.rank()).isEqualTo(2);
        assertThat(path.rankThere()).isEqualTo(1);
        assertThat(path.singularValues()[1]).isLessThan(1e-8);
    }

    /** sin(w z)^2 vanishes many times in a step; the first time counts. */
    @ParameterizedTest(name = "w = {0}")
    @ValueSource(doubles = {1, 3.1, 10, 31, 100, 310})
    void theFirstOfManyDropsIsFound(double frequency) {
        double from = 0.7 / frequency;
        FlowPath path = Planted.follow(3.5, from, z -> Math.pow(Math.sin(frequency * z), 2));
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.RANK_CHANGED);
        assertThat(path.time()).isCloseTo(Math.PI / frequency - from, within(1.1e-4 / frequency));
    }

    /** A dip of a twentieth of the path and more. */
    @ParameterizedTest(name = "width {0}")
    @ValueSource(doubles = {0.05, 0.1, 0.3, 1})
    void aDipInAConstantIsFound(double width) {
        for (int i = 1; i < 40; i++) {
            double place = 0.05 * i;
            FlowPath path = Planted.follow(2, 0, z -> -Math.expm1(-Math.pow((z - place) / width, 2)));
            assertThat(path.outcome()).as("at %s", place).isEqualTo(FlowPath.Outcome.RANK_CHANGED);
            assertThat(path.time()).isCloseTo(place, within(1.1e-4 * width));
        }
    }

    /** The least singular value is above 1e-8 of the largest, however little. */
    @ParameterizedTest(name = "order {0}, least {1}")
    @CsvSource({"2, 1e-1", "2, 1e-4", "2, 1e-6", "2, 2e-8", "4, 1e-3", "4, 2e-8", "6, 1e-6"})
    void aNearMissIsNoDrop(int order, double least) {
        for (int i = 1; i < 20; i++) {
            double place = 0.1 * i + 0.003;
            double largest = Math.max(1, Math.pow(place, order) + least);
            FlowPath path = Planted.follow(2, 0, z -> Math.pow(z - place, order) + least * largest);
            assertThat(path.outcome()).as("at %s", place).isEqualTo(FlowPath.Outcome.ARRIVED);
            assertThat(path.rankThere()).isEqualTo(2);
        }
    }

    /** Looking inside costs as much as J is looked at: a constant one sixty-four times and some. */
    @Test
    void aSteadyPathCostsLittle() {
        int[] calls = {0};
        FlowPath path = Planted.follow(2, 0, z -> {
            calls[0]++;
            return 1;
        });
        assertThat(path.outcome()).isEqualTo(FlowPath.Outcome.ARRIVED);
        assertThat(calls[0] / 3).isBetween(64, 260);
    }
}
