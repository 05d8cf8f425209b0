package org.isoloss.model;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The same entries in the same order under another shape. */
final class Reshape extends Operation {
    private final Dimensions shape;

    Reshape(Dimensions shape) {
        this.shape = shape;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        if (arguments.getFirst().count() != shape.count()) {
            throw new IllegalArgumentException("a tensor of shape %s has %d entries, %s has %d"
                    .formatted(arguments.getFirst(), arguments.getFirst().count(), shape, shape.count()));
        }
        return shape;
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        return arguments.getFirst();
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.copy(self, self.argument(0));
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        return builder.reshape(Objects.requireNonNull(changes.getFirst()), shape);
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList(builder.reshape(upstream, self.argument(0).shape()));
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.reshape(arguments.getFirst(), batching.with(shape));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Reshape reshape && reshape.shape.equals(shape);
    }

    @Override
    public int hashCode() {
        return shape.hashCode();
    }
}
