package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The sum or the largest of the entries along some axes, which the result has no longer. */
final class Reduction extends Operation {
    private final List<Integer> axes;
    private final boolean largest;

    Reduction(List<Integer> axes, boolean largest) {
        this.axes = axes.stream().sorted().toList();
        this.largest = largest;
    }

    List<Integer> axes() {
        return axes;
    }

    boolean largest() {
        return largest;
    }

    @Override
    public String name() {
        return largest ? "Largest" : "Reduction";
    }

    @Override
    public Dimensions shape(List<Dimensions> arguments) {
        Dimensions shape = arguments.getFirst();
        for (int axis : axes) {
            if (axis < 0 || axis >= shape.rank()) {
                throw new IllegalArgumentException(
                        "axis %d of a tensor of shape %s, which has %d".formatted(axis, shape, shape.rank()));
            }
        }
        return shape.without(axes);
    }

    /** For each axis of the argument the stride of the result; 0 along the axes that go. */
    static int[] strides(Dimensions shape, List<Integer> axes) {
        int[] kept = shape.without(axes).strides();
        int[] strides = new int[shape.rank()];
        for (int axis = 0, next = 0; axis < strides.length; axis++) {
            strides[axis] = axes.contains(axis) ? 0 : kept[next++];
        }
        return strides;
    }

    @Override
    public <T> List<T> over(Algebra<T> algebra, Value self, List<List<T>> arguments) {
        Dimensions shape = self.argument(0).shape();
        int[] places = Elements.places(shape, strides(shape, axes));
        return reduced(algebra, arguments.getFirst(), places, self.shape().count());
    }

    /** Reduces entries to places. */
    <T> List<T> reduced(Algebra<T> algebra, List<T> entries, int[] places, int count) {
        List<@Nullable T> results = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            results.add(null);
        }
        for (int i = 0; i < places.length; i++) {
            T before = results.get(places[i]);
            T entry = entries.get(i);
            T after = before == null ? entry : largest ? algebra.larger(before, entry) : algebra.plus(before, entry);
            results.set(places[i], after);
        }
        return Elements.filled(results.size(), i -> Objects.requireNonNull(results.get(i)));
    }

    @Override
    public Runnable kernel(Memory memory, Value self) {
        Value from = self.argument(0);
        return memory.reduce(self, from, strides(from.shape(), axes), largest);
    }

    @Override
    public @Nullable Value tangent(ModelBuilder builder, Value self, List<@Nullable Value> changes) {
        Value change = Objects.requireNonNull(changes.getFirst());
        return builder.sumOver(largest ? builder.product(change, place(builder, self)) : change, axes);
    }

    @Override
    public List<@Nullable Value> pullback(ModelBuilder builder, Value self, Value upstream) {
        Dimensions shape = self.argument(0).shape();
        Value wide = builder.stretched(builder.reshape(upstream, kept(shape)), shape);
        return Arrays.asList(largest ? builder.product(wide, place(builder, self)) : wide);
    }

    /** The shape with a size of 1 along each axis that goes. */
    private Dimensions kept(Dimensions shape) {
        Dimensions kept = shape;
        for (int axis : axes) {
            kept = kept.with(axis, 1);
        }
        return kept;
    }

    private Value place(ModelBuilder builder, Value self) {
        return builder.add(new LargestPlace(axes), self.argument(0));
    }

    @Override
    public Value batched(ModelBuilder builder, Value self, List<Value> arguments, Batching batching) {
        return builder.add(new Reduction(Batching.shifted(axes), largest), arguments.getFirst());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Reduction reduction && reduction.axes.equals(axes) && reduction.largest == largest;
    }

    @Override
    public int hashCode() {
        return axes.hashCode() * 2 + (largest ? 1 : 0);
    }
}
