package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Adds entries to the places that they were taken from: the transpose of {@link Rearrangement}. */
final class Scattering extends Operation {
    private final IndexMap map;

    Scattering(IndexMap map) {
        this.map = map;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        if (!arguments.getFirst().equals(map.target())) {
            throw new IllegalArgumentException(
                    "a map to shape %s for a tensor of shape %s".formatted(map.target(), arguments.getFirst()));
        }
        return map.source();
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        int[] table = map.table();
        List<T> sums = new ArrayList<>();
        T zero = algebra.constant(0);
        for (int i = 0; i < self.shape().count(); i++) {
            sums.add(zero);
        }
        for (int i = 0; i < table.length; i++) {
            if (table[i] >= 0) {
                sums.set(
                        table[i],
                        algebra.plus(sums.get(table[i]), arguments.getFirst().get(i)));
            }
        }
        return sums;
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.scatter(self, self.argument(0), map);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        return builder.add(this, Objects.requireNonNull(changes.getFirst()));
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList(builder.rearrange(upstream, map, 0));
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.add(new Scattering(map.repeated(batching.count())), arguments.getFirst());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Scattering scattering && scattering.map.equals(map);
    }

    @Override
    public int hashCode() {
        return map.hashCode() + 1;
    }
}
