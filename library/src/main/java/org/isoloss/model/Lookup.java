package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Slices of a table (first argument) along an axis, chosen by whole numbers from 0 (second argument). */
final class Lookup extends Operation {
    private final int axis;

    Lookup(int axis) {
        this.axis = axis;
    }

    int axis() {
        return axis;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        Dimensions table = arguments.getFirst();
        if (axis < 0 || axis >= table.rank()) {
            throw new IllegalArgumentException("axis %d of a table of shape %s".formatted(axis, table));
        }
        List<Integer> sizes = new ArrayList<>(table.sizes().subList(0, axis));
        sizes.addAll(arguments.get(1).sizes());
        sizes.addAll(table.sizes().subList(axis + 1, table.rank()));
        return new Dimensions(sizes);
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        int[] places = places(algebra, self.argument(0).shape(), arguments.get(1), axis);
        return Elements.filled(places.length, i -> arguments.getFirst().get(places[i]));
    }

    /** For each entry of the chosen slices, where it lies in the table. */
    static <T> int[] places(Algebra<T> algebra, Dimensions table, List<T> indices, int axis) {
        int[] strides = table.strides();
        int inner = strides[axis];
        int outer = table.count() / (inner * table.size(axis));
        int[] places = new int[outer * indices.size() * inner];
        for (int block = 0, at = 0; block < outer; block++) {
            for (T element : indices) {
                int row = row(algebra.number(element), table.size(axis));
                for (int i = 0; i < inner; i++) {
                    places[at++] = (block * table.size(axis) + row) * inner + i;
                }
            }
        }
        return places;
    }

    /** Checks an index. */
    static int row(double index, int rows) {
        if (!(index >= 0 && index < rows) || index != Math.rint(index)) {
            throw new IllegalArgumentException("index %s into a table of %d rows; expected a whole number from 0 to %d"
                    .formatted(index, rows, rows - 1));
        }
        return (int) index;
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.lookup(self, self.argument(0), self.argument(1), axis);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        Value change = changes.getFirst();
        return change == null ? null : builder.lookup(change, self.argument(1), axis);
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        Value table =
                builder.add(new Accumulation(axis, self.argument(0).shape().size(axis)), upstream, self.argument(1));
        return Arrays.asList(table, null);
    }

    @Override
    public boolean isSmoothIn(int argument) {
        return argument == 0;
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        batching.requireSingle(self, arguments, 1);
        return builder.lookup(arguments.getFirst(), arguments.get(1), axis + 1);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Lookup lookup && lookup.axis == axis;
    }

    @Override
    public int hashCode() {
        return axis + 17;
    }
}
