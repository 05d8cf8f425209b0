package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Values computed for many members at once: what differs from member to member has one more axis, before all others; what they
 * share is computed once.
 */
public final class Batching {
    private final int count;

    private Batching(int count) {
        this.count = count;
    }

    /**
     * Computes values for a batch.
     *
     * @param builder adds values
     * @param results for one member
     * @param members for each value that differs from member to member those of all, along a first axis
     * @param count members
     * @return for each result those of all members, along a first axis
     */
    static List<Value> of(ModelBuilder builder, List<Value> results, Map<Value, Value> members, int count) {
        var batching = new Batching(count);
        Map<Value, Value> batched = new HashMap<>(members);
        for (Value value : Execution.order(results, members.keySet())) {
            if (!batched.containsKey(value) && value.arguments().stream().anyMatch(batched::containsKey)) {
                List<Value> arguments = value.arguments().stream()
                        .map(argument -> batched.getOrDefault(argument, argument))
                        .toList();
                builder.at(value.origin());
                batched.put(value, value.operation().batched(builder, value, arguments, batching));
            }
        }
        return results.stream()
                .map(result -> {
                    Value all = batched.get(result);
                    return all == null ? builder.stretched(result, batching.with(result.shape())) : all;
                })
                .toList();
    }

    /** {@return the number of members} */
    public int count() {
        return count;
    }

    /**
     * Adds the axis of the members.
     *
     * @param shape of one member
     * @return of all
     */
    public Dimensions with(Dimensions shape) {
        return shape.preceded(count);
    }

    /**
     * Tells whether an argument differs from member to member.
     *
     * @param self the value for one member
     * @param arguments as an operation is given them
     * @param place which one
     * @return true if it has the axis of the members
     */
    public boolean is(Value self, List<Value> arguments, int place) {
        return arguments.get(place) != self.argument(place);
    }

    /**
     * Makes arguments ready to be combined entry by entry.
     *
     * @param builder adds values
     * @param self the value for one member, whose arguments are stretched to its shape
     * @param arguments as an operation is given them
     * @return the same with sizes of 1 behind the axis of the members
     */
    public List<Value> aligned(ModelBuilder builder, Value self, List<Value> arguments) {
        List<Value> aligned = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            Value argument = arguments.get(i);
            int missing = self.shape().rank() - self.argument(i).shape().rank();
            if (is(self, arguments, i) && missing > 0) {
                List<Integer> sizes = new ArrayList<>(Collections.nCopies(missing, 1));
                sizes.addAll(self.argument(i).shape().sizes());
                argument = builder.reshape(argument, with(new Dimensions(sizes)));
            }
            aligned.add(argument);
        }
        return aligned;
    }

    /** Repeats the arguments that members share. */
    List<Value> stretched(ModelBuilder builder, Value self, List<Value> arguments) {
        List<Value> stretched = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            Value argument = arguments.get(i);
            stretched.add(is(self, arguments, i) ? argument : builder.stretched(argument, with(argument.shape())));
        }
        return stretched;
    }

    /** Refuses an argument that differs from member to member. */
    void requireSingle(Value self, List<Value> arguments, int place) {
        if (is(self, arguments, place) || !is(self, arguments, 0)) {
            throw new UnsupportedOperationException(
                    "%s: what is chosen differs from member to member of a batch".formatted(self));
        }
    }

    /** The same axes behind that of the members. */
    static List<Integer> shifted(List<Integer> axes) {
        return axes.stream().map(axis -> axis + 1).toList();
    }
}
