package org.isoloss.affine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Numbers;
import org.isoloss.model.Recurrence;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks whose directions that change nothing can be counted by hand. */
class ModelSymmetriesTest {
    private static final int BATCH = 60;

    /** Adds parameters with normal numbers. */
    static final class Network {
        final ModelBuilder builder = Model.builder();
        final Layers layers = new Layers(builder);
        private final SplittableRandom random = new SplittableRandom(23);

        double[] normal(int count) {
            return random.doubles(count).map(_ -> random.nextGaussian()).toArray();
        }

        Value parameter(String name, int... sizes) {
            Dimensions shape = Dimensions.of(sizes);
            return builder.parameter(name, shape, Numbers.of(normal(shape.count())));
        }

        Value linear(Value input, String name, int outputs) {
            int inputs = input.shape().size(1);
            return layers.linear(
                    input, parameter(name + ".weight", outputs, inputs), parameter(name + ".bias", outputs));
        }

        Value hidden(Value input, Pointwise activation) {
            return linear(builder.apply(activation, linear(input, "first", 4)), "second", 2);
        }

        /** Shifts and bases of what is normalised; two effective tensors are all that is seen of the four behind it. */
        Value normed(Value input, double epsilon) {
            Value sums = linear(input, "first", 4);
            return linear(
                    layers.layerNorm(sums, 1, parameter("scale", 4), parameter("shift", 4), epsilon), "second", 2);
        }

        Value lstm(Value input) {
            Value rows = builder.reshape(input, Dimensions.of(2, BATCH, 3));
            Value zero = builder.constant(Dimensions.of(BATCH, 3), Numbers.of(new double[3 * BATCH]));
            Recurrence.Weights weights = new Recurrence.Weights(
                    parameter("input", 12, 3),
                    parameter("hidden", 12, 3),
                    parameter("bias", 12),
                    parameter("second bias", 12));
            return new Recurrence(builder)
                    .lstm(
                            rows,
                            weights,
                            zero,
                            zero,
                            null,
                            false,
                            value -> builder.apply(Activation.SIGMOID, value),
                            value -> builder.apply(Activation.TANH, value),
                            value -> builder.apply(Activation.TANH, value))
                    .states();
        }

        ModelTarget target(int width, BiFunction<Network, Value, Value> made) {
            builder.output("y", made.apply(this, builder.input("x", BATCH, width)));
            return ModelTarget.of(Moving.all(builder.build()), Map.of("x", normal(BATCH * width)));
        }
    }

    static Stream<Arguments> networks() {
        return Stream.of(
                network("ReLU: a scale a unit", 26, 4, 3, (net, x) -> net.hidden(x, Clamp.RELU)),
                network("tanh: none", 26, 0, 3, (net, x) -> net.hidden(x, Activation.TANH)),
                network(
                        "softmax: logits along ones",
                        16,
                        3 + 1,
                        3,
                        (net, x) -> net.layers.softmax(net.linear(x, "first", 4), 1)),
                network(
                        "linear bottleneck: its affine maps, 4 + 2",
                        17,
                        6,
                        3,
                        (net, x) -> net.linear(net.linear(x, "first", 2), "second", 3)),
                network(
                        "layer norm: scale 4, shift 4, read along ones 2, written along ones 4, rotations 3",
                        34,
                        17,
                        3,
                        (net, x) -> net.normed(x, 0.5)),
                network("layer norm without epsilon: the size too", 34, 18, 3, (net, x) -> net.normed(x, 0)),
                network("LSTM: two biases that are only added", 96, 12, 6, Network::lstm));
    }

    private static Arguments network(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        return Arguments.of(name, parameters, nullity, width, made);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("networks")
    void nullSpaceIsWhatIsPlanted(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        ModelTarget target = new Network().target(width, made);
        PointSymmetries found = PointSymmetries.of(target);
        assertThat(found.parameterCount()).isEqualTo(parameters);
        assertThat(found.nullities().values()).as(name).containsOnly(nullity);
        assertThat(found.basis().columns()).isEqualTo(nullity);
        assertThat(found.doubt()).isEmpty();
        Matrix change = target.jacobian(target.origin()).times(found.basis());
        assertThat(nullity == 0 ? 0 : change.largestMagnitude()).isLessThan(1e-11);
        PointSymmetries alone = PointSymmetries.dimensionOf(target, new SplittableRandom(7));
        assertThat(alone.nullities()).isEqualTo(found.nullities());
        assertThat(alone.doubt()).isEmpty();
        assertThat(alone.outputCount()).isEqualTo(found.outputCount());
    }

    @Test
    void partOfTheParametersHasItsOwnNullSpace() {
        Network net = new Network();
        net.target(3, (made, x) -> made.hidden(x, Clamp.RELU));
        Model model = net.builder.build();
        double[] inputs = net.normal(BATCH * 3);
        assertThat(nullity(model, inputs, "first.weight", "first.bias")).isZero();
        assertThat(nullity(model, inputs, "first.weight[1]", "first.bias[1]", "second.weight[:, 1]"))
                .isEqualTo(1);
    }

    @Test
    void fewOutputComponentsBoundTheRank() {
        Network net = new Network();
        net.target(3, (made, x) -> made.hidden(x, Activation.TANH));
        Moving moving = Moving.all(net.builder.build());
        double[] same = new double[BATCH * 3]; // one input, so often: two components
        PointSymmetries found = PointSymmetries.of(ModelTarget.of(moving, Map.of("x", same)));
        assertThat(found.nullities().values()).containsOnly(26 - 2);
    }

    private static int nullity(Model model, double[] inputs, String... moving) {
        ModelTarget target = ModelTarget.of(Moving.of(model, List.of(moving)), Map.of("x", inputs));
        PointSymmetries alone = PointSymmetries.dimensionOf(target, new SplittableRandom(7));
        PointSymmetries found = PointSymmetries.of(target);
        assertThat(alone.nullities()).isEqualTo(found.nullities());
        return found.basis().columns();
    }
}
