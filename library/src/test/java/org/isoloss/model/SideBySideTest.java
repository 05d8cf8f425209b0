package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Points, directions and batches that are computed side by side give what each gives alone. */
class SideBySideTest {
    private static final int LENGTH = 3;
    private static final int WIDTH = 4;

    private final SplittableRandom random = new SplittableRandom(5);
    private final ModelBuilder builder = Model.builder();
    private ModelTarget target;

    private double[] normal(int count) {
        return random.doubles(count).map(_ -> random.nextGaussian()).toArray();
    }

    private Value parameter(String name, int... sizes) {
        Dimensions shape = Dimensions.of(sizes);
        return builder.parameter(name, shape, Numbers.of(normal(shape.count())));
    }

    private Value sigmoid(Value value) {
        Value raised = builder.apply(Elementary.EXP, builder.scaled(-1, value));
        return builder.apply(Power.RECIPROCAL, builder.plus(builder.constant(1), raised));
    }

    /** Words by index, a layer norm, one head of attention, an LSTM; batches of one. */
    @BeforeEach
    void build() {
        Layers layers = new Layers(builder);
        Value tokens = builder.input("tokens", LENGTH);
        Value words = builder.lookup(parameter("words", 5, WIDTH), tokens, 0);
        Value normed = layers.layerNorm(words, 1, parameter("scale", WIDTH), null, 1e-5);
        Dimensions heads = Dimensions.of(1, 1, LENGTH, WIDTH);
        Value keys = builder.reshape(layers.linear(normed, parameter("keys", WIDTH, WIDTH), null), heads);
        Value seen = layers.attention(keys, keys, builder.reshape(normed, heads), 0.5, null);
        Value rows = builder.reshape(seen, Dimensions.of(LENGTH, 1, WIDTH));
        Value zero = builder.zeros(Dimensions.of(1, 2));
        Recurrence.Weights weights = new Recurrence.Weights(
                parameter("input", 8, WIDTH), parameter("hidden", 8, 2), parameter("bias", 8), null);
        Recurrence.States states = new Recurrence(builder)
                .lstm(rows, weights, zero, zero, null, false, this::sigmoid, this::sigmoid, this::sigmoid);
        builder.output("states", states.states());
        builder.output("last", states.last());
        Moving moving = Moving.of(builder.build(), List.of("words[1:4]", "keys", "hidden[:, 1]", "bias"));
        List<Map<String, double[]>> batches =
                List.of(Map.of("tokens", new double[] {1, 3, 0}), Map.of("tokens", new double[] {2, 2, 4}));
        target = ModelTarget.of(moving, batches);
    }

    private Matrix points(int count) {
        Matrix points = Matrix.over(count, target.parameterCount(), normal(count * target.parameterCount()));
        System.arraycopy(target.origin(), 0, points.entries(), 0, target.parameterCount());
        return points;
    }

    @Test
    void outputsOfManyPointsAreThoseOfEach() {
        Matrix points = points(70); // more than are computed at once
        Matrix together = target.outputs(points);
        assertThat(together.columns()).isEqualTo(2 * (LENGTH * 2 + 2));
        for (int row = 0; row < points.rows(); row++) {
            Matrix alone = target.outputs(Matrix.of(1, points.columns(), points.row(row)));
            assertThat(together.row(row)).as("point %d", row).containsExactly(alone.row(0), within(1e-13));
        }
    }

    @Test
    void firstPointIsWhatTheModelComputes() {
        List<Double> expected = new ArrayList<>();
        for (double[] tokens : List.of(new double[] {1, 3, 0}, new double[] {2, 2, 4})) {
            target.moving()
                    .model()
                    .run(org.isoloss.autodiff.Precision.FLOAT64, Map.of("tokens", tokens))
                    .values()
                    .forEach(numbers -> Arrays.stream(numbers).forEach(expected::add));
        }
        assertThat(target.outputs(points(1)).row(0))
                .containsExactly(
                        expected.stream().mapToDouble(Double::doubleValue).toArray(), within(1e-14));
    }

    @Test
    void jacobianIsThatOfDifferencesAndProductsAreThoseWithIt() {
        double[] point = points(2).row(1);
        Matrix jacobian = target.jacobian(point);
        double step = 1e-5;
        for (int i = 0; i < point.length; i++) {
            double[] up = point.clone();
            double[] down = point.clone();
            up[i] += step;
            down[i] -= step;
            double[] above = target.outputs(Matrix.of(1, up.length, up)).row(0);
            double[] below = target.outputs(Matrix.of(1, up.length, down)).row(0);
            for (int row = 0; row < above.length; row++) {
                assertThat(jacobian.get(row, i))
                        .as("output %d, parameter %d", row, i)
                        .isCloseTo((above[row] - below[row]) / (2 * step), within(1e-8));
            }
        }
        Matrix directions = Matrix.over(80, point.length, normal(80 * point.length));
        int[] next = new int[1];
        Matrix products = target.products(
                point, 80, direction -> System.arraycopy(directions.row(next[0]++), 0, direction, 0, direction.length));
        Matrix expected = jacobian.times(directions.transpose());
        assertThat(products.entries()).containsExactly(expected.entries(), within(1e-12));
    }

    @Test
    void threadsDoNotDisturbEachOther() {
        Matrix points = points(40);
        Matrix expected = target.outputs(points);
        double[] jacobian = target.jacobian(points.row(3)).entries();
        IntStream.range(0, 32).parallel().forEach(i -> {
            assertThat(target.outputs(points).entries()).containsExactly(expected.entries());
            assertThat(target.jacobian(points.row(3)).entries()).containsExactly(jacobian);
        });
    }

    @Test
    void pointOfAnotherLengthIsRefused() {
        assertThatThrownBy(() -> target.outputs(Matrix.zeros(2, 3)))
                .hasMessage("ModelTarget: 3 moving parameters given, expected %d".formatted(target.parameterCount()));
    }

    @Test
    void movingOutputsAreThoseWithTheFirstTensorAlone() {
        CompensatedTarget split = new CompensatedTarget(target);
        Matrix points = points(3);
        double[] alone = points.row(2).clone();
        System.arraycopy(target.origin(), 12, alone, 12, alone.length - 12);
        double[] moving = target.outputs(Matrix.of(1, alone.length, alone)).row(0);
        assertThat(split.movingOutputs(points).row(2)).containsExactly(moving, within(1e-13));
        assertThat(split.movingOutputs(points)
                        .plus(split.compensatingOutputs(points))
                        .entries())
                .containsExactly(target.outputs(points).entries(), within(1e-13));
        assertThat(split.compensatingOutputs(points).row(0)).containsOnly(0);
        Moving one = Moving.of(target.moving().model(), List.of("keys"));
        ModelTarget single = ModelTarget.of(one, Map.of("tokens", new double[] {1, 3, 0}));
        assertThatThrownBy(() -> new CompensatedTarget(single))
                .hasMessage("CompensatedTarget: only one tensor moves, and nothing compensates");
    }
}
