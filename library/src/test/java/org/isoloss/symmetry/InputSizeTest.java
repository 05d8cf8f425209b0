package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.OutputComparison;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random inputs are of a size at which outputs depend on all weights, or a check on them could not fail. */
class InputSizeTest {
    @Test
    void anOrdinaryNetworkHasInputsOfSizeOne() {
        assertThat(size(gated(1))).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {300, 3e4})
    void aSaturatedGateGetsSmallerInputs(double factor) {
        assertThat(size(gated(factor))).isLessThan(40 / factor);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 300, 3e4})
    void aChangeOfWeightsBehindAGateIsSeen(double factor) {
        Model model = gated(factor);
        double[] weights = model.numbers("inner");
        Model other = model.with(Map.of(
                "inner", Arrays.stream(weights).map(weight -> 1.01 * weight).toArray()));

        assertThat(new OutputComparison(model, RandomInputs.of(model, 2, 1)).change(other))
                .isGreaterThan(1e-5);
    }

    @Test
    void inputsOfSizeOneWouldNotSeeIt() {
        Model model = gated(3e4);
        double[] weights = model.numbers("inner");
        Model other = model.with(Map.of(
                "inner", Arrays.stream(weights).map(weight -> 1.01 * weight).toArray()));

        assertThat(new OutputComparison(model, List.of(Map.of("x", normal(4, 2)))).change(other))
                .isZero();
    }

    @Test
    void aSmallOutputIsNotLostBesideALargeOne() {
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 1, 4);
        Value weight = builder.parameter("weight", Dimensions.of(4, 1), Numbers.of(normal(4, 3)));
        builder.output("large", builder.scaled(1e6, x));
        builder.output("small", builder.scaled(1e-12, builder.contract("ij,jk->ik", x, weight)));
        Model model = builder.build();
        Model other = model.with(Map.of("weight", normal(4, 5)));

        assertThat(new OutputComparison(model, RandomInputs.of(model, 2, 1)).change(other))
                .isGreaterThan(0.01);
    }

    private static double size(Model model) {
        return InputSize.of(model, Map.of("x", normal(4, 2)), Set.of("x"));
    }

    /** tanh(factor inner x) read by a head. */
    private static Model gated(double factor) {
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 1, 4);
        double[] inner =
                Arrays.stream(normal(12, 1)).map(number -> factor * number).toArray();
        Value weight = builder.parameter("inner", Dimensions.of(4, 3), Numbers.of(inner));
        Value gate = builder.apply(Activation.TANH, builder.contract("ij,jk->ik", x, weight));
        Value head = builder.parameter("head", Dimensions.of(3, 1), Numbers.of(normal(3, 4)));
        builder.output("y", builder.contract("ij,jk->ik", gate, head));
        return builder.build();
    }

    private static double[] normal(int count, long seed) {
        var random = new SplittableRandom(seed);
        double[] numbers = new double[count];
        Arrays.setAll(numbers, _ -> random.nextGaussian());
        return numbers;
    }
}
