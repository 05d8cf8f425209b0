package org.isoloss.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The axis along which units lie, each with some neighbouring entries.
 *
 * @param axis from 0
 * @param taps how many entries of a later axis each unit has
 */
record UnitAxis(int axis, int taps) {
    /** Where the units lie in what a value is made of; null where they do not stay together there, or not as they are. */
    @Nullable
    UnitAxis before(Value value) {
        Dimensions source = value.argument(0).shape();
        if (value.operation() instanceof Rearrangement arranged) {
            int found = unmoved(arranged.map(), axis, arranged.fill() == 0);
            return found < 0 ? null : new UnitAxis(found, taps);
        }
        long outer = outer(value.shape(), axis);
        for (int first = 0; first < source.rank(); first++) {
            if (outer(source, first) == outer
                    && (source.size(first) > 1 || value.shape().size(axis) == 1)) {
                long size = source.size(first);
                for (int next = first + 1;
                        next < source.rank() && size < value.shape().size(axis);
                        next++) {
                    size *= source.size(next);
                }
                return size == value.shape().size(axis)
                        ? new UnitAxis(first, Math.toIntExact(taps * size / source.size(first)))
                        : null;
            }
        }
        return null;
    }

    private static long outer(Dimensions shape, int axis) {
        long outer = 1;
        for (int i = 0; i < axis; i++) {
            outer *= shape.size(i);
        }
        return outer;
    }

    /** The axis of another shape that takes the place of an axis, with as many entries before it; or -1. */
    static int kept(Dimensions from, Dimensions to, int axis) {
        for (int other = 0; other < to.rank(); other++) {
            if (outer(to, other) == outer(from, axis) && to.size(other) == from.size(axis)) {
                return other;
            }
        }
        return -1;
    }

    /** The source axis that a result axis is as it is, and that nothing else walks; or -1. */
    private static int unmoved(IndexMap map, int along, boolean padded) {
        int found = -1;
        for (int axis = 0; axis < map.source().rank(); axis++) {
            List<Integer> steps = map.steps().get(axis);
            if (steps.get(along) != 0) {
                boolean alone = steps.stream().filter(step -> step != 0).count() == 1;
                if (found >= 0
                        || !alone
                        || steps.get(along) != 1
                        || map.base().get(axis) != 0
                        || map.source().size(axis) != map.target().size(along)) {
                    return -1;
                }
                found = axis;
            }
        }
        return padded ? found : -1;
    }
}
