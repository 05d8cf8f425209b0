package org.isoloss.checkpoint;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A value of an ONNX graph: its shape and, where they follow from constants, its numbers. Whole numbers and truth values are held
 * as float64 too; those that do not fit are ends of slices, which mean no more than "to the end". Not modified once it is made.
 */
final class OnnxArray {
    /** More elements than this have no numbers: nothing that is looked at has as many. */
    static final int LARGEST = 1 << 20;

    private final int[] shape;
    private final double @Nullable [] values;

    private OnnxArray(int[] shape, double @Nullable [] values) {
        this.shape = shape;
        this.values = values;
    }

    /** Returns numbers in a shape; both are kept. */
    static OnnxArray of(int[] shape, double... values) {
        if (values.length != count(shape)) {
            throw new IllegalArgumentException(values.length + " numbers in shape " + Arrays.toString(shape));
        }
        return new OnnxArray(shape, values);
    }

    static OnnxArray list(double... values) {
        return of(new int[] {values.length}, values);
    }

    /** Returns a value of which only the shape is known. */
    static OnnxArray unknown(int... shape) {
        count(shape);
        return new OnnxArray(shape, null);
    }

    /** Returns 0, 1, 2 and so on in a shape. */
    static OnnxArray numbered(int... shape) {
        double[] values = new double[count(shape)];
        Arrays.setAll(values, i -> i);
        return of(shape, values);
    }

    private static int count(int[] shape) {
        int count = 1;
        for (int size : shape) {
            if (size < 0) {
                throw new IllegalArgumentException("a negative size");
            }
            count = Math.multiplyExact(count, size);
        }
        return count;
    }

    int[] shape() {
        return shape.clone();
    }

    int rank() {
        return shape.length;
    }

    /** Returns a size; negative axes count from the end. */
    int size(int axis) {
        return shape[axis < 0 ? axis + rank() : axis];
    }

    boolean isKnown() {
        return values != null;
    }

    /**
     * Returns the numbers.
     *
     * @throws IllegalArgumentException when they are not known
     */
    double[] values() {
        if (values == null) {
            throw new IllegalArgumentException("not known");
        }
        return values.clone();
    }

    /** Returns the numbers as sizes or indices; larger ones are cut to what an int holds. */
    int[] wholes() {
        return Arrays.stream(values()).mapToInt(value -> (int) value).toArray();
    }

    OnnxArray each(DoubleUnaryOperator function) {
        return values == null
                ? this
                : new OnnxArray(shape, Arrays.stream(values).map(function).toArray());
    }

    OnnxArray with(OnnxArray other, DoubleBinaryOperator function) {
        int[] common = common(shape, other.shape);
        double[] left = stretched(common).values;
        double[] right = other.stretched(common).values;
        if (left == null || right == null) {
            return unknown(common);
        }
        double[] result = new double[left.length];
        Arrays.setAll(result, i -> function.applyAsDouble(left[i], right[i]));
        return new OnnxArray(common, result);
    }

    /** Returns the shape to which both are stretched. */
    static int[] common(int[] left, int[] right) {
        int[] common = new int[Math.max(left.length, right.length)];
        for (int i = 1; i <= common.length; i++) {
            int one = i <= left.length ? left[left.length - i] : 1;
            int other = i <= right.length ? right[right.length - i] : 1;
            if (one != other && one != 1 && other != 1) {
                throw new IllegalArgumentException("sizes %d and %d".formatted(one, other));
            }
            common[common.length - i] = one == 1 ? other : one;
        }
        return common;
    }

    /** Returns this repeated along axes of size 1. */
    OnnxArray stretched(int... to) {
        return rearranged(to, index -> {
            int from = 0;
            int stride = 1;
            int rest = index;
            for (int axis = to.length - 1, own = rank() - 1; own >= 0; axis--, own--) {
                from += (shape[own] == 1 ? 0 : rest % to[axis]) * stride;
                rest /= to[axis];
                stride *= shape[own];
            }
            return from;
        });
    }

    /** Returns this in another shape of as many elements. */
    OnnxArray reshaped(int... to) {
        if (count(to) != count(shape)) {
            throw new IllegalArgumentException(
                    "shape %s is no %s".formatted(Arrays.toString(shape), Arrays.toString(to)));
        }
        return new OnnxArray(to, values);
    }

    OnnxArray transposed(int... order) {
        int[] to = Arrays.stream(order).map(axis -> shape[axis]).toArray();
        int[] strides = new int[rank()];
        for (int axis = rank() - 1, stride = 1; axis >= 0; axis--) {
            strides[axis] = stride;
            stride *= shape[axis];
        }
        return rearranged(to, index -> {
            int from = 0;
            int rest = index;
            for (int axis = to.length - 1; axis >= 0; axis--) {
                from += rest % to[axis] * strides[order[axis]];
                rest /= to[axis];
            }
            return from;
        });
    }

    /** Returns the parts of an axis with these indices; negative ones count from the end. */
    OnnxArray taken(int axis, OnnxArray indices) {
        int at = axis < 0 ? axis + rank() : axis;
        int inner = count(Arrays.copyOfRange(shape, at + 1, rank()));
        int[] to = new int[rank() - 1 + indices.rank()];
        System.arraycopy(shape, 0, to, 0, at);
        System.arraycopy(indices.shape, 0, to, at, indices.rank());
        System.arraycopy(shape, at + 1, to, at + indices.rank(), rank() - at - 1);
        if (!isKnown() || !indices.isKnown()) {
            return unknown(to);
        }
        int[] chosen = indices.wholes();
        return rearranged(to, index -> {
            int part = chosen[index / inner % chosen.length];
            int own = part < 0 ? part + shape[at] : part;
            if (own < 0 || own >= shape[at]) {
                throw new IllegalArgumentException("index " + part);
            }
            return (index / inner / chosen.length * shape[at] + own) * inner + index % inner;
        });
    }

    /** Returns this followed by another along an axis. */
    OnnxArray followedBy(OnnxArray other, int axis) {
        int at = axis < 0 ? axis + rank() : axis;
        int[] to = shape.clone();
        to[at] += other.shape[at];
        if (count(to) != count(shape) + count(other.shape) || values == null || other.values == null) {
            return unknown(to);
        }
        int inner = count(Arrays.copyOfRange(shape, at, rank()));
        int more = count(Arrays.copyOfRange(other.shape, at, rank()));
        double[] result = new double[count(to)];
        for (int outer = 0; outer * (inner + more) < result.length; outer++) {
            System.arraycopy(values, outer * inner, result, outer * (inner + more), inner);
            System.arraycopy(other.values, outer * more, result, outer * (inner + more) + inner, more);
        }
        return new OnnxArray(to, result);
    }

    /** Returns the elements from {@code from} of each index of a shape. */
    private OnnxArray rearranged(int[] to, IntUnaryOperator from) {
        int count = count(to);
        double[] own = values;
        if (own == null || count > LARGEST) {
            return unknown(to);
        }
        double[] result = new double[count];
        Arrays.setAll(result, i -> own[from.applyAsInt(i)]);
        return new OnnxArray(to, result);
    }
}
