package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Products with parameters of which a part moves, as a product with what stays and one with the part alone, so that a derivative
 * costs what the part does. A part is some indices along each axis.
 */
final class PartlyMoving {
    private final ModelBuilder builder;
    private final Map<Value, Part> parts = new LinkedHashMap<>();

    /** What moves of a parameter, the indices along each axis, and what stays, with 0 where it moves. */
    private record Part(Value moving, List<int[]> indices, Value still) {}

    private PartlyMoving(ModelBuilder builder) {
        this.builder = builder;
    }

    /** Looks at the parameters that move in part. */
    static PartlyMoving of(ModelBuilder builder, Moving moving, Value vector) {
        var partly = new PartlyMoving(builder);
        int next = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            int[] places = entry.getValue();
            Value parameter = moving.model().parameter(entry.getKey());
            List<int[]> indices = product(parameter.shape(), places);
            if (indices != null) {
                double[] still = moving.model().numbers(entry.getKey()).clone();
                Arrays.stream(places).forEach(place -> still[place] = 0);
                int[] sizes = indices.stream().mapToInt(axis -> axis.length).toArray();
                partly.parts.put(
                        parameter,
                        new Part(
                                builder.reshape(builder.slice(vector, 0, next, places.length), Dimensions.of(sizes)),
                                indices,
                                builder.constant(parameter.shape(), () -> still)));
            }
            next += places.length;
        }
        return partly;
    }

    /** The indices along each axis whose combinations places are; null where they are none, or everything. */
    private static @Nullable List<int[]> product(Dimensions shape, int[] places) {
        int[] strides = shape.strides();
        List<int[]> indices = new ArrayList<>();
        long count = 1;
        for (int axis = 0; axis < strides.length; axis++) {
            int stride = strides[axis];
            int size = shape.size(axis);
            int[] along = Arrays.stream(places)
                    .map(place -> place / stride % size)
                    .distinct()
                    .sorted()
                    .toArray();
            indices.add(along);
            count *= along.length;
        }
        return count == places.length && count < shape.count() ? indices : null;
    }

    /**
     * Builds a value with others in the place of some.
     *
     * @param replaced what stands for what; modified: gets the products
     */
    Value made(Value value, Map<Value, Value> replaced) {
        for (Value each : Execution.order(List.of(value), replaced.keySet())) {
            if (!replaced.containsKey(each) && each.operation() instanceof Contraction contraction) {
                for (int side = 0; side < 2; side++) {
                    Part part = parts.get(each.argument(side));
                    if (part != null && !parts.containsKey(each.argument(1 - side))) {
                        Value other = builder.replacing(List.of(each.argument(1 - side)), replaced)
                                .getFirst();
                        builder.at(each.origin());
                        replaced.put(each, sum(each, contraction, side, part, other));
                    }
                }
            }
        }
        return builder.replacing(List.of(value), replaced).getFirst();
    }

    private Value sum(Value product, Contraction contraction, int side, Part part, Value other) {
        String labels = side == 0 ? contraction.left() : contraction.right();
        String others = side == 0 ? contraction.right() : contraction.left();
        Value taken = other;
        for (int axis = 0; axis < labels.length(); axis++) {
            int there = others.indexOf(labels.charAt(axis));
            if (there >= 0 && part.indices.get(axis).length < taken.shape().size(there)) {
                taken = builder.lookup(taken, indices(part.indices.get(axis)), there);
            }
        }
        Value moved = contracted(contraction, side, part.moving, taken);
        for (int axis = 0; axis < labels.length(); axis++) {
            int there = contraction.result().indexOf(labels.charAt(axis));
            int[] indices = part.indices.get(axis);
            if (there >= 0 && indices.length < product.shape().size(there)) {
                moved = builder.accumulate(
                        moved, indices(indices), there, product.shape().size(there));
            }
        }
        return builder.plus(contracted(contraction, side, part.still, other), moved);
    }

    private Value contracted(Contraction contraction, int side, Value weights, Value other) {
        return builder.add(contraction, side == 0 ? weights : other, side == 0 ? other : weights);
    }

    private Value indices(int[] indices) {
        double[] numbers = IntStream.of(indices).asDoubleStream().toArray();
        return builder.constant(Dimensions.of(numbers.length), () -> numbers);
    }
}
