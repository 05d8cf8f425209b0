package org.isoloss.circuit;

import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.model.Clamp;
import org.isoloss.model.Convolutions;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Power;
import org.isoloss.model.Recurrence;
import org.isoloss.model.Value;
import org.isoloss.model.Windows;
import org.isoloss.network.Activation;

/** Networks of all kinds whose algebras are known by hand. */
public final class SmallNetworks {
    private static final int TOKENS = 3;

    private final ModelBuilder builder = Model.builder();
    private final Layers layers = new Layers(builder);
    private final SplittableRandom random = new SplittableRandom(5);

    private SmallNetworks() {}

    private Value parameter(String name, int... sizes) {
        Dimensions shape = Dimensions.of(sizes);
        double[] numbers =
                random.doubles(shape.count()).map(_ -> random.nextGaussian()).toArray();
        return builder.parameter(name, shape, Numbers.of(numbers));
    }

    private Value linear(Value input, String name, int outputs, boolean bias) {
        int inputs = input.shape().size(input.shape().rank() - 1);
        return layers.linear(
                input, parameter(name + ".weight", outputs, inputs), bias ? parameter(name + ".bias", outputs) : null);
    }

    private Model model(Value output) {
        builder.output("y", output);
        return builder.build();
    }

    private Value convolved(Value input, String name, int outputs, int size, int groups, boolean bias) {
        Windows windows = new Windows(List.of(size, size), List.of(1, 1), List.of(1, 1), List.of(0, 0), List.of(0, 0));
        int channels = input.shape().size(1) / groups;
        return new Convolutions(builder)
                .convolution(
                        input,
                        parameter(name + ".weight", outputs, channels, size, size),
                        bias ? parameter(name + ".bias", outputs) : null,
                        windows,
                        groups);
    }

    /** A rescaling for each of the two channels between. */
    public static Model convolutions() {
        SmallNetworks net = new SmallNetworks();
        Value first = net.convolved(net.builder.input("x", 1, 1, 4, 4), "first", 2, 2, 1, true);
        return net.model(net.convolved(net.builder.apply(Clamp.RELU, first), "second", 2, 2, 1, true));
    }

    /** A rescaling for each of the two channels of a linear layer, and for each of three behind it. */
    public static Model depthwise() {
        SmallNetworks net = new SmallNetworks();
        Value first = net.convolved(net.builder.input("x", 1, 2, 4, 4), "first", 2, 2, 2, false);
        Value mixed = net.convolved(first, "mixed", 3, 1, 1, false);
        return net.model(net.convolved(net.builder.apply(Clamp.RELU, mixed), "last", 2, 2, 1, false));
    }

    /** A rescaling for each of three ReLU units; tanh has none. */
    public static Model reluThenTanh() {
        SmallNetworks net = new SmallNetworks();
        Value first = net.builder.apply(Clamp.RELU, net.linear(net.builder.input("x", 1, 2), "first", 3, true));
        Value second = net.builder.apply(Activation.TANH, net.linear(first, "second", 2, true));
        return net.model(net.linear(second, "third", 2, true));
    }

    /** A rescaling for each of three rows that a gate multiplies. */
    public static Model gated() {
        SmallNetworks net = new SmallNetworks();
        Value input = net.builder.input("x", 1, 2);
        Value gate = net.builder.apply(Activation.SIGMOID, net.linear(input, "gate", 3, true));
        return net.model(net.linear(net.builder.product(gate, net.linear(input, "up", 3, true)), "down", 2, true));
    }

    /** A rescaling of degree 2 for each of three units. */
    public static Model squaredRelu() {
        SmallNetworks net = new SmallNetworks();
        Value first = net.builder.apply(Clamp.RELU, net.linear(net.builder.input("x", 1, 2), "first", 3, true));
        return net.model(net.linear(net.builder.apply(Power.SQUARE, first), "second", 2, true));
    }

    /** A basis of the two entries that are added to the input: gl(2). */
    public static Model skip() {
        SmallNetworks net = new SmallNetworks();
        Value input = net.builder.input("x", 1, 3);
        return net.model(net.builder.plus(input, net.linear(net.linear(input, "in", 2, false), "out", 3, false)));
    }

    /** Two biases of each of eight rows of gates that are only added. */
    public static Model lstm() {
        SmallNetworks net = new SmallNetworks();
        Value zero = net.builder.constant(Dimensions.of(1, 2), Numbers.of(0, 0));
        return net.model(new Recurrence(net.builder)
                .lstm(
                        net.builder.input("x", 3, 1, 1),
                        net.recurrent(8),
                        zero,
                        zero,
                        null,
                        false,
                        value -> net.builder.apply(Activation.SIGMOID, value),
                        value -> net.builder.apply(Activation.TANH, value),
                        value -> net.builder.apply(Activation.TANH, value))
                .states());
    }

    /** Two biases of each of four rows of gates that are only added; those of the two others are not. */
    public static Model gru() {
        SmallNetworks net = new SmallNetworks();
        Value zero = net.builder.constant(Dimensions.of(1, 2), Numbers.of(0, 0));
        return net.model(new Recurrence(net.builder)
                .gru(
                        net.builder.input("x", 3, 1, 1),
                        net.recurrent(6),
                        zero,
                        false,
                        true,
                        value -> net.builder.apply(Activation.SIGMOID, value),
                        value -> net.builder.apply(Activation.TANH, value))
                .states());
    }

    private Recurrence.Weights recurrent(int rows) {
        return new Recurrence.Weights(
                parameter("input", rows, 1),
                parameter("hidden", rows, 2),
                parameter("bias", rows),
                parameter("second bias", rows));
    }

    /** Bases of queries against keys and of values against what reads them: gl(head) + gl(head). */
    public static Model attention(int width, int head) {
        SmallNetworks net = new SmallNetworks();
        return net.attended(width, head, false);
    }

    /** The same with rotary positions, with which the complex numbers of each of the pairs of a head commute. */
    public static Model rotary(int width, int head) {
        SmallNetworks net = new SmallNetworks();
        return net.attended(width, head, true);
    }

    private Model attended(int width, int head, boolean turned) {
        Value input = builder.input("x", 1, TOKENS, width);
        Value queries = linear(input, "q", head, false);
        Value keys = linear(input, "k", head, false);
        Value values = builder.reshape(linear(input, "v", head, false), Dimensions.of(1, 1, TOKENS, head));
        Value attended = layers.attention(
                builder.reshape(turned ? turned(queries, head) : queries, Dimensions.of(1, 1, TOKENS, head)),
                builder.reshape(turned ? turned(keys, head) : keys, Dimensions.of(1, 1, TOKENS, head)),
                values,
                1 / Math.sqrt(head),
                null);
        return model(linear(builder.reshape(attended, Dimensions.of(1, TOKENS, head)), "o", width, false));
    }

    private Value turned(Value heads, int head) {
        double[] cosines = new double[TOKENS * head];
        double[] sines = new double[TOKENS * head];
        for (int token = 0; token < TOKENS; token++) {
            for (int i = 0; i < head; i++) {
                double angle = token * Math.pow(100, -(i % (head / 2)) / (head / 2.0));
                cosines[token * head + i] = Math.cos(angle);
                sines[token * head + i] = Math.sin(angle);
            }
        }
        Value low = builder.slice(heads, 2, 0, head / 2);
        Value high = builder.slice(heads, 2, head / 2, head / 2);
        Value quarter = builder.concatenate(List.of(builder.scaled(-1, high), low), 2);
        Dimensions shape = Dimensions.of(TOKENS, head);
        return builder.plus(
                builder.product(heads, builder.constant(shape, Numbers.of(cosines))),
                builder.product(quarter, builder.constant(shape, Numbers.of(sines))));
    }
}
