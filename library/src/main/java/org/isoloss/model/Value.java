package org.isoloss.model;

import java.util.List;

/**
 * A tensor that a model computes: the result of one operation on other values. Values are handles without numbers; they
 * form a graph that is only ever added to, so one made later never feeds one made before.
 */
public final class Value {
    private final int index;
    private final Operation operation;
    private final List<Value> arguments;
    private final Dimensions shape;
    private final String origin;

    Value(int index, Operation operation, List<Value> arguments, Dimensions shape, String origin) {
        this.index = index;
        this.operation = operation;
        this.arguments = List.copyOf(arguments);
        this.shape = shape;
        this.origin = origin;
    }

    /** Its place in the order of computation. */
    int index() {
        return index;
    }

    /** {@return what makes it} */
    public Operation operation() {
        return operation;
    }

    /** {@return what it is made of} */
    public List<Value> arguments() {
        return arguments;
    }

    /**
     * Returns one of the values that it is made of.
     *
     * @param place from 0
     * @return the argument
     */
    public Value argument(int place) {
        return arguments.get(place);
    }

    /** {@return its shape} */
    public Dimensions shape() {
        return shape;
    }

    /** {@return where it comes from, in the words of the file: such as {@code node Conv_3 (Conv)}; empty if unknown} */
    public String origin() {
        return origin;
    }

    /** {@return what a reader knows it by: the name of a parameter or input, else its origin, else what makes it} */
    public String where() {
        if (operation instanceof Leaf leaf && !leaf.label().isEmpty()) {
            return leaf.label();
        }
        return origin.isEmpty() ? operation.name() : origin;
    }

    @Override
    public String toString() {
        return "%s%s%s".formatted(operation.name(), shape, origin.isEmpty() ? "" : " of " + origin);
    }
}
