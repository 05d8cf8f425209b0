package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.lie.GroupWord;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;

class DiscoveryTest {
    private static final int INPUTS = 3;

    private final SplittableRandom random = new SplittableRandom(5);
    private final double[] inputs = normal(INPUTS * 2);

    private double[] normal(int count) {
        return random.doubles(count).map(_ -> random.nextGaussian()).toArray();
    }

    /** A block with a skip, which no dense network is. */
    private Model model() {
        ModelBuilder builder = Model.builder();
        Layers layers = new Layers(builder);
        Value x = builder.input("x", INPUTS, 2);
        Value up = builder.parameter("up", Dimensions.of(4, 2), Numbers.of(normal(8)));
        Value down = builder.parameter("down", Dimensions.of(2, 4), Numbers.of(normal(8)));
        builder.output(
                "y", builder.plus(x, layers.linear(builder.apply(Clamp.RELU, layers.linear(x, up, null)), down, null)));
        return builder.build();
    }

    private Discovery discovery(Model model) {
        return Discovery.of(model)
                .moving("up", "down")
                .protecting(Map.of("x", inputs))
                .training(ObjectiveKind.HYBRID, Recipe.DEFAULT.withSteps(60));
    }

    @Test
    void aSkipAndAReluAreLearnedInMemoryAndTheModelComputesWhatTheTargetSays() {
        Model model = model();
        double[] shares = new double[1];
        Discovery.Discovered found =
                discovery(model).seed(7).progress(share -> shares[0] = share).run();
        assertThat(shares).containsExactly(1);
        double[] moved = found.action().apply(GroupWord.exp(0.5), found.origin());
        assertThat(moved).hasSize(16).isNotEqualTo(found.origin());
        Model there = model.with(found.moving().tensors(moved));
        assertThat(there.run(Precision.FLOAT64, Map.of("x", inputs)).get("y"))
                .usingComparatorWithPrecision(1e-12)
                .containsExactly(found.problem()
                        .target()
                        .outputs(org.isoloss.linalg.Matrix.of(1, moved.length, moved))
                        .entries());
        assertThat(there.run(Precision.FLOAT64, Map.of("x", inputs)).get("y"))
                .isNotEqualTo(model.run(Precision.FLOAT64, Map.of("x", inputs)).get("y"));
    }

    @Test
    void theSameSeedGivesTheSameBitsAndAnotherOneOthers() {
        double[] first = discovery(model()).seed(7).run().origin();
        var again = new DiscoveryTest();
        assertThat(again.discovery(again.model()).seed(7).run().origin()).containsExactly(first);
        Model model = model();
        double[] origin = model.numbers("up");
        GroupWord word = GroupWord.exp(0.5);
        Discovery.Discovered seven = discovery(model).seed(7).run();
        double[] moved = seven.action().apply(word, seven.origin());
        Discovery.Discovered same = discovery(model).seed(7).run();
        assertThat(same.action().apply(word, same.origin())).containsExactly(moved);
        Discovery.Discovered other = discovery(model).seed(8).run();
        assertThat(other.action().apply(word, other.origin())).isNotEqualTo(moved);
        assertThat(model.numbers("up")).containsExactly(origin);
    }

    @Test
    void withoutProtectedInputsThereIsNothingToLearn() {
        assertThatThrownBy(() -> Discovery.of(model()).moving("up").run())
                .hasMessage("Discovery: nothing is protected; give inputs by protecting(...)");
    }
}
