package org.isoloss.source;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.isoloss.model.Dimensions;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;

/** Small changes of shape that several operators share. */
final class Alignment {
    private Alignment() {}

    /** Puts the axes of a value at {@code axis} and the following of a tensor with {@code rank} axes; the others have size 1. */
    static Value along(ModelBuilder builder, Value value, int axis, int rank) {
        List<Integer> sizes = new ArrayList<>(Collections.nCopies(axis, 1));
        sizes.addAll(value.shape().sizes());
        while (sizes.size() < rank) {
            sizes.add(1);
        }
        return builder.reshape(value, new Dimensions(sizes));
    }

    /** The shape of the axes before, and of those from {@code axis} on, as two. */
    static Dimensions flattened(Dimensions shape, int axis) {
        int rows = count(shape.sizes().subList(0, axis));
        return Dimensions.of(rows, count(shape.sizes().subList(axis, shape.rank())));
    }

    static int count(List<Integer> sizes) {
        return sizes.stream().reduce(1, Math::multiplyExact);
    }

    /** The axes from 0 to {@code rank}, one of them at the end. */
    static int[] moved(int rank, int from, int to) {
        List<Integer> order = new ArrayList<>();
        for (int axis = 0; axis < rank; axis++) {
            if (axis != from) {
                order.add(axis);
            }
        }
        order.add(to, from);
        return order.stream().mapToInt(Integer::intValue).toArray();
    }
}
