package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.isoloss.autodiff.Precision;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values that are computed a tile at a time are what they are when each is computed whole. */
class TiledGroupTest {
    private static final SplittableRandom RANDOM = new SplittableRandom(5);

    private final ModelBuilder builder = Model.builder();
    private final Layers layers = new Layers(builder);
    private final List<Value> inputs = new ArrayList<>();

    private Value input(int... shape) {
        Value input = builder.input("x" + inputs.size(), shape);
        inputs.add(input);
        return input;
    }

    private List<Value> made(String what) {
        return switch (what) {
            case "norm, bias and activation" -> {
                Value states = builder.plus(input(3, 171, 260), input(260));
                Value normed = layers.layerNorm(states, 2, input(260), input(260), 1e-5);
                yield List.of(states, builder.apply(Activation.GELU, normed));
            }
            case "attention of grouped heads" -> {
                Value visible = builder.apply(Elementary.SIGN, input(100, 131));
                Value scores = builder.contract("atkgd,askd->akgts", input(2, 100, 3, 2, 8), input(2, 131, 3, 8));
                Value kept = builder.select(visible, builder.scaled(0.3, scores), builder.constant(-1e9));
                Value weights = layers.softmax(kept, 4);
                Value mixed = builder.contract("akgts,askd->atkgd", weights, input(2, 131, 3, 8));
                yield List.of(builder.reshape(mixed, Dimensions.of(2, 100, 48)));
            }
            case "halves of heads" -> {
                Value heads = builder.reshape(builder.scaled(2, input(190, 6 * 128)), Dimensions.of(190, 6, 128));
                Value turned = builder.concatenate(
                        List.of(
                                builder.product(builder.slice(heads, 2, 64, 64), input(190, 1, 64)),
                                builder.slice(heads, 2, 0, 64)),
                        2);
                Value sum = builder.plus(turned, heads);
                yield List.of(builder.plus(sum, builder.scaled(0.5, sum)), turned, heads, sum);
            }
            case "square with its transpose" -> {
                Value square = builder.apply(Elementary.EXP, builder.scaled(0.1, input(2, 300, 300)));
                Value both = builder.plus(square, builder.transpose(square, 0, 2, 1));
                yield List.of(builder.product(both, square), builder.sumOver(both, List.of(1)));
            }
            case "sums over leading axes" -> {
                Value states = builder.product(input(500, 1100), input(1100));
                Value sums = builder.sumOver(builder.apply(Activation.SILU, states), List.of(0));
                yield List.of(builder.plus(sums, input(1100)), builder.minus(states, sums));
            }
            case "two axes of one" -> {
                Value row = builder.scaled(2, input(700));
                Value column = builder.reshape(row, Dimensions.of(700, 1));
                yield List.of(builder.scaled(3, builder.product(builder.product(row, column), input(700, 700))));
            }
            default -> {
                Value states = builder.scaled(0.5, input(4, 260, 300));
                Value wide = builder.stretched(builder.sumOver(states, List.of(2)), Dimensions.of(4, 4, 260));
                Value largest = builder.largestPlace(states, List.of(1));
                Value flat = builder.reshape(builder.product(states, largest), Dimensions.of(1040, 300));
                yield List.of(builder.scaled(2, builder.product(flat, input(1040, 1))), wide);
            }
        };
    }

    static Stream<String> computesWhatItComputesWhole() {
        return Stream.of(
                "norm, bias and activation",
                "attention of grouped heads",
                "halves of heads",
                "square with its transpose",
                "sums over leading axes",
                "two axes of one",
                "reshapes and others");
    }

    @ParameterizedTest
    @MethodSource
    void computesWhatItComputesWhole(String what) {
        List<Value> results = made(what);
        List<double[]> numbers = inputs.stream()
                .map(input -> RANDOM.doubles(input.shape().count(), -1, 1).toArray())
                .toList();
        for (Precision precision : Precision.values()) {
            List<Value> steps = new ArrayList<>();
            List<double[]> whole = run(precision, results, numbers, false, steps);
            int each = steps.size();
            List<double[]> tiled = run(precision, results, numbers, true, steps);
            assertThat(steps.size() - each).as("steps in groups").isLessThan(each);
            for (int i = 0; i < whole.size(); i++) {
                double unit = precision == Precision.FLOAT32 ? 1e-5 : 1e-13;
                assertThat(difference(tiled.get(i), whole.get(i))).isLessThanOrEqualTo(unit);
            }
        }
    }

    private static double difference(double[] found, double[] expected) {
        double largest = 0;
        for (int i = 0; i < expected.length; i++) {
            largest = Math.max(largest, Math.abs(found[i] - expected[i]) / (1 + Math.abs(expected[i])));
        }
        return largest;
    }

    private List<double[]> run(
            Precision precision, List<Value> results, List<double[]> numbers, boolean tiled, List<Value> computed) {
        var schedule = new Schedule(List.of(Execution.order(results, Set.of())), results, Set.of(), Set.of(), tiled);
        Memory memory = precision == Precision.FLOAT32 ? new Float32Memory() : new Float64Memory();
        memory.allocate(schedule.size());
        List<Runnable> kernels = schedule.bind(memory, computed);
        for (int i = 0; i < inputs.size(); i++) {
            memory.set(inputs.get(i), numbers.get(i), 0);
        }
        kernels.forEach(Runnable::run);
        List<double[]> found = new ArrayList<>();
        for (Value result : results) {
            double[] copy = new double[result.shape().count()];
            memory.copyTo(result, copy, 0);
            found.add(copy);
        }
        return found;
    }

    @Test
    void hasTheSameBitsOnAnyNumberOfThreads() {
        List<Value> results = made("attention of grouped heads");
        Execution execution = Execution.of(Precision.FLOAT32, results);
        for (Value input : inputs) {
            execution.set(input, RANDOM.doubles(input.shape().count(), -1, 1).toArray());
        }
        double[] usual = null;
        for (int threads = 1; threads <= 4; threads++) {
            try (var pool = new ForkJoinPool(threads)) {
                pool.submit(execution::run).join();
            }
            double[] found = execution.get(results.getFirst());
            usual = usual == null ? found : usual;
            assertThat(Arrays.equals(found, usual)).isTrue();
        }
    }
}
