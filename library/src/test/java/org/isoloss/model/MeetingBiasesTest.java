package org.isoloss.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

/** Biases of which only the sum counts, and biases that look like it. */
class MeetingBiasesTest {
    private static final int HIDDEN = 3;
    private static final int LENGTH = 4;

    private final SplittableRandom random = new SplittableRandom(1);
    private final ModelBuilder builder = Model.builder();
    private final Value x = builder.input("x", LENGTH, 2, 2);

    private Value parameter(String name, int... shape) {
        Dimensions dimensions = Dimensions.of(shape);
        double[] numbers = new double[dimensions.count()];
        Arrays.setAll(numbers, _ -> random.nextGaussian());
        return builder.parameter(name, dimensions, Numbers.of(numbers));
    }

    private Value zeros() {
        return builder.constant(Dimensions.of(2, HIDDEN), Numbers.of(new double[2 * HIDDEN]));
    }

    private UnaryOperator<Value> function(Activation activation) {
        return value -> builder.apply(activation, value);
    }

    private Recurrence.Weights weights(int gates) {
        return new Recurrence.Weights(
                parameter("input", gates * HIDDEN, 2),
                parameter("hidden", gates * HIDDEN, HIDDEN),
                parameter("first", gates * HIDDEN),
                parameter("second", gates * HIDDEN));
    }

    private void lstm(Recurrence.Weights weights) {
        builder.output(
                "y",
                new Recurrence(builder)
                        .lstm(
                                x,
                                weights,
                                zeros(),
                                zeros(),
                                null,
                                false,
                                function(Activation.SIGMOID),
                                function(Activation.TANH),
                                function(Activation.TANH))
                        .states());
    }

    private List<FreeShift.Opposed> found() {
        Model model = builder.build();
        return FreeShift.of(model).stream()
                .filter(FreeShift.Opposed.class::isInstance)
                .map(FreeShift.Opposed.class::cast)
                .toList();
    }

    private static List<Integer> first(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void bothBiasesOfALongShortTermMemoryAreOne() {
        lstm(weights(4));

        assertThat(found()).containsExactly(new FreeShift.Opposed("first", first(12), "second", first(12), 1));
    }

    /** The state's bias of the content is behind the reset gate. */
    @Test
    void aGatedUnitKeepsTheTwoOfItsContentApart() {
        builder.output(
                "y",
                new Recurrence(builder)
                        .gru(
                                x,
                                weights(3),
                                zeros(),
                                false,
                                true,
                                function(Activation.SIGMOID),
                                function(Activation.TANH))
                        .states());

        assertThat(found()).containsExactly(new FreeShift.Opposed("first", first(6), "second", first(6), 1));
    }

    @Test
    void aBiasThatSomethingElseReadsStays() {
        Recurrence.Weights weights = weights(4);
        lstm(weights);
        Value second = builder.slice(Objects.requireNonNull(weights.hiddenBias()), 0, 0, HIDDEN);
        builder.output("z", builder.apply(Activation.TANH, second));

        assertThat(found())
                .containsExactly(new FreeShift.Opposed(
                        "first",
                        IntStream.range(HIDDEN, 12).boxed().toList(),
                        "second",
                        IntStream.range(HIDDEN, 12).boxed().toList(),
                        1));
    }

    /** Each is used in both sums, with factors in another proportion: two sums tell them apart. */
    @Test
    void twoDifferentSumsTellThemApart() {
        twoSums(2, 3);
        assertThat(found()).isEmpty();
    }

    @Test
    void proportionalSumsDoNot() {
        twoSums(2, 4);
        assertThat(found())
                .containsExactly(new FreeShift.Opposed("first", first(HIDDEN), "second", first(HIDDEN), 0.5));
    }

    /** tanh(W x + first + 2 second) and tanh(W x + factor first + other second), where factor is 1 or 2. */
    private void twoSums(double factor, double other) {
        Value product = builder.contract("tbi,hi->tbh", x, parameter("input", HIDDEN, 2));
        Value one = parameter("first", HIDDEN);
        Value two = parameter("second", HIDDEN);
        BiConsumer<String, Value> put = (name, sum) -> builder.output(name, builder.apply(Activation.TANH, sum));
        put.accept("y", builder.sum(List.of(1.0, 1.0, 2.0), List.of(product, one, two)));
        put.accept("z", builder.sum(List.of(1.0, factor, other), List.of(product, one, two)));
    }

    /** A sum of two parameters that is itself used twice. */
    @Test
    void aSumOfParametersCountsOnce() {
        Value product = builder.contract("tbi,hi->tbh", x, parameter("input", HIDDEN, 2));
        Value sum = builder.plus(parameter("first", HIDDEN), parameter("second", HIDDEN));
        builder.output("y", builder.apply(Activation.TANH, builder.plus(product, sum)));
        builder.output("z", builder.apply(Activation.TANH, builder.minus(product, sum)));

        assertThat(found()).containsExactly(new FreeShift.Opposed("first", first(3), "second", first(3), 1));
    }

    /** What is found changes nothing, in float64, far from where the biases are. */
    @Test
    void aShiftIsNotSeen() {
        lstm(weights(4));
        Model model = builder.build();
        double[] one = model.numbers("first").clone();
        double[] two = model.numbers("second").clone();
        for (int i = 0; i < one.length; i++) {
            one[i] += i - 3;
            two[i] -= i - 3;
        }
        double[] input = new double[LENGTH * 4];
        Arrays.setAll(input, _ -> random.nextGaussian());
        var outputs = new OutputComparison(model, List.of(Map.of("x", input)));

        assertThat(outputs.change(model.with(Map.of("first", one, "second", two))))
                .isLessThan(1e-14);
        assertThat(outputs.change(model.with(Map.of("first", one)))).isGreaterThan(0.1);
    }
}
