package org.isoloss.source;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;

/** Tensors that come from nothing but shapes and numbers that are known. */
final class ConstantOperators {
    static final Map<String, Rule> RULES = Map.of(
            "Constant", Rule.one(ConstantOperators::constant),
            "ConstantOfShape", Rule.one(ConstantOperators::filled),
            "Shape", Rule.one(ConstantOperators::shape),
            "Size",
                    Rule.one(call -> TypedValue.of(
                            TensorType.INT64,
                            call.constant(Alignment.count(call.tensor(0).sizes())))),
            "Range", Rule.one(ConstantOperators::range),
            "EyeLike", Rule.one(ConstantOperators::eye),
            "OneHot", Rule.one(ConstantOperators::oneHot),
            "Trilu", Rule.same(ConstantOperators::triangle));

    private ConstantOperators() {}

    private static TypedValue constant(Call call) {
        if (call.hasAttribute("value")) {
            return call.tensor("value");
        }
        if (call.hasAttribute("value_float")) {
            return TypedValue.of(TensorType.FLOAT, call.constant(call.number("value_float", 0)));
        }
        if (call.hasAttribute("value_int")) {
            return TypedValue.of(TensorType.INT64, call.constant((double) call.whole("value_int", 0)));
        }
        if (call.hasAttribute("value_ints")) {
            return call.list(call.wholes("value_ints", List.of()).stream()
                    .mapToDouble(Integer::doubleValue)
                    .toArray());
        }
        if (call.hasAttribute("value_floats")) {
            double[] numbers = call.numbers("value_floats").stream()
                    .mapToDouble(Float::doubleValue)
                    .toArray();
            return numbers.length == 0
                    ? TypedValue.empty(TensorType.FLOAT, List.of(0))
                    : TypedValue.of(TensorType.FLOAT, call.constant(List.of(numbers.length), numbers));
        }
        throw call.refused("a constant that is neither float nor whole is not read");
    }

    /** One number in every place, held once until it is used. */
    private record Filled(int count, double number) implements Numbers {
        @Override
        public double[] asFloat64() {
            double[] all = new double[count];
            Arrays.fill(all, number);
            return all;
        }

        @Override
        public float[] asFloat32() {
            float[] all = new float[count];
            Arrays.fill(all, (float) number);
            return all;
        }
    }

    private static TypedValue filled(Call call) {
        TypedValue number =
                call.hasAttribute("value") ? call.tensor("value") : TypedValue.of(TensorType.FLOAT, call.constant(0));
        List<Integer> sizes = IntStream.of(call.wholes(0)).boxed().toList();
        if (sizes.contains(0)) {
            return TypedValue.empty(number.type(), sizes);
        }
        double entry = call.numbersOf(number.value())[0];
        Dimensions shape = new Dimensions(sizes);
        return TypedValue.of(number.type(), call.builder().constant(shape, new Filled(shape.count(), entry)));
    }

    private static TypedValue shape(Call call) {
        List<Integer> sizes = call.tensor(0).sizes();
        int rank = sizes.size();
        long start = call.whole("start", 0);
        long end = call.whole("end", rank);
        int from = (int) Math.clamp(start < 0 ? start + rank : start, 0L, rank);
        int to = (int) Math.clamp(end < 0 ? end + rank : end, 0L, rank);
        return call.list(sizes.subList(from, Math.max(from, to)).stream()
                .mapToDouble(Integer::doubleValue)
                .toArray());
    }

    private static TypedValue range(Call call) {
        double start = call.number(0);
        double step = call.number(2);
        int count = (int) Math.max(0, Math.ceil((call.number(1) - start) / step));
        double[] numbers =
                IntStream.range(0, count).mapToDouble(i -> start + i * step).toArray();
        return count == 0
                ? TypedValue.empty(call.type(), List.of(0))
                : call.same(call.constant(List.of(count), numbers));
    }

    private static TypedValue eye(Call call) {
        Dimensions shape = call.value(0).shape();
        int shift = (int) call.whole("k", 0);
        TensorType type = call.hasAttribute("dtype") ? TensorType.of(call.whole("dtype", 1)) : call.type();
        return TypedValue.of(type, call.constant(shape.sizes(), mask(shape, (row, column) -> column == row + shift)));
    }

    private interface Place {
        boolean holds(int row, int column);
    }

    private static double[] mask(Dimensions matrix, Place place) {
        int columns = matrix.size(1);
        return IntStream.range(0, matrix.count())
                .mapToDouble(i -> place.holds(i / columns, i % columns) ? 1 : 0)
                .toArray();
    }

    private static TypedValue oneHot(Call call) {
        ModelBuilder builder = call.builder();
        Value indices = call.value(0);
        int depth = (int) call.number(1);
        int rank = indices.shape().rank() + 1;
        int axis = Call.axis(call.whole("axis", -1), rank);
        Value row = call.constant(
                List.of(depth), IntStream.range(0, depth).asDoubleStream().toArray());
        Value wide = builder.restored(indices, List.of(axis));
        Value zero = builder.constant(0);
        Value positive = builder.select(builder.less(wide, zero), builder.plus(wide, builder.constant(depth)), wide);
        Value hit = builder.equal(positive, Alignment.along(builder, row, axis, rank));
        Value off = builder.slice(call.value(2), 0, 0, 1);
        Value on = builder.slice(call.value(2), 0, 1, 1);
        return TypedValue.of(call.tensor(2).type(), builder.select(hit, on, off));
    }

    private static Value triangle(Call call) {
        Value x = call.value(0);
        int rank = x.shape().rank();
        int shift = call.has(1) ? (int) call.number(1) : 0;
        boolean upper = call.flag("upper", true);
        Dimensions matrix = Dimensions.of(x.shape().size(rank - 2), x.shape().size(rank - 1));
        double[] kept = mask(matrix, (row, column) -> upper ? column - row >= shift : column - row <= shift);
        return call.builder().select(call.constant(matrix.sizes(), kept), x, call.constant(0));
    }
}
