package org.isoloss.model;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.isoloss.autodiff.Pointwise;
import org.jspecify.annotations.Nullable;

/** A function of one variable applied to every entry. */
final class Application extends Operation {
    private final Pointwise function;

    Application(Pointwise function) {
        this.function = function;
    }

    Pointwise function() {
        return function;
    }

    @Override
    public String name() {
        return function.toString();
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        return arguments.getFirst();
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        List<T> entries = arguments.getFirst();
        return Elements.filled(entries.size(), i -> algebra.apply(function, entries.get(i)));
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.apply(self, self.argument(0), function);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        Value change = Objects.requireNonNull(changes.getFirst());
        return builder.product(change, slope(builder, self));
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList(builder.product(upstream, slope(builder, self)));
    }

    /** Whether the function has no derivative at all. */
    boolean jumps() {
        return function instanceof Elementary elementary && elementary.jumps();
    }

    private Value slope(ModelBuilder builder, Value self) {
        return builder.apply(Slope.of(function), self.argument(0));
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.apply(function, arguments.getFirst());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Application application && application.function.equals(function);
    }

    @Override
    public int hashCode() {
        return function.hashCode();
    }
}
