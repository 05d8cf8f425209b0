package org.isoloss.model;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The second tensor where the mask (the first) is not 0, the third elsewhere; all stretched to the common shape. */
final class Selection extends Operation {
    static final Selection INSTANCE = new Selection();

    private Selection() {}

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        return Dimensions.broadcast(arguments);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        List<List<T>> wide = Elements.filled(
                3, i -> Elements.stretched(arguments.get(i), self.argument(i).shape(), self.shape()));
        return Elements.filled(
                self.shape().count(),
                i -> algebra.chosen(
                        wide.getFirst().get(i), wide.get(1).get(i), wide.get(2).get(i)));
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.select(self, self.argument(0), self.argument(1), self.argument(2));
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        Value chosen = changes.get(1);
        Value other = changes.get(2);
        if (chosen == null && other == null) {
            return null;
        }
        Value zero = builder.constant(0);
        return builder.stretched(
                builder.select(self.argument(0), chosen == null ? zero : chosen, other == null ? zero : other),
                self.shape());
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        Value zero = builder.constant(0);
        Value mask = self.argument(0);
        return Arrays.asList(
                null,
                builder.summedTo(
                        builder.select(mask, upstream, zero), self.argument(1).shape()),
                builder.summedTo(
                        builder.select(mask, zero, upstream), self.argument(2).shape()));
    }

    @Override
    public boolean isSmoothIn(int argument) {
        return argument > 0;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        List<Value> aligned = batching.aligned(builder, self, arguments);
        return builder.select(aligned.get(0), aligned.get(1), aligned.get(2));
    }
}
