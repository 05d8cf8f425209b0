package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Pointwise;

/** What can be said of values: each method adds the result of an operation, or of a few. */
abstract sealed class Expressions permits ModelBuilder {
    /**
     * Adds the result of an operation.
     *
     * @param operation what is done
     * @param arguments with what
     * @return the result; the one that was made before from the same
     */
    public abstract Value add(Operation operation, Value... arguments);

    /**
     * Adds a sum of scaled tensors, stretched to a common shape.
     *
     * @param factors one a tensor
     * @param values at least one
     * @return the sum
     */
    public Value sum(List<Double> factors, List<Value> values) {
        return values.size() == 1 && factors.getFirst() == 1
                ? values.getFirst()
                : add(new Sum(factors), values.toArray(Value[]::new));
    }

    /**
     * Adds a sum.
     *
     * @param values at least one
     * @return the sum
     */
    public Value sum(List<Value> values) {
        return sum(Collections.nCopies(values.size(), 1.0), values);
    }

    /**
     * Adds a sum of two.
     *
     * @param left a summand
     * @param right a summand
     * @return the sum
     */
    public Value plus(Value left, Value right) {
        return sum(List.of(left, right));
    }

    /**
     * Adds a difference.
     *
     * @param left from which is subtracted
     * @param right what is subtracted
     * @return the difference
     */
    public Value minus(Value left, Value right) {
        return sum(List.of(1.0, -1.0), List.of(left, right));
    }

    /**
     * Adds a multiple.
     *
     * @param factor any
     * @param value what is scaled
     * @return the multiple
     */
    public Value scaled(double factor, Value value) {
        return sum(List.of(factor), List.of(value));
    }

    /**
     * Adds a product entry by entry, stretched to a common shape.
     *
     * @param left a factor
     * @param right a factor
     * @return the product
     */
    public Value product(Value left, Value right) {
        return add(Product.INSTANCE, left, right);
    }

    /**
     * Adds a quotient entry by entry.
     *
     * @param left what is divided
     * @param right by what
     * @return the quotient
     */
    public Value quotient(Value left, Value right) {
        return product(left, apply(Power.RECIPROCAL, right));
    }

    /**
     * Adds a function of every entry.
     *
     * @param function of one variable
     * @param value the arguments
     * @return the values
     */
    public Value apply(Pointwise function, Value value) {
        return add(new Application(function), value);
    }

    /**
     * Adds a product of two tensors, summed over labelled axes.
     *
     * @param labels a letter for each axis, such as {@code ij,jk->ik}
     * @param left the first
     * @param right the second
     * @return the product
     */
    public Value contract(String labels, Value left, Value right) {
        String[] parts = labels.split(",|->", -1);
        return add(new Contraction(parts[0], parts[1], parts[2]), left, right);
    }

    /**
     * Adds the same entries under another shape.
     *
     * @param value any
     * @param shape with as many entries
     * @return the reshaped value
     */
    public Value reshape(Value value, Dimensions shape) {
        Value source = value.operation() instanceof Reshape ? value.argument(0) : value;
        return source.shape().equals(shape) ? source : add(new Reshape(shape), source);
    }

    Value rearrange(Value value, IndexMap map, double fill) {
        return map.isIdentity() ? value : add(new Rearrangement(map, fill), value);
    }

    /**
     * Adds a transposition.
     *
     * @param value any
     * @param order which axis comes at each place
     * @return the transposed value
     */
    public Value transpose(Value value, int... order) {
        return rearrange(value, IndexMap.transposed(value.shape(), order), 0);
    }

    /**
     * Repeats sizes of 1 and missing axes.
     *
     * @param value any
     * @param shape what it is stretched to
     * @return of this shape
     */
    public Value stretched(Value value, Dimensions shape) {
        return value.shape().equals(shape) ? value : rearrange(value, IndexMap.broadcast(value.shape(), shape), 0);
    }

    /** Sums over what {@link #stretched} repeats: its transpose. */
    Value summedTo(Value value, Dimensions shape) {
        int shift = value.shape().rank() - shape.rank();
        List<Integer> axes = IntStream.range(0, value.shape().rank())
                .filter(axis -> axis < shift
                        || (shape.size(axis - shift) == 1 && value.shape().size(axis) != 1))
                .boxed()
                .toList();
        return reshape(sumOver(value, axes), shape);
    }

    /**
     * Sums over axes.
     *
     * @param value any
     * @param axes which go
     * @return without them
     */
    public Value sumOver(Value value, List<Integer> axes) {
        return axes.isEmpty() ? value : add(new Reduction(axes, false), value);
    }

    /**
     * Averages over axes.
     *
     * @param value any
     * @param axes which go
     * @return without them
     */
    public Value meanOver(Value value, List<Integer> axes) {
        Value sum = sumOver(value, axes);
        return scaled((double) sum.shape().count() / value.shape().count(), sum);
    }

    /**
     * Takes the largest along axes.
     *
     * @param value any
     * @param axes which go
     * @return without them
     */
    public Value largestOver(Value value, List<Integer> axes) {
        return axes.isEmpty() ? value : add(new Reduction(axes, true), value);
    }

    /**
     * Marks the first largest along axes.
     *
     * @param value any
     * @param axes along which is compared
     * @return of the same shape: 1 at the first largest, 0 elsewhere
     */
    public Value largestPlace(Value value, List<Integer> axes) {
        return add(new LargestPlace(axes), value);
    }

    /**
     * Gives axes that were summed away a size of 1, so that the result combines with what it came from.
     *
     * @param value without these axes
     * @param axes where they were
     * @return with them
     */
    public Value restored(Value value, List<Integer> axes) {
        List<Integer> sizes = new ArrayList<>(value.shape().sizes());
        axes.stream().sorted().forEach(axis -> sizes.add(axis, 1));
        return reshape(value, new Dimensions(sizes));
    }

    /**
     * Takes a part along one axis.
     *
     * @param value any
     * @param axis from 0
     * @param begin the first
     * @param size how many
     * @return the part
     */
    public Value slice(Value value, int axis, int begin, int size) {
        int[] begins = new int[value.shape().rank()];
        begins[axis] = begin;
        return slice(
                value,
                begins,
                ones(begins.length),
                value.shape().with(axis, size).toArray(),
                0);
    }

    /**
     * Takes every so many entries along each axis, beginning where it is said, beyond the ends too.
     *
     * @param value any
     * @param begin along each axis; negative lies before the first
     * @param step along each axis; negative goes backwards
     * @param sizes of the result
     * @param fill what lies outside
     * @return of these sizes
     */
    public Value slice(Value value, int[] begin, int[] step, int[] sizes, double fill) {
        return rearrange(value, IndexMap.sliced(value.shape(), begin, step, sizes), fill);
    }

    /**
     * Makes windows over the last axes: from (..., n...) comes (..., window..., places...).
     *
     * @param value any
     * @param window size along each of the last axes
     * @param stride from window to window
     * @param dilation from entry to entry of a window
     * @param before how far the first begins before the value
     * @param places how many there are
     * @param fill what lies outside
     * @return the windows
     */
    public Value windows(
            Value value, int[] window, int[] stride, int[] dilation, int[] before, int[] places, double fill) {
        return rearrange(value, IndexMap.windows(value.shape(), window, stride, dilation, before, places), fill);
    }

    /**
     * Puts tensors one behind the other.
     *
     * @param values at least one
     * @param axis along which
     * @return all of them
     */
    public Value concatenate(List<Value> values, int axis) {
        return values.size() == 1 ? values.getFirst() : add(new Concatenation(axis), values.toArray(Value[]::new));
    }

    /**
     * Chooses slices of a table.
     *
     * @param table any
     * @param indices whole numbers from 0
     * @param axis of the table
     * @return the table's shape with that of the indices in the place of the axis
     */
    public Value lookup(Value table, Value indices, int axis) {
        return add(new Lookup(axis), table, indices);
    }

    /**
     * Adds slices to the rows of a table of zeros: the transpose of {@link #lookup}.
     *
     * @param slices the table's shape with that of the indices in the place of the axis
     * @param indices whole numbers from 0
     * @param axis of the table
     * @param rows of the table along the axis
     * @return the table
     */
    public Value accumulate(Value slices, Value indices, int axis, int rows) {
        return add(new Accumulation(axis, rows), slices, indices);
    }

    /**
     * Chooses between two tensors.
     *
     * @param mask not 0 where the first is taken
     * @param chosen the first
     * @param other the second
     * @return of the common shape
     */
    public Value select(Value mask, Value chosen, Value other) {
        return add(Selection.INSTANCE, mask, chosen, other);
    }

    /**
     * Compares.
     *
     * @param left the smaller one
     * @param right the larger one
     * @return 1 where {@code left < right}, 0 elsewhere
     */
    public Value less(Value left, Value right) {
        return add(new Comparison(Comparison.Kind.LESS), left, right);
    }

    /**
     * Compares.
     *
     * @param left the smaller one
     * @param right the larger one
     * @return 1 where {@code left <= right}, 0 elsewhere
     */
    public Value atMost(Value left, Value right) {
        return add(new Comparison(Comparison.Kind.AT_MOST), left, right);
    }

    /**
     * Compares.
     *
     * @param left one
     * @param right another
     * @return 1 where they are equal, 0 elsewhere
     */
    public Value equal(Value left, Value right) {
        return add(new Comparison(Comparison.Kind.EQUAL), left, right);
    }

    private static int[] ones(int count) {
        int[] ones = new int[count];
        Arrays.fill(ones, 1);
        return ones;
    }
}
