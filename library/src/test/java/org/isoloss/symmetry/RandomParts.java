package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Elementary;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/**
 * Parts of models with random parameters and options, for values of any layout whose last axis has the features; the name of each
 * operation that is used is kept.
 */
final class RandomParts {
    private static final List<String> FUNCTIONS = List.of(
            "ReLU", "leaky ReLU", "squared ReLU", "tanh", "sigmoid", "GELU", "sine", "softplus", "SiLU", "identity");
    /** What two features are normalised to is one of two values, or lies on a circle. */
    private static final int LEAST_NORMED = 3;

    private static final double[] EPSILONS = {0, 1e-5, 0.5};

    final ModelBuilder builder = Model.builder();
    final Layers layers = new Layers(builder);
    final SplittableRandom random;
    private final Set<String> operations = new TreeSet<>();
    private final Map<Value, Integer> kinked = new LinkedHashMap<>();
    private final Set<Value> normalised = new HashSet<>();
    private boolean isSignal;
    private int parameters;

    RandomParts(SplittableRandom random) {
        this.random = random;
    }

    /** The names of all operations that were used. */
    Set<String> operations() {
        return operations;
    }

    /** What goes into functions with a kink at 0, with the axis of the units. */
    Map<Value, Integer> kinked() {
        return kinked;
    }

    /** Units lie on the second axis from now on, or on the last one again. */
    void signal(boolean isOne) {
        isSignal = isOne;
    }

    void uses(String operation) {
        operations.add(operation);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** A whole number, both bounds included. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    /** Normal numbers about a centre. */
    Value parameter(String name, double centre, double deviation, int... sizes) {
        Dimensions shape = Dimensions.of(sizes);
        double[] numbers = random.doubles(shape.count())
                .map(_ -> centre + deviation * random.nextGaussian())
                .toArray();
        return builder.parameter("%d %s".formatted(parameters++, name), shape, Numbers.of(numbers));
    }

    /** As large as keeps sums of so many products of the size of one. */
    Value weight(String name, int summed, int... sizes) {
        return parameter(name, 0, 1 / Math.sqrt(summed), sizes);
    }

    Value bias(int size) {
        return parameter("bias", 0, 0.5, size);
    }

    @Nullable
    Value biasOrNone(int size) {
        return chance(0.6) ? bias(size) : null;
    }

    static int last(Value value) {
        return value.shape().sizes().getLast();
    }

    /** A dense layer of the last axis. */
    Value dense(Value input, int outputs) {
        Value bias = biasOrNone(outputs);
        uses(bias == null ? "dense without bias" : "dense");
        return layers.linear(input, weight("weight", last(input), outputs, last(input)), bias);
    }

    /** Any function of every entry but the identity: of linear layers that are combined otherwise than one after the other. */
    Value nonlinear(Value input) {
        return applied(FUNCTIONS.get(random.nextInt(FUNCTIONS.size() - 1)), input);
    }

    Value relu(Value input) {
        return applied("ReLU", input);
    }

    Value function(Value input) {
        return applied(FUNCTIONS.get(random.nextInt(FUNCTIONS.size())), input);
    }

    private Value applied(String name, Value input) {
        uses(name);
        if (name.endsWith("ReLU")) {
            kinked.put(input, isSignal ? 1 : input.shape().rank() - 1);
        }
        return switch (name) {
            case "ReLU" -> builder.apply(Clamp.RELU, input);
            case "leaky ReLU" -> builder.apply(new Clamp(0, Double.POSITIVE_INFINITY, 0.1), input);
            case "squared ReLU" -> {
                Value active = builder.apply(Clamp.RELU, input);
                yield builder.product(active, active);
            }
            case "tanh" -> builder.apply(Activation.TANH, input);
            case "sigmoid" -> builder.apply(Activation.SIGMOID, input);
            case "GELU" -> builder.apply(Activation.GELU, input);
            case "sine" -> builder.apply(Elementary.SIN, input);
            case "softplus" -> builder.apply(Activation.SOFTPLUS, input);
            case "SiLU" -> builder.apply(Activation.SILU, input);
            default -> builder.apply(Activation.IDENTITY, input);
        };
    }

    /** What one dense layer lets through of another. */
    Value gated(Value input, int outputs) {
        uses("gated product");
        Value gate = dense(input, outputs);
        Value open = chance(0.2) ? softmax(gate) : nonlinear(gate);
        return builder.product(open, dense(input, outputs));
    }

    /** A value with what a block of two layers makes of it. */
    Value residual(Value input) {
        uses("residual sum");
        Value inner = chance(0.25) && last(input) >= LEAST_NORMED ? normed(input) : input;
        Value hidden = chance(0.25) ? gated(inner, between(2, 3)) : nonlinear(dense(inner, between(2, 4)));
        return builder.plus(input, dense(hidden, last(input)));
    }

    /** A layer norm or an RMS norm of the last axis, with a dense layer before it where there are few features or another norm. */
    Value normed(Value given) {
        Value input = last(given) < LEAST_NORMED || normalised.contains(given)
                ? dense(given, Math.max(LEAST_NORMED, last(given)))
                : given;
        int axis = input.shape().rank() - 1;
        int size = last(input);
        Value scale = chance(0.6) ? parameter("scale", 1, 0.3, size) : null;
        double epsilon = EPSILONS[random.nextInt(EPSILONS.length)];
        if (epsilon == 0) {
            uses("norm without epsilon");
        }
        Value normed;
        if (chance(0.5)) {
            uses("layer norm");
            normed = layers.layerNorm(input, axis, scale, chance(0.5) ? bias(size) : null, epsilon);
        } else {
            uses("RMS norm");
            normed = layers.rmsNorm(input, axis, scale, epsilon);
        }
        normalised.add(normed);
        return normed;
    }

    /** Channels lie on the second axis. */
    Value batchNormed(Value input) {
        uses("batch norm");
        int size = input.shape().size(1);
        return layers.batchNorm(
                input,
                parameter("scale", 1, 0.3, size),
                bias(size),
                builder.constant(
                        Dimensions.of(size),
                        Numbers.of(random.doubles(size, -0.5, 0.5).toArray())),
                builder.constant(
                        Dimensions.of(size),
                        Numbers.of(random.doubles(size, 0.5, 2).toArray())),
                1e-5);
    }

    Value softmax(Value input) {
        uses("softmax");
        return layers.softmax(input, input.shape().rank() - 1);
    }

    /** Weights that are used twice: there and back, in two residual blocks, or in one layer after itself. */
    Value tied(Value input) {
        int size = last(input);
        double kind = random.nextDouble();
        if (kind < 0.15) {
            uses("tied weights: a layer after itself");
            Value weight = weight("tied weight", size, size, size);
            Value bias = biasOrNone(size);
            return layers.linear(nonlinear(layers.linear(input, weight, bias)), weight, bias);
        }
        int inner = between(2, 4);
        Value weight = weight("tied weight", size, inner, size);
        Value bias = biasOrNone(inner);
        if (kind < 0.6) {
            uses("tied weights: there and back");
            Value hidden = nonlinear(layers.linear(input, weight, bias));
            return layers.linear(hidden, builder.transpose(weight, 1, 0), biasOrNone(size));
        }
        uses("tied weights: residual blocks");
        Value back = weight("tied weight", inner, size, inner);
        String function = FUNCTIONS.get(random.nextInt(FUNCTIONS.size() - 1));
        Value at = input;
        for (int block = 0; block < 2; block++) {
            at = builder.plus(at, layers.linear(applied(function, layers.linear(at, weight, bias)), back, null));
        }
        return at;
    }

    /** Branches of one value, one behind the other; the value itself may be among them. */
    Value concatenated(Value input) {
        uses("concatenation");
        Value first = nonlinear(dense(input, between(2, 3)));
        Value second = chance(0.5) ? input : nonlinear(dense(input, between(2, 3)));
        return builder.concatenate(List.of(first, second), input.shape().rank() - 1);
    }

    /** Heads over the places of shape (batch, length, features), and a dense layer of what they return. */
    Value attention(Value input, int outputs) {
        uses("attention");
        int heads = between(1, 2);
        boolean rotary = chance(0.3);
        int size = rotary && heads == 1 && chance(0.5) ? 4 : 2;
        int shared = heads == 2 && chance(0.3) ? 1 : heads;
        if (shared < heads) {
            uses("shared keys");
        }
        boolean biased = chance(0.5);
        uses(biased ? "attention with biases" : "attention without biases");
        Value queries = heads(input, "query", heads, size, biased);
        Value keys = heads(input, "key", shared, size, biased);
        Value values = heads(input, "value", shared, size, biased);
        if (rotary) {
            uses("rotary positions");
            queries = rotated(queries);
            keys = rotated(keys);
        }
        Dimensions all = queries.shape();
        Value mask = chance(0.4) ? causal(input.shape().size(1)) : null;
        Value read = layers.attention(
                queries, builder.stretched(keys, all), builder.stretched(values, all), 1 / Math.sqrt(size), mask);
        Value joined = builder.reshape(
                builder.transpose(read, 0, 2, 1, 3),
                Dimensions.of(input.shape().size(0), input.shape().size(1), heads * size));
        return dense(joined, outputs);
    }

    private Value heads(Value input, String name, int heads, int size, boolean biased) {
        int width = heads * size;
        Value made = layers.linear(input, weight(name, last(input), width, last(input)), biased ? bias(width) : null);
        Dimensions parted = Dimensions.of(input.shape().size(0), input.shape().size(1), heads, size);
        return builder.transpose(builder.reshape(made, parted), 0, 2, 1, 3);
    }

    private Value causal(int length) {
        uses("causal mask");
        double[] mask = new double[length * length];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = i % length > i / length ? -1e9 : 0;
        }
        return builder.constant(Dimensions.of(length, length), Numbers.of(mask));
    }

    /** Entry i with entry i + size / 2, by angles that grow with the place, one frequency a pair. */
    private Value rotated(Value value) {
        int length = value.shape().size(2);
        int size = last(value);
        double[] cosines = new double[length * size];
        double[] sines = new double[length * size];
        for (int i = 0; i < cosines.length; i++) {
            int entry = i % size;
            int place = i / size;
            double angle = place * Math.pow(0.3, entry % (size / 2));
            cosines[i] = Math.cos(angle);
            sines[i] = entry < size / 2 ? -Math.sin(angle) : Math.sin(angle);
        }
        Value turned = builder.concatenate(
                List.of(builder.slice(value, 3, size / 2, size / 2), builder.slice(value, 3, 0, size / 2)), 3);
        return builder.plus(
                builder.product(value, builder.constant(Dimensions.of(length, size), Numbers.of(cosines))),
                builder.product(turned, builder.constant(Dimensions.of(length, size), Numbers.of(sines))));
    }

    /** One row of features of shape (batch, features) from every other layout, in the order of the axes. */
    Value flattened(Value input) {
        uses("flatten");
        int batch = input.shape().size(0);
        return builder.reshape(input, Dimensions.of(batch, input.shape().count() / batch));
    }

    /** The mean over the axes behind the batch, one of them left. */
    Value averaged(Value input, int kept) {
        uses("mean over places");
        List<Integer> axes = new ArrayList<>();
        for (int axis = 1; axis < input.shape().rank(); axis++) {
            if (axis != kept) {
                axes.add(axis);
            }
        }
        return builder.meanOver(input, axes);
    }
}
