package org.isoloss.model;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.network.Activation;
import org.junit.jupiter.params.provider.Arguments;

/** Networks whose directions that change nothing can be counted by hand. */
public final class KnownNetworks {
    /** The number of inputs in a batch. */
    public static final int BATCH = 60;

    private KnownNetworks() {}

    /** Adds parameters with normal numbers. */
    public static final class Network {
        public final ModelBuilder builder = Model.builder();
        public final Layers layers = new Layers(builder);
        private final SplittableRandom random = new SplittableRandom(23);

        public double[] normal(int count) {
            return random.doubles(count).map(_ -> random.nextGaussian()).toArray();
        }

        public Value parameter(String name, int... sizes) {
            Dimensions shape = Dimensions.of(sizes);
            return builder.parameter(name, shape, Numbers.of(normal(shape.count())));
        }

        public Value linear(Value input, String name, int outputs) {
            int inputs = input.shape().size(1);
            return layers.linear(
                    input, parameter(name + ".weight", outputs, inputs), parameter(name + ".bias", outputs));
        }

        public Value hidden(Value input, Pointwise activation) {
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

        Value gru(Value input) {
            Value rows = builder.reshape(input, Dimensions.of(2, BATCH, 3));
            Value zero = builder.constant(Dimensions.of(BATCH, 3), Numbers.of(new double[3 * BATCH]));
            Recurrence.Weights weights = new Recurrence.Weights(
                    parameter("input", 9, 3),
                    parameter("hidden", 9, 3),
                    parameter("bias", 9),
                    parameter("second bias", 9));
            return new Recurrence(builder)
                    .gru(
                            rows,
                            weights,
                            zero,
                            false,
                            true,
                            value -> builder.apply(Activation.SIGMOID, value),
                            value -> builder.apply(Activation.TANH, value))
                    .states();
        }

        /** Rows of 4 x 4 pixels. */
        Value convolved(Value input) {
            Value pixels = builder.reshape(input, Dimensions.of(BATCH, 1, 4, 4));
            Windows windows = new Windows(List.of(2, 2), List.of(1, 1), List.of(1, 1), List.of(0, 0), List.of(0, 0));
            Value sums = new Convolutions(builder)
                    .convolution(pixels, parameter("first.weight", 3, 1, 2, 2), parameter("first.bias", 3), windows, 1);
            Value normed = layers.batchNorm(
                    sums,
                    parameter("scale", 3),
                    parameter("shift", 3),
                    builder.constant(Dimensions.of(3), Numbers.of(0.2, -0.1, 0.3)),
                    builder.constant(Dimensions.of(3), Numbers.of(0.5, 1.25, 2)),
                    1e-5);
            return new Convolutions(builder)
                    .convolution(
                            builder.apply(Clamp.RELU, normed),
                            parameter("second.weight", 4, 3, 2, 2),
                            null,
                            windows,
                            1);
        }

        Value residual(Value input) {
            Value stream = linear(input, "embedding", 4);
            Value inner = builder.apply(Clamp.RELU, linear(stream, "up", 5));
            return linear(builder.plus(stream, linear(inner, "down", 4)), "head", 5);
        }

        /** One head of size 4 over 5 places of width 6, rotated by two frequencies. */
        Value rotaryAttention(Value input) {
            Value states = builder.reshape(input, Dimensions.of(BATCH, 1, 5, 6));
            Value queries = rotated(layers.linear(states, parameter("query", 4, 6), null));
            Value keys = rotated(layers.linear(states, parameter("key", 4, 6), null));
            Value values = layers.linear(states, parameter("value", 4, 6), null);
            return layers.linear(layers.attention(queries, keys, values, 0.5, null), parameter("output", 5, 4), null);
        }

        /** Entry i with entry i + 2, by an angle that grows with the place. */
        private Value rotated(Value value) {
            double[] cosines = new double[20];
            double[] sines = new double[20];
            for (int i = 0; i < 20; i++) {
                int place = i / 4;
                double angle = place * (i % 2 == 0 ? 1 : 0.3);
                cosines[i] = Math.cos(angle);
                sines[i] = i % 4 < 2 ? -Math.sin(angle) : Math.sin(angle);
            }
            Value turned =
                    builder.concatenate(List.of(builder.slice(value, 3, 2, 2), builder.slice(value, 3, 0, 2)), 3);
            return builder.plus(
                    builder.product(value, builder.constant(Dimensions.of(5, 4), Numbers.of(cosines))),
                    builder.product(turned, builder.constant(Dimensions.of(5, 4), Numbers.of(sines))));
        }

        /** Takes outputs of a network on random inputs. */
        public ModelTarget target(int width, BiFunction<Network, Value, Value> made) {
            builder.output("y", made.apply(this, builder.input("x", BATCH, width)));
            return ModelTarget.of(Moving.all(builder.build()), Map.of("x", normal(BATCH * width)));
        }
    }

    /** {@return name, parameters, nullity, inputs and what makes it} */
    public static Stream<Arguments> networks() {
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
                network("LSTM: two biases that are only added", 96, 12, 6, Network::lstm),
                // of the content, the second bias is multiplied by the reset gate
                network("GRU: two biases of two gates that are only added", 72, 6, 6, Network::gru),
                network(
                        "convolution, batch norm, ReLU: a scale a channel, its row against the norm's scale, its bias against the shift",
                        69,
                        3 * 3,
                        16,
                        Network::convolved),
                // a stream of four that comes from three inputs lies in a hyperplane: what reads it there is free, 5
                // rows,
                // and of the block's output bias and the head's bias only a sum is seen, 4
                network(
                        "residual: basis of the stream 16, its translation 4, ReLU 5, rows off the stream 5, biases 4",
                        90,
                        34,
                        3,
                        Network::residual),
                // linear maps that commute with two rotations of different frequencies are two complex numbers
                network(
                        "attention with rotary positions: value-output GL(4), query-key commutant of the rotations 4",
                        92,
                        16 + 4,
                        30,
                        Network::rotaryAttention));
    }

    private static Arguments network(
            String name, int parameters, int nullity, int width, BiFunction<Network, Value, Value> made) {
        return Arguments.of(name, parameters, nullity, width, made);
    }
}
