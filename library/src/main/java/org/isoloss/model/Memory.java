package org.isoloss.model;

import java.util.List;
import org.isoloss.autodiff.Pointwise;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of values in one precision, and the loops over them. Each value has a place; {@link Execution} decides which.
 * Every method returns what fills the place of {@code to} from the places of the others whenever it is run.
 */
public abstract class Memory {
    Memory() {}

    /** Sums of scaled tensors, stretched to the shape of the result. */
    abstract Runnable sum(Value to, List<Value> from, double[] factors);

    /** The product of two tensors, stretched to the shape of the result. */
    abstract Runnable product(Value to, Value left, Value right);

    /** A function of every entry. */
    abstract Runnable apply(Value to, Value from, Pointwise function);

    /** The sum, or the largest, along the axes that the result repeats: {@code strides} are the result's, 0 along these. */
    abstract Runnable reduce(Value to, Value from, int[] strides, boolean largest);

    /** 1 at the first largest entry along the axes that {@code strides} repeats, 0 elsewhere. */
    abstract Runnable largestPlace(Value to, Value from, int[] strides);

    /** Copies entries through a map; what lies outside of the source becomes {@code fill}. */
    abstract Runnable gather(Value to, Value from, IndexMap map, double fill);

    /**
     * What {@link #reduce} makes of what {@link #gather} makes of a source, without the copy; outside of the source lies what
     * changes nothing. With weights, each entry is multiplied by the one that {@code weightStrides} give it.
     */
    abstract Runnable through(
            Value to,
            Value source,
            IndexMap map,
            int[] strides,
            boolean largest,
            @Nullable Value weights,
            int[] weightStrides);

    /** Adds entries to the places they came from; the transpose of {@link #gather}. */
    abstract Runnable scatter(Value to, Value from, IndexMap map);

    /** Puts tensors one behind the other along an axis. */
    abstract Runnable concatenate(Value to, List<Value> from, int axis);

    /** The same numbers in the same order. */
    abstract Runnable copy(Value to, Value from);

    /** Slices of a table along an axis, chosen by whole numbers. */
    abstract Runnable lookup(Value to, Value table, Value indices, int axis);

    /** Adds slices to the places of a table that whole numbers choose; the transpose of {@link #lookup}. */
    abstract Runnable accumulate(Value to, Value slices, Value indices, int axis);

    /** The second tensor where the first is not 0, the third elsewhere; all stretched to the shape of the result. */
    abstract Runnable select(Value to, Value mask, Value chosen, Value other);

    /** 1 where a comparison of two tensors holds, 0 elsewhere. */
    abstract Runnable compare(Value to, Value left, Value right, Comparison.Kind kind);

    /** A product of two tensors summed over labelled axes. */
    abstract Runnable contract(Value to, Value left, Value right, ContractionPlan plan);

    /** Makes room for results that come and go. */
    abstract void allocate(int size);

    /** Puts a value into the room, from an offset on. */
    abstract void place(Value value, int offset);

    /** Puts a value where its own numbers are. */
    abstract void place(Value value, Numbers own);

    /** Puts a value where another one is, which has the same numbers. */
    abstract void alias(Value value, Value other);

    /** Another memory of the same precision. */
    abstract Memory another();

    /** Puts a value where one of another memory is, which has the same numbers. */
    abstract void alias(Value value, Memory other, Value outer);

    /** Copies the part of a value of another memory that begins at an offset, with as many axes. */
    abstract TileLoop.Transfer load(Value part, Memory other, Value whole);

    /** Copies a value to the part of one of another memory. */
    abstract TileLoop.Transfer store(Value part, Memory other, Value whole);

    /** Sets the numbers of a value from an array, from {@code begin} on. */
    abstract void set(Value value, double[] from, int begin);

    /** Copies the numbers of a value to an array, from {@code begin} on. */
    abstract void copyTo(Value value, double[] to, int begin);
}
