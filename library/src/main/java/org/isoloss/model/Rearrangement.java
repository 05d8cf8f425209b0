package org.isoloss.model;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a tensor in other places: transposed, sliced, flipped, padded, in windows, repeated. What lies outside of
 * the source is a fixed number.
 */
final class Rearrangement extends Operation {
    private final IndexMap map;
    private final double fill;

    Rearrangement(IndexMap map, double fill) {
        this.map = map;
        this.fill = fill;
    }

    IndexMap map() {
        return map;
    }

    double fill() {
        return fill;
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        if (!arguments.getFirst().equals(map.source())) {
            throw new IllegalArgumentException(
                    "a map of shape %s for a tensor of shape %s".formatted(map.source(), arguments.getFirst()));
        }
        return map.target();
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        int[] table = map.table();
        return Elements.filled(
                table.length,
                i -> table[i] < 0
                        ? algebra.constant(fill)
                        : arguments.getFirst().get(table[i]));
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        return memory.gather(self, self.argument(0), map, fill);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        return builder.rearrange(Objects.requireNonNull(changes.getFirst()), map, 0);
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        return Arrays.asList(builder.add(new Scattering(map), upstream));
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.rearrange(arguments.getFirst(), map.repeated(batching.count()), fill);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Rearrangement rearrangement
                && rearrangement.map.equals(map)
                && Double.compare(rearrangement.fill, fill) == 0;
    }

    @Override
    public int hashCode() {
        return map.hashCode();
    }
}
