package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds slices (first argument) to the rows of a table of zeros that whole numbers choose: the transpose of {@link Lookup}. */
final class Accumulation extends Operation {
    private final int axis;
    private final int rows;

    Accumulation(int axis, int rows) {
        this.axis = axis;
        this.rows = rows;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        Dimensions slices = arguments.getFirst();
        int rank = arguments.get(1).rank();
        if (slices.rank() < axis + rank
                || !slices.sizes()
                        .subList(axis, axis + rank)
                        .equals(arguments.get(1).sizes())) {
            throw new IllegalArgumentException(
                    "slices of shape %s for indices of shape %s at axis %d".formatted(slices, arguments.get(1), axis));
        }
        List<Integer> sizes = new ArrayList<>(slices.sizes().subList(0, axis));
        sizes.add(rows);
        sizes.addAll(slices.sizes().subList(axis + rank, slices.rank()));
        return new Dimensions(sizes);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        int[] places = Lookup.places(algebra, self.shape(), arguments.get(1), axis);
        List<T> sums = new ArrayList<>();
        T zero = algebra.constant(0);
        for (int i = 0; i < self.shape().count(); i++) {
            sums.add(zero);
        }
        for (int i = 0; i < places.length; i++) {
            sums.set(
                    places[i],
                    algebra.plus(sums.get(places[i]), arguments.getFirst().get(i)));
        }
        return sums;
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.accumulate(self, self.argument(0), self.argument(1), axis);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        Value change = changes.getFirst();
        return change == null ? null : builder.add(this, change, self.argument(1));
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList(builder.lookup(upstream, self.argument(1), axis), null);
    }

    @Override
    public boolean isSmoothIn(int argument) {
        return argument == 0;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        batching.requireSingle(self, arguments, 1);
        return builder.add(new Accumulation(axis + 1, rows), arguments.getFirst(), arguments.get(1));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Accumulation accumulation && accumulation.axis == axis && accumulation.rows == rows;
    }

    @Override
    public int hashCode() {
        return axis * 31 + rows;
    }
}
