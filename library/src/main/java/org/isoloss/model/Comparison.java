package org.isoloss.model;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** 1 where a comparison of two tensors holds, 0 elsewhere; constant almost everywhere, so without a derivative. */
public final class Comparison extends Operation {
    /** What is compared. */
    public enum Kind {
        /** Whether the left is smaller. */
        LESS,
        /** Whether the left is not larger. */
        AT_MOST,
        /** Whether both are equal. */
        EQUAL;

        /**
         * Compares.
         *
         * @param left one
         * @param right another
         * @return whether it holds
         */
        public boolean holds(double left, double right) {
            return switch (this) {
                case LESS -> left < right;
                case AT_MOST -> left <= right;
                case EQUAL -> left == right;
            };
        }
    }

    private final Kind kind;

    Comparison(Kind kind) {
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        return Dimensions.broadcast(arguments);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        List<T> left = Elements.stretched(arguments.get(0), self.argument(0).shape(), self.shape());
        List<T> right = Elements.stretched(arguments.get(1), self.argument(1).shape(), self.shape());
        return Elements.filled(left.size(), i -> algebra.compared(kind, left.get(i), right.get(i)));
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.compare(self, self.argument(0), self.argument(1), kind);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        return null;
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList((Value) null, null);
    }

    @Override
    public boolean isSmoothIn(int argument) {
        return false;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        List<Value> aligned = batching.aligned(builder, self, arguments);
        return builder.add(this, aligned.get(0), aligned.get(1));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Comparison comparison && comparison.kind == kind;
    }

    @Override
    public int hashCode() {
        return kind.hashCode();
    }
}
