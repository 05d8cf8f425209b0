package org.isoloss.source;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/** Parts of tensors, chosen by place or by index, and tensors made of parts. */
final class SelectionOperators {
    static final Map<String, Rule> RULES = Map.ofEntries(
            Map.entry("Concat", Rule.one(SelectionOperators::concatenate)),
            Map.entry("Split", SelectionOperators::split),
            Map.entry("Slice", Rule.one(SelectionOperators::slice)),
            Map.entry("Pad", Rule.same(SelectionOperators::pad)),
            Map.entry("Gather", Rule.same(SelectionOperators::gather)),
            Map.entry("GatherElements", Rule.same(SelectionOperators::gatherElements)),
            Map.entry("GatherND", Rule.same(SelectionOperators::gatherTuples)),
            Map.entry("ScatterElements", Rule.same(SelectionOperators::scatterElements)),
            Map.entry("ScatterND", Rule.same(SelectionOperators::scatterTuples)));

    private SelectionOperators() {}

    private static TypedValue concatenate(Call call) {
        List<Value> parts = new ArrayList<>();
        int axis = call.opset() < 4 ? call.axis("axis", 1) : call.axis("axis", 0);
        for (int i = 0; i < call.arguments(); i++) {
            if (!call.tensor(i).isEmpty()) {
                parts.add(call.value(i));
            }
        }
        return parts.isEmpty() ? call.tensor(0) : call.same(call.builder().concatenate(parts, axis));
    }

    private static List<TypedValue> split(Call call) {
        int axis = call.axis("axis", 0);
        int size = call.tensor(0).sizes().get(axis);
        List<Integer> sizes = call.opset() < 13
                ? call.wholes("split", List.of())
                : call.has(1) ? IntStream.of(call.wholes(1)).boxed().toList() : List.of();
        if (sizes.isEmpty()) {
            int parts = call.opset() < 18 ? call.results() : (int) call.whole("num_outputs", call.results());
            int each = Math.ceilDiv(size, parts);
            sizes = IntStream.range(0, parts)
                    .map(part -> Math.clamp(size - (long) part * each, 0, each))
                    .boxed()
                    .toList();
        }
        List<TypedValue> results = new ArrayList<>();
        int begin = 0;
        for (int part : sizes) {
            List<Integer> shape = new ArrayList<>(call.tensor(0).sizes());
            shape.set(axis, part);
            results.add(
                    part == 0
                            ? TypedValue.empty(call.type(), shape)
                            : call.same(call.builder().slice(call.value(0), axis, begin, part)));
            begin += part;
        }
        if (begin != size) {
            throw call.refused("parts of %s of an axis of size %d", sizes, size);
        }
        return results;
    }

    private static TypedValue slice(Call call) {
        boolean old = call.opset() < 10;
        TypedValue tensor = call.tensor(0);
        int rank = tensor.rank();
        long[] starts = old ? attribute(call, "starts") : numbers(call, 1);
        long[] ends = old ? attribute(call, "ends") : numbers(call, 2);
        long[] axes = IntStream.range(0, starts.length).asLongStream().toArray();
        if (old && call.hasAttribute("axes")) {
            axes = attribute(call, "axes");
        } else if (!old && call.has(3)) {
            axes = numbers(call, 3);
        }
        long[] steps = !old && call.has(4) ? numbers(call, 4) : ones(starts.length);
        int[] begin = new int[rank];
        int[] step = new int[rank];
        Arrays.fill(step, 1);
        List<Integer> sizes = new ArrayList<>(tensor.sizes());
        for (int i = 0; i < starts.length; i++) {
            int axis = Call.axis(axes[i], rank);
            long size = tensor.sizes().get(axis);
            boolean up = steps[i] > 0;
            long from = Math.clamp(starts[i] < 0 ? starts[i] + size : starts[i], 0, up ? size : size - 1);
            long to = Math.clamp(ends[i] < 0 ? ends[i] + size : ends[i], up ? 0 : -1, up ? size : size - 1);
            step[axis] = (int) Math.clamp(steps[i], -size, size);
            begin[axis] = (int) from;
            sizes.set(axis, (int) Math.max(0, Math.ceilDiv(to - from, (long) step[axis])));
        }
        if (sizes.contains(0) || tensor.isEmpty()) {
            return TypedValue.empty(call.type(), sizes);
        }
        int[] count = sizes.stream().mapToInt(Integer::intValue).toArray();
        return call.same(call.builder().slice(tensor.value(), begin, step, count, 0));
    }

    private static long[] attribute(Call call, String name) {
        return call.wholes(name, List.of()).stream()
                .mapToLong(Integer::longValue)
                .toArray();
    }

    /** Whole numbers; the ends of the range of int64 stay far beyond any size. */
    private static long[] numbers(Call call, int place) {
        return Arrays.stream(call.known(place))
                .mapToLong(number -> (long) Math.clamp(number, -1e15, 1e15))
                .toArray();
    }

    private static long[] ones(int count) {
        long[] ones = new long[count];
        Arrays.fill(ones, 1);
        return ones;
    }

    private static Value pad(Call call) {
        Value x = call.value(0);
        int rank = x.shape().rank();
        boolean old = call.opset() < 11;
        String mode = call.text("mode", "constant");
        double fill =
                old ? call.number("value", 0) : call.has(2) && !call.tensor(2).isEmpty() ? call.number(2) : 0;
        int[] given = old
                ? call.wholes("pads", List.of()).stream()
                        .mapToInt(Integer::intValue)
                        .toArray()
                : call.wholes(1);
        int[] axes = call.opset() >= 18 && call.has(3)
                ? IntStream.of(call.wholes(3))
                        .map(axis -> Call.axis(axis, rank))
                        .toArray()
                : IntStream.range(0, rank).toArray();
        if (given.length != 2 * axes.length) {
            throw call.refused("%d numbers of padding for %d axes", given.length, axes.length);
        }
        int[] begin = new int[rank];
        int[] sizes = x.shape().toArray();
        for (int i = 0; i < axes.length; i++) {
            begin[axes[i]] = -given[i];
            sizes[axes[i]] += given[i] + given[axes.length + i];
        }
        if (mode.equals("constant")) {
            int[] steps = new int[rank];
            Arrays.fill(steps, 1);
            return call.builder().slice(x, begin, steps, sizes, fill);
        }
        for (int axis = 0; axis < rank; axis++) {
            int size = x.shape().size(axis);
            if (begin[axis] != 0 || sizes[axis] != size) {
                int first = begin[axis];
                double[] places = IntStream.range(0, sizes[axis])
                        .map(at -> source(mode, at + first, size))
                        .asDoubleStream()
                        .toArray();
                x = call.builder().lookup(x, call.constant(List.of(places.length), places), axis);
            }
        }
        return x;
    }

    private static int source(String mode, int at, int size) {
        return switch (mode) {
            case "edge" -> Math.clamp(at, 0, size - 1);
            case "wrap" -> Math.floorMod(at, size);
            case "reflect" -> {
                int period = Math.max(1, 2 * (size - 1));
                int within = Math.floorMod(at, period);
                yield within < size ? within : period - within;
            }
            default -> throw new IllegalArgumentException("the padding mode '%s' is not read".formatted(mode));
        };
    }

    /** Indices from 0, where those below 0 count from the end. */
    private static Value fromZero(ModelBuilder builder, Value indices, int size) {
        Value shifted = builder.plus(indices, builder.constant(size));
        return builder.select(builder.less(indices, builder.constant(0)), shifted, indices);
    }

    private static Value gather(Call call) {
        ModelBuilder builder = call.builder();
        Value table = call.value(0);
        int axis = call.axis("axis", 0);
        Value indices = fromZero(builder, call.value(1), table.shape().size(axis));
        if (indices.shape().count() == 1 && call.isConstant(1)) {
            int at = Call.axis((int) call.number(1), table.shape().size(axis));
            List<Integer> sizes = new ArrayList<>(table.shape().sizes());
            sizes.subList(axis, axis + 1).clear();
            sizes.addAll(axis, indices.shape().sizes());
            return builder.reshape(builder.slice(table, axis, at, 1), new Dimensions(sizes));
        }
        return builder.lookup(table, indices, axis);
    }

    /** Where the entry with the same coordinates as each index, but for the one along the axis, lies in a flat tensor. */
    private static Value places(Call call, int axis, Value indices) {
        Dimensions shape = call.value(0).shape();
        int[] strides = shape.strides();
        Value sum = call.builder().scaled(strides[axis], fromZero(call.builder(), indices, shape.size(axis)));
        List<Value> terms = new ArrayList<>(List.of(sum));
        for (int other = 0; other < shape.rank(); other++) {
            if (other != axis && indices.shape().size(other) > 1) {
                double stride = strides[other];
                double[] steps = IntStream.range(0, indices.shape().size(other))
                        .mapToDouble(i -> i * stride)
                        .toArray();
                Value row = call.constant(List.of(steps.length), steps);
                terms.add(Alignment.along(call.builder(), row, other, shape.rank()));
            }
        }
        return call.builder().sum(terms);
    }

    private static Value flat(ModelBuilder builder, Value value) {
        return builder.reshape(value, Dimensions.of(value.shape().count()));
    }

    private static Value gatherElements(Call call) {
        Value places = places(call, call.axis("axis", 0), call.value(1));
        return call.builder().lookup(flat(call.builder(), call.value(0)), places, 0);
    }

    /** Where the slices that tuples of indices choose begin, in slices. */
    private static Value tuples(Call call, int batch) {
        ModelBuilder builder = call.builder();
        Dimensions shape = call.value(0).shape();
        Value indices = call.value(1);
        int last = indices.shape().rank() - 1;
        int length = indices.shape().size(last);
        int inner = Alignment.count(shape.sizes().subList(batch + length, shape.rank()));
        List<Value> terms = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            Value part = builder.slice(indices, last, i, 1);
            Value index = builder.reshape(part, part.shape().without(List.of(last)));
            terms.add(builder.scaled(
                    shape.strides()[batch + i] / (double) inner, fromZero(builder, index, shape.size(batch + i))));
        }
        for (int axis = 0; axis < batch; axis++) {
            double stride = shape.strides()[axis] / (double) inner;
            double[] steps = IntStream.range(0, shape.size(axis))
                    .mapToDouble(i -> i * stride)
                    .toArray();
            terms.add(Alignment.along(builder, call.constant(List.of(steps.length), steps), axis, last));
        }
        return builder.sum(terms);
    }

    private static Value rows(ModelBuilder builder, Value value, int inner) {
        return builder.reshape(value, Dimensions.of(value.shape().count() / inner, inner));
    }

    private static Value gatherTuples(Call call) {
        int batch = (int) call.whole("batch_dims", 0);
        Value table = call.value(0);
        int length = call.value(1).shape().size(call.value(1).shape().rank() - 1);
        List<Integer> kept =
                table.shape().sizes().subList(batch + length, table.shape().rank());
        Value places = tuples(call, batch);
        Value slices = call.builder().lookup(rows(call.builder(), table, Alignment.count(kept)), places, 0);
        List<Integer> sizes = new ArrayList<>(places.shape().sizes());
        sizes.addAll(kept);
        return call.builder().reshape(slices, new Dimensions(sizes));
    }

    private static Value scatterElements(Call call) {
        Value places = flat(call.builder(), places(call, call.axis("axis", 0), call.value(1)));
        return scattered(call, places, 1);
    }

    private static Value scatterTuples(Call call) {
        Value table = call.value(0);
        int length = call.value(1).shape().size(call.value(1).shape().rank() - 1);
        int inner = Alignment.count(
                table.shape().sizes().subList(length, table.shape().rank()));
        return scattered(call, flat(call.builder(), tuples(call, 0)), inner);
    }

    /** Puts or adds updates to rows; each row is put at most once. */
    private static Value scattered(Call call, Value places, int inner) {
        ModelBuilder builder = call.builder();
        Value table = call.value(0);
        int rows = table.shape().count() / inner;
        Value added = builder.accumulate(rows(builder, call.value(2), inner), places, 0, rows);
        String reduction = call.text("reduction", "none");
        Value changed;
        switch (reduction) {
            case "add" -> changed = builder.plus(rows(builder, table, inner), added);
            case "none" -> {
                Value ones = builder.stretched(
                        call.constant(1), Dimensions.of(places.shape().count(), 1));
                Value counts = builder.accumulate(ones, places, 0, rows);
                requireOnce(call, places);
                changed = builder.select(counts, added, rows(builder, table, inner));
            }
            default -> throw call.refused("the reduction '%s' is not read, only none and add", reduction);
        }
        return builder.reshape(changed, table.shape());
    }

    private static void requireOnce(Call call, Value places) {
        double[] indices = call.known(1);
        if (indices.length > 0
                && Arrays.stream(call.numbersOf(places)).distinct().count()
                        != places.shape().count()) {
            throw call.refused("an entry is put twice");
        }
    }
}
