package org.isoloss.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tensors one behind the other along an axis. */
final class Concatenation extends Operation {
    private final int axis;

    Concatenation(int axis) {
        this.axis = axis;
    }

    int axis() {
        return axis;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        Dimensions first = arguments.getFirst();
        if (axis < 0 || axis >= first.rank()) {
            throw new IllegalArgumentException("axis %d of tensors of shape %s".formatted(axis, first));
        }
        int size = 0;
        for (Dimensions shape : arguments) {
            if (shape.rank() != first.rank() || !shape.with(axis, 1).equals(first.with(axis, 1))) {
                throw new IllegalArgumentException(
                        "shapes %s and %s differ not only along axis %d".formatted(first, shape, axis));
            }
            size += shape.size(axis);
        }
        return first.with(axis, size);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        return joined(self, arguments);
    }

    /** What stands at each place of the result, out of what stands at those of the arguments. */
    <T> List<T> joined(Value self, List<List<T>> arguments) {
        List<T> joined = new ArrayList<>();
        int blocks = 1;
        for (int before = 0; before < axis; before++) {
            blocks *= self.shape().size(before);
        }
        for (int block = 0; block < blocks; block++) {
            for (List<T> part : arguments) {
                int length = part.size() / blocks;
                joined.addAll(part.subList(block * length, (block + 1) * length));
            }
        }
        return joined;
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.concatenate(self, self.arguments(), axis);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        List<Value> parts = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            Value change = changes.get(i);
            parts.add(change == null ? builder.zeros(self.argument(i).shape()) : change);
        }
        return builder.concatenate(parts, axis);
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        List<@Nullable Value> gradients = new ArrayList<>();
        int begin = 0;
        for (Value part : self.arguments()) {
            gradients.add(builder.slice(upstream, axis, begin, part.shape().size(axis)));
            begin += part.shape().size(axis);
        }
        return gradients;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.concatenate(batching.stretched(builder, self, arguments), axis + 1);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Concatenation concatenation && concatenation.axis == axis;
    }

    @Override
    public int hashCode() {
        return axis;
    }
}
