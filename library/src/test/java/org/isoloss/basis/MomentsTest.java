package org.isoloss.basis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.basis.BasisGroup.Moments;
import org.isoloss.basis.Subgroup.Change;
import org.isoloss.basis.Subgroup.Kind;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.AxisClass;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;
import org.isoloss.source.HuggingFaceFolder;
import org.isoloss.symmetry.RandomInputs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MomentsTest {
    private static final double STEP = 1e-5;
    /** Central differences err by about the square of the step, and rounding over the step. */
    private static final double NEAR = 1e-6;

    private static HuggingFaceFolder opened(String family) throws IOException {
        return HuggingFaceFolder.open(
                Path.of("src", "test", "resources", "org", "isoloss", "source", family), Tying.AS_STORED);
    }

    /** A number that depends on all outputs. */
    private static double loss(Model model, Map<String, double[]> inputs) {
        double sum = 0;
        var random = new SplittableRandom(8);
        for (double[] output : model.run(Precision.FLOAT64, inputs).values()) {
            for (double number : output) {
                sum += number * (random.nextDouble() - 0.3);
            }
        }
        return sum;
    }

    /** The derivatives of {@link #loss} in some parameters, by central differences. */
    private static SequencedMap<String, Numbers> gradients(
            Model model, Map<String, double[]> inputs, Iterable<String> names) {
        SequencedMap<String, Numbers> gradients = new LinkedHashMap<>();
        for (String name : names) {
            double[] numbers = model.numbers(name).clone();
            double[] gradient = new double[numbers.length];
            for (int i = 0; i < numbers.length; i++) {
                double kept = numbers[i];
                numbers[i] = kept + STEP;
                double up = loss(model.with(Map.of(name, numbers.clone())), inputs);
                numbers[i] = kept - STEP;
                double down = loss(model.with(Map.of(name, numbers.clone())), inputs);
                numbers[i] = kept;
                gradient[i] = (up - down) / (2 * STEP);
            }
            gradients.put(name, Numbers.of(gradient));
        }
        return gradients;
    }

    /** What leaves the stream as it is. */
    private static List<Subgroup> apart(BasisGroup group) {
        return group.parts().stream()
                .filter(part -> part instanceof Change(AxisClass channels, Kind _)
                        && !channels.name().equals("the embedding"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"llama", "gemma"})
    void gradientsOfTheMovedModelAreThoseMoved(String family) throws IOException {
        try (HuggingFaceFolder opened = opened(family)) {
            Model model = opened.model(1, 5);
            BasisGroup group = new BasisGroup(model);
            List<String> names = model.parameters().keySet().stream()
                    .filter(name -> name.contains("layers.0."))
                    .toList();
            BasisElement element = group.drawn(apart(group), 6);
            Map<String, double[]> moved = new LinkedHashMap<>();
            group.tensors(element).forEach((name, numbers) -> moved.put(name, numbers.asFloat64()));
            assertThat(moved).containsKey("model.layers.0.self_attn.v_proj.weight");
            Map<String, double[]> inputs = RandomInputs.of(model, 1, 3).getFirst();
            Moments moments = group.moments(element, gradients(model, inputs, names), new LinkedHashMap<>());
            gradients(model.with(moved), inputs, names).forEach((name, gradient) -> {
                double[] expected = gradient.asFloat64();
                double[] actual =
                        Objects.requireNonNull(moments.first().get(name)).asFloat64();
                for (int i = 0; i < expected.length; i++) {
                    assertThat(actual[i]).as(name).isCloseTo(expected[i], within(NEAR));
                }
            });
        }
    }

    /** Orders, scales and signs take squares to squares. */
    @Test
    void squaresGoWithGradients() throws IOException {
        try (HuggingFaceFolder opened = opened("llama")) {
            Model model = opened.model(1, 5);
            BasisGroup group = new BasisGroup(model);
            List<Subgroup> chosen = apart(group).stream()
                    .filter(part -> part instanceof Change(AxisClass _, Kind kind) && kind != Kind.BASIS)
                    .toList();
            BasisElement element = group.drawn(chosen, 6);
            var random = new SplittableRandom(2);
            SequencedMap<String, Numbers> first = new LinkedHashMap<>();
            SequencedMap<String, Numbers> second = new LinkedHashMap<>();
            model.parameters().forEach((name, parameter) -> {
                double[] numbers = random.doubles(parameter.shape().count()).toArray();
                first.put(name, Numbers.of(numbers));
                second.put(
                        name, Numbers.of(Arrays.stream(numbers).map(x -> x * x).toArray()));
            });
            Moments moments = group.moments(element, first, second);
            moments.first().forEach((name, numbers) -> {
                double[] squares =
                        Objects.requireNonNull(moments.second().get(name)).asFloat64();
                for (int i = 0; i < squares.length; i++) {
                    double own = numbers.asFloat64()[i];
                    assertThat(squares[i]).isCloseTo(own * own, within(1e-12 * own * own));
                }
            });
            assertThat(moments.first().get("model.layers.0.mlp.up_proj.weight"))
                    .isNotSameAs(first.get("model.layers.0.mlp.up_proj.weight"));
        }
    }

    @Test
    void momentsThatMixAreRefused() throws IOException {
        try (HuggingFaceFolder opened = opened("gpt2")) {
            Model model = opened.model(1, 5);
            BasisGroup group = new BasisGroup(model);
            SequencedMap<String, Numbers> moments = new LinkedHashMap<>();
            model.parameters()
                    .forEach((name, parameter) -> moments.put(
                            name, Numbers.of(new double[parameter.shape().count()])));
            BasisElement all = group.drawn(group.parts(), 1);
            assertThatThrownBy(() -> group.moments(all, moments, moments))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the element adds shifts");
            BasisElement stream = group.drawn(
                    group.parts().stream()
                            .filter(part -> part instanceof Change(AxisClass channels, Kind _)
                                    && channels.name().equals("the embedding"))
                            .toList(),
                    1);
            assertThatThrownBy(() -> group.moments(stream, moments, moments))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("mix with those of the factors of a norm where the stream before it changes");
        }
    }
}
