package org.isoloss.source;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Elementary;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Power;
import org.isoloss.model.Value;

/** Sums and the like along axes, and normalised exponentials. */
final class ReductionOperators {
    static final Map<String, Rule> RULES = Map.ofEntries(
            reduction("ReduceSum", 13, (b, x, axes) -> b.sumOver(x, axes)),
            reduction("ReduceMean", 18, (b, x, axes) -> b.meanOver(x, axes)),
            reduction("ReduceMax", 18, (b, x, axes) -> b.largestOver(x, axes)),
            reduction("ReduceMin", 18, (b, x, axes) -> b.scaled(-1, b.largestOver(b.scaled(-1, x), axes))),
            reduction("ReduceProd", 18, ReductionOperators::product),
            reduction("ReduceL1", 18, (b, x, axes) -> b.sumOver(b.apply(Elementary.ABS, x), axes)),
            reduction("ReduceL2", 18, (b, x, axes) -> b.apply(Power.ROOT, b.sumOver(b.product(x, x), axes))),
            reduction("ReduceSumSquare", 18, (b, x, axes) -> b.sumOver(b.product(x, x), axes)),
            reduction("ReduceLogSum", 18, (b, x, axes) -> b.apply(Elementary.LOG, b.sumOver(x, axes))),
            reduction("ReduceLogSumExp", 18, ReductionOperators::logSumExp),
            Map.entry("ArgMax", Rule.one(call -> argument(call, 1))),
            Map.entry("ArgMin", Rule.one(call -> argument(call, -1))),
            Map.entry(
                    "Hardmax",
                    Rule.same(call -> along(call, (x, axis) -> call.builder().largestPlace(x, List.of(axis))))),
            Map.entry(
                    "Softmax",
                    Rule.same(call -> along(call, (x, axis) -> call.layers().softmax(x, axis)))),
            Map.entry(
                    "LogSoftmax",
                    Rule.same(call -> along(call, (x, axis) -> call.layers().logSoftmax(x, axis)))),
            Map.entry("CumSum", Rule.same(ReductionOperators::cumulated)));

    private ReductionOperators() {}

    private interface Reducing {
        Value of(ModelBuilder builder, Value x, List<Integer> axes);
    }

    private static Map.Entry<String, Rule> reduction(String name, int axesAsInput, Reducing reducing) {
        return Map.entry(name, Rule.same(call -> reduced(call, axesAsInput, reducing)));
    }

    private static Value reduced(Call call, int axesAsInput, Reducing reducing) {
        boolean kept = call.flag("keepdims", true);
        boolean nothing = call.flag("noop_with_empty_axes", false);
        Value x = call.value(0);
        int rank = x.shape().rank();
        List<Integer> given = call.opset() < axesAsInput
                ? call.wholes("axes", List.of())
                : call.has(1) ? IntStream.of(call.wholes(1)).boxed().toList() : List.of();
        List<Integer> axes = given.isEmpty()
                ? IntStream.range(0, nothing ? 0 : rank).boxed().toList()
                : given.stream().map(axis -> Call.axis(axis, rank)).sorted().toList();
        Value result = reducing.of(call.builder(), x, axes);
        return kept ? call.builder().restored(result, axes) : result;
    }

    /** Products of halves, again and again. */
    private static Value product(ModelBuilder builder, Value x, List<Integer> axes) {
        Value result = x;
        for (int axis : axes) {
            while (result.shape().size(axis) > 1) {
                int size = result.shape().size(axis);
                int half = size / 2;
                Value paired =
                        builder.product(builder.slice(result, axis, 0, half), builder.slice(result, axis, half, half));
                result = size % 2 == 0
                        ? paired
                        : builder.concatenate(List.of(paired, builder.slice(result, axis, size - 1, 1)), axis);
            }
        }
        return builder.reshape(result, x.shape().without(axes));
    }

    private static Value logSumExp(ModelBuilder builder, Value x, List<Integer> axes) {
        Value largest = builder.largestOver(x, axes);
        Value lower = builder.minus(x, builder.restored(largest, axes));
        Value sum = builder.sumOver(builder.apply(Elementary.EXP, lower), axes);
        return builder.plus(builder.apply(Elementary.LOG, sum), largest);
    }

    /** The index of the largest, or with a factor of -1 of the smallest. */
    private static TypedValue argument(Call call, double factor) {
        ModelBuilder builder = call.builder();
        int axis = call.axis("axis", 0);
        boolean kept = call.flag("keepdims", true);
        boolean last = call.flag("select_last_index", false);
        Value x = builder.scaled(factor, call.value(0));
        Dimensions shape = x.shape();
        int size = shape.size(axis);
        if (last) {
            int[] begin = new int[shape.rank()];
            int[] step = IntStream.generate(() -> 1).limit(shape.rank()).toArray();
            begin[axis] = size - 1;
            step[axis] = -1;
            x = builder.slice(x, begin, step, shape.toArray(), 0);
        }
        double[] numbers = IntStream.range(0, size)
                .mapToDouble(i -> last ? size - 1 - i : i)
                .toArray();
        Value places = Alignment.along(builder, call.constant(List.of(size), numbers), axis, shape.rank());
        Value index = builder.sumOver(builder.product(builder.largestPlace(x, List.of(axis)), places), List.of(axis));
        return TypedValue.of(TensorType.INT64, kept ? builder.restored(index, List.of(axis)) : index);
    }

    private interface Along {
        Value of(Value x, int axis);
    }

    /** Along one axis, and before opset 13 along all from one on. */
    private static Value along(Call call, Along rule) {
        Value x = call.value(0);
        if (call.opset() >= 13) {
            return rule.of(x, call.axis("axis", -1));
        }
        Dimensions matrix = Alignment.flattened(x.shape(), call.axis("axis", 1));
        return call.builder().reshape(rule.of(call.builder().reshape(x, matrix), 1), x.shape());
    }

    private static Value cumulated(Call call) {
        ModelBuilder builder = call.builder();
        Value x = call.value(0);
        int axis = Call.axis((int) call.number(1), x.shape().rank());
        boolean exclusive = call.flag("exclusive", false);
        boolean backwards = call.flag("reverse", false);
        int size = x.shape().size(axis);
        double[] mask = IntStream.range(0, size * size)
                .mapToDouble(i -> {
                    int ahead = (backwards ? -1 : 1) * (i / size - i % size);
                    return ahead > 0 || (ahead == 0 && !exclusive) ? 1 : 0;
                })
                .toArray();
        return matrixAlong(builder, call.constant(List.of(size, size), mask), x, axis);
    }

    /** Applies a matrix (to, from) along an axis. */
    static Value matrixAlong(ModelBuilder builder, Value matrix, Value x, int axis) {
        String labels = "abcdefghijklmnop".substring(0, x.shape().rank());
        String result = labels.replace(labels.charAt(axis), 'z');
        return builder.contract("z%s,%s->%s".formatted(labels.charAt(axis), labels, result), matrix, x);
    }
}
