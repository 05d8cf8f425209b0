package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Recurrence;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/**
 * Small models drawn at random out of the operations that networks are made of: rows of features, texts and signals go through up
 * to four steps, each drawn from those that the layout allows, and perhaps a dense head. The same seed gives the same model.
 */
final class RandomModels {
    /** Of no model more. */
    static final int MOST_PARAMETERS = 150;

    private static final int BATCH = 4;
    private static final int TRIED = 200;

    private final RandomParts parts;
    private final RandomWindows windows;
    private final ModelBuilder builder;
    private @Nullable Value table;
    private int outputs;

    /**
     * A model.
     *
     * @param model with static shapes
     * @param operations what it is made of, in words, sorted
     * @param kinked what goes into functions with a kink at 0, with the axis of the units
     */
    record Drawn(Model model, Set<String> operations, Map<Value, Integer> kinked) {
        /**
         * Counts the units that are active on all inputs or on none, as far as many are tried: near these weights each is affine,
         * and what it allows there ends where an input reaches its kink.
         *
         * @param seed of the inputs, of which {@link Symmetries} draws the same ones
         */
        long unitsOnOneSide(long seed) {
            List<Value> values = List.copyOf(kinked.keySet());
            List<double[]> numbers = model.computed(values, RandomInputs.of(model, TRIED, seed));
            long count = 0;
            for (int i = 0; i < values.size(); i++) {
                Dimensions shape = values.get(i).shape();
                int axis = Objects.requireNonNull(kinked.get(values.get(i)));
                int stride = shape.strides()[axis];
                boolean[] active = new boolean[shape.size(axis)];
                boolean[] idle = new boolean[active.length];
                for (int at = 0; at < numbers.get(i).length; at++) {
                    boolean[] side = numbers.get(i)[at] > 0 ? active : idle;
                    side[at / stride % side.length] = true;
                }
                count += IntStream.range(0, active.length)
                        .filter(unit -> active[unit] != idle[unit])
                        .count();
            }
            return count;
        }
    }

    private RandomModels(SplittableRandom random) {
        this.parts = new RandomParts(random);
        this.windows = new RandomWindows(parts);
        this.builder = parts.builder;
    }

    /** Draws a model with at least one parameter and at most {@link #MOST_PARAMETERS}. */
    static Drawn of(long seed) {
        var random = new SplittableRandom(seed);
        while (true) {
            Drawn drawn = new RandomModels(random.split()).drawn();
            long count = drawn.model().parameterCount();
            if (count > 0 && count <= MOST_PARAMETERS && isFinite(drawn)) {
                return drawn;
            }
        }
    }

    /** A norm without epsilon has no value where all units are inactive. */
    private static boolean isFinite(Drawn drawn) {
        return !drawn.operations().contains("norm without epsilon")
                || RandomInputs.of(drawn.model(), TRIED, 1).stream()
                        .flatMap(inputs -> drawn.model().run(Precision.FLOAT64, inputs).values().stream())
                        .flatMapToDouble(Arrays::stream)
                        .allMatch(Double::isFinite);
    }

    private Drawn drawn() {
        int steps = parts.between(1, 4);
        Value last = switch (parts.random.nextInt(5)) {
            case 0, 1 -> rows(builder.input("x", BATCH, parts.between(2, 4)), steps);
            case 2 -> text(builder.input("x", BATCH, parts.between(2, 4), parts.between(2, 3)), steps);
            case 3 -> mixed(embedded(), steps);
            default -> signal(signalInput(), steps);
        };
        output(last);
        return new Drawn(builder.build(), parts.operations(), parts.kinked());
    }

    private void output(Value value) {
        builder.output("y%d".formatted(outputs++), value);
    }

    /** Lets a value on the way be seen, seldom. */
    private Value seen(Value value) {
        if (parts.chance(0.05)) {
            parts.uses("several outputs");
            output(value);
        }
        return value;
    }

    private Value step(Value at, List<UnaryOperator<Value>> choices) {
        return seen(choices.get(parts.random.nextInt(choices.size())).apply(at));
    }

    private Value rows(Value input, int steps) {
        parts.signal(false);
        Value at = input;
        List<UnaryOperator<Value>> choices = List.of(
                value -> parts.dense(value, parts.between(2, 5)),
                value -> parts.function(parts.dense(value, parts.between(2, 5))),
                value -> parts.function(parts.dense(value, parts.between(2, 5))),
                value -> parts.gated(value, parts.between(2, 4)),
                parts::residual,
                parts::normed,
                parts::batchNormed,
                parts::tied,
                parts::concatenated);
        for (int i = 0; i < steps; i++) {
            at = step(at, choices);
        }
        return headed(at);
    }

    private Value text(Value input, int steps) {
        Value at = input;
        List<UnaryOperator<Value>> choices = List.of(
                value -> parts.dense(value, parts.between(2, 4)),
                value -> parts.function(parts.dense(value, parts.between(2, 4))),
                value -> parts.gated(value, parts.between(2, 4)),
                parts::residual,
                parts::normed,
                value -> parts.attention(value, parts.between(2, 4)),
                value -> parts.attention(value, parts.between(2, 4)),
                this::attending,
                parts::concatenated,
                this::recurrent,
                this::recurrent,
                parts::flattened,
                value -> parts.averaged(value, 2));
        for (int i = 0; i < steps; i++) {
            at = step(at, choices);
            if (at.shape().rank() == 2) {
                return rows(at, steps - i - 1);
            }
        }
        return headed(at);
    }

    /**
     * Places see one another first: what is made of single rows of a table has no more numbers than there are rows, and a function of
     * single rows makes but another table.
     */
    private Value mixed(Value input, int steps) {
        List<UnaryOperator<Value>> choices = List.of(
                value -> attending(placed(value)),
                value -> parts.attention(placed(value), parts.between(2, 4)),
                this::recurrent,
                value -> parts.nonlinear(parts.dense(parts.flattened(value), parts.between(2, 4))));
        Value at = step(input, choices);
        return at.shape().rank() == 2 ? rows(at, steps - 1) : text(at, steps - 1);
    }

    private Value attending(Value input) {
        parts.uses("residual sum");
        Value read = parts.chance(0.5) && RandomParts.last(input) > 2 ? parts.normed(input) : input;
        return builder.plus(input, parts.attention(read, RandomParts.last(input)));
    }

    private Value signal(Value input, int steps) {
        parts.signal(true);
        Value at = input;
        List<UnaryOperator<Value>> choices = List.of(
                value -> parts.nonlinear(windows.convolution(value)),
                value -> parts.nonlinear(windows.convolution(value)),
                value -> parts.nonlinear(parts.batchNormed(windows.convolution(value))),
                parts::batchNormed,
                windows::residual,
                windows::concatenated,
                windows::pooled,
                parts::flattened,
                value -> value.shape().size(1) == 1 ? parts.flattened(value) : parts.averaged(value, 1));
        for (int i = 0; i < steps; i++) {
            at = step(at, choices);
            if (at.shape().rank() == 2) {
                return rows(at, steps - i - 1);
            }
        }
        return parts.chance(0.5) ? headed(parts.flattened(at)) : at;
    }

    private Value signalInput() {
        return parts.chance(0.5)
                ? builder.input("x", BATCH, parts.between(1, 3), parts.between(4, 7))
                : builder.input("x", BATCH, parts.between(1, 2), parts.between(3, 4), parts.between(3, 4));
    }

    /** Rows of a table, of many more texts than there are parameters. */
    private Value embedded() {
        parts.uses("embedding");
        int size = parts.between(2, 3);
        table = parts.parameter("table", 0, 1, parts.between(5, 7), size);
        return builder.lookup(table, builder.input("tokens", BATCH, parts.between(3, 4)), 0);
    }

    /** One row more for each place, seldom. */
    private Value placed(Value input) {
        if (parts.chance(0.7)) {
            return input;
        }
        parts.uses("position table");
        return builder.plus(
                input, parts.parameter("positions", 0, 1, input.shape().size(1), RandomParts.last(input)));
    }

    /** A dense layer, the table of the embedding once more, a softmax, or nothing. */
    private Value headed(Value value) {
        Value tied = table;
        if (tied != null && tied.shape().size(1) == RandomParts.last(value) && parts.chance(0.5)) {
            parts.uses("tied embedding");
            return parts.layers.linear(value, tied, null);
        }
        Value made = parts.chance(0.7) ? parts.dense(value, parts.between(1, 3)) : value;
        return parts.chance(0.15) ? parts.softmax(made) : made;
    }

    /** Of shape (batch, length, features), all states or the last one. */
    private Value recurrent(Value input) {
        int size = RandomParts.last(input);
        int hidden = parts.between(2, 3);
        int kind = parts.random.nextInt(3);
        int gates = List.of(1, 4, 3).get(kind);
        var weights = new Recurrence.Weights(
                parts.weight("input weights", size, gates * hidden, size),
                parts.weight("state weights", hidden, gates * hidden, hidden),
                parts.biasOrNone(gates * hidden),
                parts.biasOrNone(gates * hidden));
        Value begin = builder.constant(Dimensions.of(BATCH, hidden), Numbers.of(new double[BATCH * hidden]));
        Value ordered = builder.transpose(input, 1, 0, 2);
        boolean backwards = parts.chance(0.2);
        UnaryOperator<Value> sigmoid = value -> builder.apply(Activation.SIGMOID, value);
        UnaryOperator<Value> tanh = value -> builder.apply(Activation.TANH, value);
        var recurrence = new Recurrence(builder);
        Recurrence.States states = switch (kind) {
            case 0 -> {
                boolean relu = parts.chance(0.3);
                parts.uses(relu ? "recurrence with ReLU" : "recurrence with tanh");
                yield recurrence.rnn(ordered, weights, begin, backwards, relu ? parts::relu : tanh);
            }
            case 1 -> {
                parts.uses("LSTM");
                yield recurrence.lstm(ordered, weights, begin, begin, null, backwards, sigmoid, tanh, tanh);
            }
            default -> {
                parts.uses("GRU");
                yield recurrence.gru(ordered, weights, begin, backwards, parts.chance(0.7), sigmoid, tanh);
            }
        };
        return parts.chance(0.5) ? states.last() : builder.transpose(states.states(), 1, 0, 2);
    }
}
