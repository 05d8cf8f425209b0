package org.isoloss.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model starts from: a parameter, an input or a constant. Each is itself and equal to no other.
 */
public final class Leaf extends Operation {
    /** What a leaf is. */
    public enum Kind {
        /** Numbers that may be moved. */
        PARAMETER,
        /** Numbers that each use brings. */
        INPUT,
        /** Numbers that are fixed. */
        CONSTANT
    }

    private final Kind kind;
    private final String label;
    private final Dimensions shape;
    private final @Nullable Numbers numbers;

    Leaf(Kind kind, String label, Dimensions shape, @Nullable Numbers numbers) {
        this.kind = kind;
        this.label = label;
        this.shape = shape;
        this.numbers = numbers;
    }

    /** {@return what it is} */
    public Kind kind() {
        return kind;
    }

    /** {@return the name of a parameter or an input; empty for a constant} */
    public String label() {
        return label;
    }

    /** {@return the numbers of a parameter or a constant} */
    public Numbers numbers() {
        if (numbers == null) {
            throw new IllegalStateException("the input %s of the model has no numbers of its own".formatted(label));
        }
        return numbers;
    }

    boolean hasNumbers() {
        return numbers != null;
    }

    @Override
    public String name() {
        return label.isEmpty() ? "constant" : "%s %s".formatted(kind == Kind.INPUT ? "input" : "parameter", label);
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        return shape;
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        double[] values = numbers().asFloat64();
        List<T> elements = new java.util.ArrayList<>(values.length);
        for (double value : values) {
            elements.add(algebra.constant(value));
        }
        return elements;
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return () -> {};
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        return null;
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return List.of();
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return self;
    }
}
