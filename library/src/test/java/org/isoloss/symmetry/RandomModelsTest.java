package org.isoloss.symmetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RandomModelsTest {
    static LongStream seeds() {
        return LongStream.rangeClosed(200_001, 200_026).filter(seed -> seed != 200_022); // which takes half a minute
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void familiesExplainWhatTheJacobianLeaves(long seed) {
        Symmetries found = Symmetries.of(RandomModels.of(seed).model(), List.of(), seed);
        assertThat(found.rank()).isEqualTo(found.nullity());
        assertThat(found.families())
                .allSatisfy(family -> assertThat(family.verified()).isLessThanOrEqualTo(Symmetries.EXACT));
    }

    @Test
    void sameSeedGivesTheSameModel() {
        RandomModels.Drawn first = RandomModels.of(7);
        RandomModels.Drawn second = RandomModels.of(7);
        assertThat(second.operations()).isEqualTo(first.operations());
        assertThat(second.model().parameters().keySet())
                .isEqualTo(first.model().parameters().keySet())
                .allSatisfy(name -> assertThat(second.model().numbers(name))
                        .containsExactly(first.model().numbers(name)));
        assertThat(RandomModels.of(8).operations()).isNotEqualTo(first.operations());
    }

    @Test
    void everyOperationIsDrawn() {
        Set<String> drawn = new TreeSet<>();
        LongStream.rangeClosed(300_001, 300_400).forEach(seed -> {
            RandomModels.Drawn model = RandomModels.of(seed);
            assertThat(model.model().parameterCount()).isBetween(1L, (long) RandomModels.MOST_PARAMETERS);
            drawn.addAll(model.operations());
        });
        assertThat(drawn)
                .containsExactly(
                        "GELU",
                        "GRU",
                        "LSTM",
                        "RMS norm",
                        "ReLU",
                        "SiLU",
                        "attention",
                        "attention with biases",
                        "attention without biases",
                        "average pooling",
                        "batch norm",
                        "causal mask",
                        "concatenation",
                        "convolution 1-d",
                        "convolution 2-d",
                        "dense",
                        "dense without bias",
                        "depthwise",
                        "embedding",
                        "flatten",
                        "gated product",
                        "groups",
                        "identity",
                        "largest pooling",
                        "layer norm",
                        "leaky ReLU",
                        "mean over places",
                        "norm without epsilon",
                        "padding",
                        "position table",
                        "recurrence with ReLU",
                        "recurrence with tanh",
                        "residual sum",
                        "rotary positions",
                        "several outputs",
                        "shared keys",
                        "sigmoid",
                        "sine",
                        "softmax",
                        "softplus",
                        "squared ReLU",
                        "strides",
                        "tanh",
                        "tied embedding",
                        "tied weights: a layer after itself",
                        "tied weights: residual blocks",
                        "tied weights: there and back");
    }

    /** One unit is never active, one always, one on some inputs. */
    @Test
    void unitsOnOneSideAreCounted() {
        ModelBuilder builder = Model.builder();
        Value shifts = builder.parameter("shifts", Dimensions.of(3), Numbers.of(-100, 100, 0.5));
        Value sums = builder.plus(builder.input("x", 4, 3), shifts);
        builder.output("y", builder.apply(Clamp.RELU, sums));
        assertThat(new RandomModels.Drawn(builder.build(), Set.of("ReLU"), Map.of(sums, 1)).unitsOnOneSide(1))
                .isEqualTo(2);
    }
}
