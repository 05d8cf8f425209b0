package org.isoloss.checkpoint;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What operations of ONNX make of shapes and numbers. Of those that run over hidden states only the shape is known.
 *
 * @see "https://onnx.ai/onnx/operators/"
 */
final class OnnxOperations {
    private static final int TRUTH = 9;
    private static final List<Long> FLOATS = List.of(1L, 10L, 11L, 16L);

    private OnnxOperations() {}

    /**
     * Computes an operation.
     *
     * @param inputs those that are given, in order; not modified
     * @return its first output; null for an operation that is not known here
     * @throws IllegalArgumentException when the inputs do not fit it, or numbers that it needs are not known
     */
    static @Nullable OnnxArray apply(OnnxNode node, List<OnnxArray> inputs) {
        OnnxArray first = inputs.getFirst();
        return switch (node.operation()) {
            case "Identity", "Dropout" -> first;
            case "LayerNormalization", "Softmax", "Erf", "Tanh", "Relu", "Gelu", "Sigmoid", "Softplus", "Clip", "Exp" ->
                OnnxArray.unknown(first.shape());
            case "Cast" ->
                cast(first, node.attribute("to").map(OnnxNode.Attribute::whole).orElse(0L));
            case "Not" -> first.each(value -> value == 0 ? 1 : 0);
            case "IsNaN" -> first.each(value -> Double.isNaN(value) ? 1 : 0);
            case "Neg" -> first.each(value -> -value);
            case "Sqrt" -> first.each(Math::sqrt);
            case "Add" -> both(inputs, Double::sum);
            case "Sub" -> both(inputs, (left, right) -> left - right);
            case "Mul" -> both(inputs, (left, right) -> left * right);
            case "Div" -> both(inputs, (left, right) -> left / right); // sizes are divided where it comes out even
            case "Pow" -> both(inputs, Math::pow);
            case "Max" -> both(inputs, Math::max);
            case "Min" -> both(inputs, Math::min);
            case "Equal" -> both(inputs, (left, right) -> left == right ? 1 : 0);
            case "Greater" -> both(inputs, (left, right) -> left > right ? 1 : 0);
            case "GreaterOrEqual" -> both(inputs, (left, right) -> left >= right ? 1 : 0);
            case "Less" -> both(inputs, (left, right) -> left < right ? 1 : 0);
            case "LessOrEqual" -> both(inputs, (left, right) -> left <= right ? 1 : 0);
            case "And" -> both(inputs, (left, right) -> left != 0 && right != 0 ? 1 : 0);
            case "Or" -> both(inputs, (left, right) -> left != 0 || right != 0 ? 1 : 0);
            case "Where" -> where(first, inputs.get(1), inputs.get(2));
            case "Shape" -> shape(node, first);
            case "Range" ->
                range(
                        first.values()[0],
                        inputs.get(1).values()[0],
                        inputs.get(2).values()[0]);
            case "Reshape" -> reshape(node, first, inputs.get(1).wholes());
            case "Flatten" -> flatten(first, whole(node, "axis", 1));
            case "Unsqueeze" -> unsqueeze(first, axes(node, inputs));
            case "Squeeze" -> squeeze(first, axes(node, inputs));
            case "Transpose" -> first.transposed(order(node, first.rank()));
            case "Expand" ->
                first.stretched(OnnxArray.common(first.shape(), inputs.get(1).wholes()));
            case "Slice" -> slice(first, inputs);
            case "Gather" -> first.taken(whole(node, "axis", 0), inputs.get(1));
            case "GatherND" -> whole(node, "batch_dims", 0) == 0 ? gatherPoints(first, inputs.get(1)) : null;
            case "Concat" -> {
                OnnxArray all = first;
                for (OnnxArray next : inputs.subList(1, inputs.size())) {
                    all = all.followedBy(next, whole(node, "axis", 0));
                }
                yield all;
            }
            case "Trilu" ->
                triangle(node, first, inputs.size() > 1 ? inputs.get(1).wholes()[0] : 0);
            case "ReduceMean" -> mean(node, first, inputs);
            case "MatMul" -> product(first.shape(), inputs.get(1).shape());
            case "Gemm" -> gemm(node, first, inputs.get(1));
            default -> null;
        };
    }

    private static OnnxArray both(List<OnnxArray> inputs, DoubleBinaryOperator function) {
        return inputs.getFirst().with(inputs.get(1), function);
    }

    private static int whole(OnnxNode node, String attribute, int usual) {
        return node.attribute(attribute)
                .map(given -> Math.toIntExact(given.whole()))
                .orElse(usual);
    }

    private static OnnxArray cast(OnnxArray array, long to) {
        if (FLOATS.contains(to)) {
            return array;
        }
        return to == TRUTH
                ? array.each(value -> value == 0 ? 0 : 1)
                : array.each(value -> value < 0 ? Math.ceil(value) : Math.floor(value));
    }

    private static OnnxArray where(OnnxArray condition, OnnxArray yes, OnnxArray no) {
        int[] common = OnnxArray.common(condition.shape(), OnnxArray.common(yes.shape(), no.shape()));
        if (!condition.isKnown() || !yes.isKnown() || !no.isKnown()) {
            return OnnxArray.unknown(common);
        }
        double[] chosen = condition.stretched(common).values();
        double[] left = yes.stretched(common).values();
        double[] right = no.stretched(common).values();
        Arrays.setAll(chosen, i -> chosen[i] == 0 ? right[i] : left[i]);
        return OnnxArray.of(common, chosen);
    }

    private static OnnxArray shape(OnnxNode node, OnnxArray array) {
        int rank = array.rank();
        int begin = clamped(whole(node, "start", 0), rank);
        int end = clamped(whole(node, "end", rank), rank);
        int[] part = Arrays.copyOfRange(array.shape(), begin, Math.max(begin, end));
        return OnnxArray.list(Arrays.stream(part).asDoubleStream().toArray());
    }

    /** Returns an index counted from the front, between 0 and the size. */
    private static int clamped(int index, int size) {
        return Math.clamp(index < 0 ? (long) index + size : index, 0, size);
    }

    private static OnnxArray range(double start, double limit, double step) {
        double count = Math.max(0, Math.ceil((limit - start) / step));
        if (!(count <= OnnxArray.LARGEST)) {
            throw new IllegalArgumentException("a range of " + count);
        }
        return OnnxArray.numbered((int) count).each(i -> start + i * step);
    }

    private static OnnxArray reshape(OnnxNode node, OnnxArray array, int[] sizes) {
        long known = 1;
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] == 0 && whole(node, "allowzero", 0) == 0) {
                sizes[i] = array.size(i);
            }
            known *= sizes[i] == -1 ? 1 : sizes[i];
        }
        long count = Arrays.stream(array.shape()).asLongStream().reduce(1, (left, right) -> left * right);
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] == -1) {
                sizes[i] = Math.toIntExact(count / known);
            }
        }
        return array.reshaped(sizes);
    }

    private static OnnxArray flatten(OnnxArray array, int axis) {
        int[] shape = array.shape();
        int at = axis < 0 ? axis + shape.length : axis;
        int rows = IntStream.range(0, at).map(i -> shape[i]).reduce(1, Math::multiplyExact);
        int columns = IntStream.range(at, shape.length).map(i -> shape[i]).reduce(1, Math::multiplyExact);
        return array.reshaped(rows, columns);
    }

    /** Returns the axes that are given as an attribute or, since version 13, as an input; empty for none. */
    private static int[] axes(OnnxNode node, List<OnnxArray> inputs) {
        if (inputs.size() > 1) {
            return inputs.get(1).wholes();
        }
        return node.attribute("axes")
                .map(given -> given.wholes().stream().mapToInt(Math::toIntExact).toArray())
                .orElse(new int[0]);
    }

    private static OnnxArray unsqueeze(OnnxArray array, int[] axes) {
        int rank = array.rank() + axes.length;
        List<Integer> added = Arrays.stream(axes)
                .map(axis -> axis < 0 ? axis + rank : axis)
                .boxed()
                .toList();
        int[] to = new int[rank];
        int own = 0;
        for (int axis = 0; axis < rank; axis++) {
            to[axis] = added.contains(axis) ? 1 : array.size(own++);
        }
        return array.reshaped(to);
    }

    private static OnnxArray squeeze(OnnxArray array, int[] axes) {
        int rank = array.rank();
        List<Integer> removed = Arrays.stream(axes)
                .map(axis -> axis < 0 ? axis + rank : axis)
                .boxed()
                .toList();
        return array.reshaped(IntStream.range(0, rank)
                .filter(axis -> removed.isEmpty() ? array.size(axis) != 1 : !removed.contains(axis))
                .map(array::size)
                .toArray());
    }

    private static int[] order(OnnxNode node, int rank) {
        return node.attribute("perm")
                .map(given -> given.wholes().stream().mapToInt(Math::toIntExact).toArray())
                .orElseGet(() ->
                        IntStream.range(0, rank).map(axis -> rank - 1 - axis).toArray());
    }

    private static OnnxArray slice(OnnxArray array, List<OnnxArray> inputs) {
        int[] starts = inputs.get(1).wholes();
        int[] ends = inputs.get(2).wholes();
        int[] axes = inputs.size() > 3
                ? inputs.get(3).wholes()
                : IntStream.range(0, starts.length).toArray();
        OnnxArray part = array;
        for (int i = 0; i < axes.length; i++) {
            if (inputs.size() > 4 && inputs.get(4).wholes()[i] != 1) {
                throw new IllegalArgumentException("a step other than 1");
            }
            int size = array.size(axes[i]);
            int begin = clamped(starts[i], size);
            int end = Math.max(begin, clamped(ends[i], size));
            part = part.taken(axes[i], range(begin, end, 1));
        }
        return part;
    }

    /** Returns the elements, or the parts, whose indices lie along the last axis. */
    private static OnnxArray gatherPoints(OnnxArray array, OnnxArray points) {
        int depth = points.size(-1);
        int[] shape = array.shape();
        int rows = IntStream.range(0, depth).map(i -> shape[i]).reduce(1, Math::multiplyExact);
        int[] inner = Arrays.copyOfRange(shape, depth, shape.length);
        int[] flat = IntStream.concat(IntStream.of(rows), Arrays.stream(inner)).toArray();
        double[] all = points.values();
        double[] index = new double[all.length / depth];
        for (int i = 0; i < all.length; i++) {
            int size = shape[i % depth];
            double own = all[i] < 0 ? all[i] + size : all[i];
            if (own < 0 || own >= size) {
                throw new IllegalArgumentException("index " + all[i]);
            }
            index[i / depth] = index[i / depth] * size + own;
        }
        int[] outer = Arrays.copyOf(points.shape(), points.rank() - 1);
        return array.reshaped(flat).taken(0, OnnxArray.of(outer, index));
    }

    private static OnnxArray triangle(OnnxNode node, OnnxArray array, int shift) {
        boolean upper = whole(node, "upper", 1) != 0;
        int rows = array.size(-2);
        int columns = array.size(-1);
        double[] values = array.values();
        for (int i = 0; i < values.length; i++) {
            int beyond = i % columns - i / columns % rows - shift;
            values[i] = (upper ? beyond >= 0 : beyond <= 0) ? values[i] : 0;
        }
        return OnnxArray.of(array.shape(), values);
    }

    private static OnnxArray mean(OnnxNode node, OnnxArray array, List<OnnxArray> inputs) {
        int[] shape = array.shape();
        for (int axis : axes(node, inputs)) {
            shape[axis < 0 ? axis + shape.length : axis] = 1;
        }
        return whole(node, "keepdims", 1) == 1 && axes(node, inputs).length > 0
                ? OnnxArray.unknown(shape)
                : OnnxArray.unknown();
    }

    private static OnnxArray product(int[] left, int[] right) {
        int rows = left.length;
        int columns = right.length;
        if (rows < 2 || columns < 2 || left[rows - 1] != right[columns - 2]) {
            throw new IllegalArgumentException("matrices that do not fit");
        }
        int[] outer = OnnxArray.common(Arrays.copyOf(left, rows - 2), Arrays.copyOf(right, columns - 2));
        return OnnxArray.unknown(
                IntStream.concat(Arrays.stream(outer), IntStream.of(left[rows - 2], right[columns - 1]))
                        .toArray());
    }

    private static OnnxArray gemm(OnnxNode node, OnnxArray left, OnnxArray right) {
        return OnnxArray.unknown(
                left.size(whole(node, "transA", 0) == 0 ? 0 : 1), right.size(whole(node, "transB", 0) == 0 ? 1 : 0));
    }
}
