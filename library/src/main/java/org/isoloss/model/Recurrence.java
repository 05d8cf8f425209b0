package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Recurrent layers, unrolled over their length. Inputs have the shape (length, batch, size), weights (gates * hidden, size). */
public final class Recurrence {
    private final ModelBuilder builder;

    /**
     * Adds to a model.
     *
     * @param builder receives the layers
     */
    public Recurrence(ModelBuilder builder) {
        this.builder = builder;
    }

    /**
     * What every recurrent layer has.
     *
     * @param input weights of the input
     * @param hidden weights of the state
     * @param inputBias added to the first product; null for none
     * @param hiddenBias added to the second; null for none
     */
    public record Weights(
            Value input,
            Value hidden,
            @Nullable Value inputBias,
            @Nullable Value hiddenBias) {}

    /**
     * Every state and the last one.
     *
     * @param states shape (length, batch, hidden), in the order of the input
     * @param last shape (batch, hidden), of the step that was computed last
     * @param cell the last cell of an LSTM; null for others
     */
    public record States(Value states, Value last, @Nullable Value cell) {}

    private interface Step {
        /** Computes the next state from the products of the input. */
        Value next(Value products);
    }

    /** Walks along the input, perhaps backwards; each step sees the products of its input with all gates' weights. */
    private States walk(Value input, Weights weights, boolean backwards, Step step) {
        Value products = builder.contract("tbi,gi->tbg", input, weights.input());
        if (weights.inputBias() != null) {
            products = builder.plus(products, weights.inputBias());
        }
        int length = input.shape().size(0);
        List<Value> states = new ArrayList<>();
        for (int time = 0; time < length; time++) {
            Value part = builder.slice(products, 0, backwards ? length - 1 - time : time, 1);
            states.add(step.next(builder.reshape(part, part.shape().without(List.of(0)))));
        }
        Value last = states.getLast();
        List<Value> ordered = backwards ? states.reversed() : states;
        List<Value> rows = ordered.stream()
                .map(state -> builder.restored(state, List.of(0)))
                .toList();
        return new States(builder.concatenate(rows, 0), last, null);
    }

    private Value recurrent(Value state, Weights weights) {
        Value product = builder.contract("bh,gh->bg", state, weights.hidden());
        return weights.hiddenBias() == null ? product : builder.plus(product, weights.hiddenBias());
    }

    private Value gate(Value values, int place, int hidden) {
        return builder.slice(values, 1, place * hidden, hidden);
    }

    private List<Value> all(Value input, Weights weights, Value... more) {
        List<Value> all = new ArrayList<>(List.of(input, weights.input(), weights.hidden()));
        all.addAll(List.of(more));
        return all;
    }

    /**
     * A plain recurrence.
     *
     * @param input shape (length, batch, size)
     * @param weights of one gate
     * @param initial the first state, shape (batch, hidden)
     * @param backwards whether it begins at the end
     * @param activation of the state
     * @return the states
     */
    public States rnn(Value input, Weights weights, Value initial, boolean backwards, UnaryOperator<Value> activation) {
        States[] states = new States[1];
        builder.composite(Composite.Role.RNN, all(input, weights, initial), () -> {
            Value[] state = {initial};
            states[0] = walk(input, weights, backwards, products -> {
                state[0] = activation.apply(builder.plus(products, recurrent(state[0], weights)));
                return state[0];
            });
            return states[0].states();
        });
        return states[0];
    }

    /**
     * Long short-term memory; gates in the order input, output, forget, cell.
     *
     * @param input shape (length, batch, size)
     * @param weights of four gates
     * @param initial the first state, shape (batch, hidden)
     * @param cell the first cell, the same shape
     * @param peepholes what the input, output and forget gates see of the cell, shape (3 * hidden); null for nothing
     * @param backwards whether it begins at the end
     * @param gates activation of the gates
     * @param content activation of what enters the cell
     * @param shown activation of the cell as it is shown
     * @return the states and the last cell
     */
    public States lstm(
            Value input,
            Weights weights,
            Value initial,
            Value cell,
            @Nullable Value peepholes,
            boolean backwards,
            UnaryOperator<Value> gates,
            UnaryOperator<Value> content,
            UnaryOperator<Value> shown) {
        int hidden = initial.shape().size(1);
        States[] states = new States[1];
        builder.composite(Composite.Role.LSTM, all(input, weights, initial, cell), () -> {
            Value[] now = {initial, cell};
            States walked = walk(input, weights, backwards, products -> {
                Value sums = builder.plus(products, recurrent(now[0], weights));
                Value enter = gates.apply(seeing(gate(sums, 0, hidden), now[1], peepholes, 0));
                Value forget = gates.apply(seeing(gate(sums, 2, hidden), now[1], peepholes, 2));
                Value fresh = content.apply(gate(sums, 3, hidden));
                now[1] = builder.plus(builder.product(forget, now[1]), builder.product(enter, fresh));
                Value show = gates.apply(seeing(gate(sums, 1, hidden), now[1], peepholes, 1));
                now[0] = builder.product(show, shown.apply(now[1]));
                return now[0];
            });
            states[0] = new States(walked.states(), walked.last(), now[1]);
            return walked.states();
        });
        return states[0];
    }

    private Value seeing(Value sum, Value cell, @Nullable Value peepholes, int place) {
        if (peepholes == null) {
            return sum;
        }
        int hidden = cell.shape().size(1);
        return builder.plus(sum, builder.product(cell, builder.slice(peepholes, 0, place * hidden, hidden)));
    }

    /**
     * A gated recurrent unit; gates in the order update, reset, content.
     *
     * @param input shape (length, batch, size)
     * @param weights of three gates
     * @param initial the first state, shape (batch, hidden)
     * @param backwards whether it begins at the end
     * @param resetAfter whether the reset gate acts behind the product with the state, as in PyTorch, or before it
     * @param gates activation of the gates
     * @param content activation of the new content
     * @return the states
     */
    public States gru(
            Value input,
            Weights weights,
            Value initial,
            boolean backwards,
            boolean resetAfter,
            UnaryOperator<Value> gates,
            UnaryOperator<Value> content) {
        int hidden = initial.shape().size(1);
        States[] states = new States[1];
        builder.composite(Composite.Role.GRU, all(input, weights, initial), () -> {
            Value[] state = {initial};
            states[0] = walk(input, weights, backwards, products -> {
                Value own = recurrent(state[0], weights);
                Value update = gates.apply(builder.plus(gate(products, 0, hidden), gate(own, 0, hidden)));
                Value reset = gates.apply(builder.plus(gate(products, 1, hidden), gate(own, 1, hidden)));
                Value seen = resetAfter
                        ? builder.product(reset, gate(own, 2, hidden))
                        : gate(recurrent(builder.product(reset, state[0]), weights), 2, hidden);
                Value fresh = content.apply(builder.plus(gate(products, 2, hidden), seen));
                state[0] = builder.plus(fresh, builder.product(update, builder.minus(state[0], fresh)));
                return state[0];
            });
            return states[0].states();
        });
        return states[0];
    }
}
