package org.isoloss.model;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** 1 at the first of the largest entries along some axes, 0 elsewhere: the derivative of the largest. */
final class LargestPlace extends Operation {
    private final List<Integer> axes;

    LargestPlace(List<Integer> axes) {
        this.axes = axes.stream().sorted().toList();
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        return arguments.getFirst();
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        Dimensions shape = self.shape();
        int[] places = Elements.places(shape, Reduction.strides(shape, axes));
        List<T> entries = arguments.getFirst();
        int count = shape.without(axes).count();
        List<T> largest = new Reduction(axes, true).reduced(algebra, entries, places, count);
        boolean[] taken = new boolean[count]; // only the first of equal ones counts
        return Elements.filled(places.length, i -> {
            T is = algebra.compared(Comparison.Kind.EQUAL, entries.get(i), largest.get(places[i]));
            boolean first = !taken[places[i]];
            taken[places[i]] |= algebra.decides(is) && algebra.number(is) != 0;
            return first ? is : algebra.constant(0);
        });
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.largestPlace(self, self.argument(0), Reduction.strides(self.shape(), axes));
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        return null;
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList((Value) null);
    }

    @Override
    public boolean isSmoothIn(int argument) {
        return false;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.add(new LargestPlace(Batching.shifted(axes)), arguments.getFirst());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LargestPlace place && place.axes.equals(axes);
    }

    @Override
    public int hashCode() {
        return axes.hashCode();
    }
}
