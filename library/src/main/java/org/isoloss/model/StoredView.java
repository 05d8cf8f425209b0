package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that is a parameter, or a part of one, in another arrangement: where in the parameter its entries lie.
 *
 * @param parameter the whole tensor
 * @param steps from the parameter to the tensor, both among them
 * @param offset where its first entry lies, row-major
 * @param sizes along each axis
 * @param strides how far neighbours along each axis lie apart
 */
record StoredView(Value parameter, List<Value> steps, int offset, List<Integer> sizes, List<Integer> strides) {
    StoredView {
        steps = List.copyOf(steps);
        sizes = List.copyOf(sizes);
        strides = List.copyOf(strides);
    }

    /** Follows transpositions, slices and reshapes back to a parameter; null where there is none, or entries repeat. */
    static @Nullable StoredView of(Value value) {
        if (value.operation() instanceof Leaf leaf) {
            return leaf.kind() == Leaf.Kind.PARAMETER
                    ? new StoredView(value, List.of(value), 0, value.shape().sizes(), listed(value.shape()))
                    : null;
        }
        if (!(value.operation() instanceof Reshape) && !(value.operation() instanceof Rearrangement)) {
            return null;
        }
        StoredView source = of(value.argument(0));
        if (source == null) {
            return null;
        }
        return value.operation() instanceof Rearrangement arranged
                ? source.mapped(value, arranged.map())
                : source.reshaped(value);
    }

    private static List<Integer> listed(Dimensions shape) {
        List<Integer> strides = new ArrayList<>();
        for (int stride : shape.strides()) {
            strides.add(stride);
        }
        return strides;
    }

    private List<Value> and(Value value) {
        List<Value> more = new ArrayList<>(steps);
        more.add(value);
        return more;
    }

    private @Nullable StoredView mapped(Value value, IndexMap map) {
        int begin = offset;
        Integer[] moved = new Integer[map.target().rank()];
        Arrays.fill(moved, 0);
        for (int axis = 0; axis < map.source().rank(); axis++) {
            int least = map.base().get(axis);
            int most = least;
            for (int along = 0; along < moved.length; along++) {
                int step = map.steps().get(axis).get(along);
                int reach = step * (map.target().size(along) - 1);
                least += Math.min(0, reach);
                most += Math.max(0, reach);
                moved[along] += strides.get(axis) * step;
            }
            if (least < 0 || most >= map.source().size(axis)) {
                return null;
            }
            begin += strides.get(axis) * map.base().get(axis);
        }
        for (int along = 0; along < moved.length; along++) {
            if (moved[along] == 0 && map.target().size(along) > 1) {
                return null;
            }
        }
        return new StoredView(parameter, and(value), begin, value.shape().sizes(), List.of(moved));
    }

    /** Parts and joins axes where that moves no entry. */
    private @Nullable StoredView reshaped(Value value) {
        Dimensions shape = value.shape();
        Integer[] moved = new Integer[shape.rank()];
        int from = 0;
        int to = 0;
        while (to < moved.length) {
            int first = to;
            long wanted = shape.size(to++);
            long there = from < sizes.size() ? sizes.get(from++) : 1;
            while (wanted != there) {
                if (wanted < there) {
                    wanted *= shape.size(to++);
                } else {
                    int before = from - 1;
                    there *= sizes.get(from);
                    if (sizes.get(before) > 1
                            && sizes.get(from) > 1
                            && strides.get(before) != sizes.get(from) * strides.get(from)) {
                        return null;
                    }
                    from++;
                }
            }
            int stride = from == 0 ? 1 : strides.get(from - 1);
            for (int axis = to - 1; axis >= first; axis--) {
                moved[axis] = stride;
                stride *= shape.size(axis);
            }
        }
        return new StoredView(parameter, and(value), offset, shape.sizes(), List.of(moved));
    }

    String name() {
        return ((Leaf) parameter.operation()).label();
    }
}
