package org.isoloss.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** The same entries in another order or shape. */
final class ShapeOperators {
    static final Map<String, Rule> RULES = Map.ofEntries(
            Map.entry("Identity", Rule.one(call -> call.tensor(0))),
            Map.entry("Dropout", ShapeOperators::dropout),
            Map.entry("Reshape", Rule.one(ShapeOperators::reshape)),
            Map.entry("Flatten", Rule.same(call -> {
                long axis = call.whole("axis", 1);
                int rank = call.tensor(0).rank();
                int at = axis == rank ? rank : Call.axis(axis, rank);
                return call.builder()
                        .reshape(
                                call.value(0), Alignment.flattened(call.value(0).shape(), at));
            })),
            Map.entry("Squeeze", Rule.one(ShapeOperators::squeeze)),
            Map.entry("Unsqueeze", Rule.one(ShapeOperators::unsqueeze)),
            Map.entry("Transpose", Rule.same(call -> {
                int rank = call.tensor(0).rank();
                List<Integer> order = call.wholes("perm");
                int[] axes = order == null
                        ? IntStream.range(0, rank).map(axis -> rank - 1 - axis).toArray()
                        : order.stream().mapToInt(Integer::intValue).toArray();
                return call.builder().transpose(call.value(0), axes);
            })),
            Map.entry("Expand", Rule.same(call -> {
                Dimensions asked = Dimensions.of(call.wholes(1));
                return call.builder()
                        .stretched(
                                call.value(0),
                                Dimensions.broadcast(List.of(call.value(0).shape(), asked)));
            })),
            Map.entry("Tile", Rule.same(ShapeOperators::tile)),
            Map.entry("DepthToSpace", Rule.same(call -> {
                String mode = call.text("mode", "DCR");
                int size = (int) call.whole("blocksize", 1);
                List<Integer> sizes = call.value(0).shape().sizes();
                int depth = sizes.get(1) / (size * size);
                return mode.equals("DCR")
                        ? spread(call, List.of(size, size, depth, sizes.get(2), sizes.get(3)), 0, 3, 4, 1, 5, 2)
                        : spread(call, List.of(depth, size, size, sizes.get(2), sizes.get(3)), 0, 1, 4, 2, 5, 3);
            })),
            Map.entry("SpaceToDepth", Rule.same(ShapeOperators::spaceToDepth)));

    private ShapeOperators() {}

    private static List<TypedValue> dropout(Call call) {
        call.ignore("seed", "consumed_inputs");
        double ratio = call.opset() < 12 ? call.number("ratio", 0.5) : call.has(1) ? call.number(1) : 0.5;
        boolean training = call.opset() < 7
                ? !call.flag("is_test", false)
                : call.opset() >= 12 && call.has(2) && call.number(2) != 0;
        if (training && ratio != 0) {
            throw call.refused("it drops entries at random; export the model for inference");
        }
        Value all = call.builder().stretched(call.constant(1), call.value(0).shape());
        return List.of(call.tensor(0), call.truth(all));
    }

    private static TypedValue reshape(Call call) {
        call.ignore("consumed_inputs");
        TypedValue tensor = call.tensor(0);
        int[] asked = call.wholes(1);
        boolean zeros = call.flag("allowzero", false);
        List<Integer> sizes = new ArrayList<>();
        for (int axis = 0; axis < asked.length; axis++) {
            sizes.add(asked[axis] == 0 && !zeros ? tensor.sizes().get(axis) : (Integer) asked[axis]);
        }
        int count = Alignment.count(tensor.sizes());
        int open = sizes.indexOf(-1);
        if (open >= 0) {
            sizes.set(open, 1);
            sizes.set(open, count == 0 ? 0 : count / Alignment.count(sizes));
        }
        if (Alignment.count(sizes) != count) {
            throw call.refused("a tensor of shape %s is not reshaped to %s", tensor.sizes(), sizes);
        }
        return tensor.isEmpty()
                ? TypedValue.empty(tensor.type(), sizes)
                : call.same(call.builder().reshape(tensor.value(), new Dimensions(sizes)));
    }

    private static TypedValue reshaped(Call call, List<Integer> sizes) {
        return call.tensor(0).isEmpty()
                ? TypedValue.empty(call.type(), sizes)
                : call.same(call.builder().reshape(call.value(0), new Dimensions(sizes)));
    }

    /** The axes that an operator names by an attribute, and from opset 13 by its second argument; null for none. */
    private static @Nullable List<Integer> axes(Call call) {
        if (call.opset() < 13) {
            return call.wholes("axes");
        }
        return call.has(1) ? IntStream.of(call.wholes(1)).boxed().toList() : null;
    }

    private static TypedValue squeeze(Call call) {
        List<Integer> sizes = new ArrayList<>(call.tensor(0).sizes());
        List<Integer> given = axes(call);
        List<Integer> axes = given == null
                ? IntStream.range(0, sizes.size())
                        .filter(axis -> sizes.get(axis) == 1)
                        .boxed()
                        .toList()
                : given.stream()
                        .map(axis -> Call.axis(axis, sizes.size()))
                        .sorted()
                        .toList();
        for (int axis : axes.reversed()) {
            if (sizes.get(axis) != 1) {
                throw call.refused(
                        "axis %d of a tensor of shape %s has not size 1",
                        axis, call.tensor(0).sizes());
            }
            sizes.subList(axis, axis + 1).clear();
        }
        return reshaped(call, sizes);
    }

    private static TypedValue unsqueeze(Call call) {
        List<Integer> given = axes(call);
        if (given == null) {
            throw call.refused("the axes are missing");
        }
        int rank = call.tensor(0).rank() + given.size();
        List<Integer> sizes = new ArrayList<>(call.tensor(0).sizes());
        given.stream().map(axis -> Call.axis(axis, rank)).sorted().forEach(axis -> sizes.add(axis, 1));
        return reshaped(call, sizes);
    }

    private static Value tile(Call call) {
        Value x = call.value(0);
        List<Integer> sizes = x.shape().sizes();
        int[] repeats = call.wholes(1);
        ModelBuilder builder = call.builder();
        List<Integer> apart = new ArrayList<>();
        List<Integer> wide = new ArrayList<>();
        List<Integer> joined = new ArrayList<>();
        for (int axis = 0; axis < sizes.size(); axis++) {
            apart.addAll(List.of(1, sizes.get(axis)));
            wide.addAll(List.of(repeats[axis], sizes.get(axis)));
            joined.add(repeats[axis] * sizes.get(axis));
        }
        Value repeated = builder.stretched(builder.reshape(x, new Dimensions(apart)), new Dimensions(wide));
        return builder.reshape(repeated, new Dimensions(joined));
    }

    /** Parts the channels in three, and puts two of the parts beside the lengths. */
    private static Value spread(Call call, List<Integer> parts, int... order) {
        ModelBuilder builder = call.builder();
        List<Integer> sizes = new ArrayList<>(parts);
        sizes.addFirst(call.value(0).shape().size(0));
        Value apart = builder.transpose(builder.reshape(call.value(0), new Dimensions(sizes)), order);
        List<Integer> now = apart.shape().sizes();
        return builder.reshape(
                apart, Dimensions.of(now.get(0), now.get(1), now.get(2) * now.get(3), now.get(4) * now.get(5)));
    }

    private static Value spaceToDepth(Call call) {
        int size = (int) call.whole("blocksize", 1);
        ModelBuilder builder = call.builder();
        List<Integer> sizes = call.value(0).shape().sizes();
        int height = sizes.get(2) / size;
        int width = sizes.get(3) / size;
        Value apart =
                builder.reshape(call.value(0), Dimensions.of(sizes.get(0), sizes.get(1), height, size, width, size));
        return builder.reshape(
                builder.transpose(apart, 0, 3, 5, 1, 2, 4),
                Dimensions.of(sizes.get(0), sizes.get(1) * size * size, height, width));
    }
}
