package org.isoloss.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.model.AxisNode.Limit;
import org.isoloss.model.AxisNode.Ref;

/** The unknown changes of basis of the axes of values, and what rules say of them most. */
final class AxisBases {
    private final WeightedGraph graph;
    private final Map<Value, List<Ref>> axes = new LinkedHashMap<>();
    private final AxisLinks links = new AxisLinks((value, axis) -> axes(value).get(axis));

    AxisBases(WeightedGraph graph) {
        this.graph = graph;
    }

    /** Gives each axis of a value a change of its own. */
    void begin(Value value) {
        axes.put(
                value,
                new ArrayList<>(
                        value.shape().sizes().stream().map(AxisNode::fresh).toList()));
    }

    /** Gives a value the axes of another of the same shape. */
    void share(Value value, Value source) {
        axes.put(value, new ArrayList<>(axes(source)));
    }

    /** The values that have axes, in the order of computation. */
    Map<Value, List<Ref>> all() {
        return axes;
    }

    /** The axes of one value, which may be replaced. */
    List<Ref> axes(Value value) {
        return Objects.requireNonNull(axes.get(value), value::toString);
    }

    Ref axis(Value value, int axis) {
        return axes(value).get(axis);
    }

    AxisLinks links() {
        return links;
    }

    void pin(Value value) {
        if (!graph.isFixed(value)) {
            axes(value).forEach(axis -> axis.limit(Limit.PINNED));
        }
    }

    void same(Value left, int leftAxis, Value right, int rightAxis) {
        AxisNode.unite(axis(left, leftAxis), axis(right, rightAxis));
        links.same(left, leftAxis, right, rightAxis);
    }

    void keepOnes(Value value, int axis, Limit limit) {
        axis(value, axis).limit(limit);
        links.unscaled(value, axis);
        links.unsigned(value, axis);
    }

    /** An axis goes from an argument to a value as it is. */
    void carried(Value argument, int axis, Value value, int there) {
        if (graph.isFixed(argument)) {
            axis(value, there).limit(Limit.PINNED);
        } else {
            same(argument, axis, value, there);
        }
    }

    /** Where an axis of an argument lies that is stretched to an axis of a value; -1 where it is the same all along it. */
    static int aligned(Value value, int axis, Value argument) {
        int own = axis - (value.shape().rank() - argument.shape().rank());
        return own >= 0
                        && argument.shape().size(own) == value.shape().size(axis)
                        && value.shape().size(axis) > 1
                ? own
                : -1;
    }

    /** Whether fixed numbers are the same all along an axis. */
    static boolean isUniform(Value value, int axis) {
        if (axis < 0 || value.shape().size(axis) == 1) {
            return true;
        }
        if (value.operation() instanceof Leaf leaf) {
            double[] numbers = leaf.numbers().asFloat64();
            int stride = value.shape().strides()[axis];
            int size = value.shape().size(axis);
            for (int i = 0; i < numbers.length; i++) {
                if (i / stride % size > 0 && numbers[i] != numbers[i - stride]) {
                    return false;
                }
            }
            return true;
        }
        AxisTracks tracks = AxisTracks.of(value);
        for (int i = 0; i < value.arguments().size(); i++) {
            if (tracks == null || !tracks.follows(axis) || !isUniform(value.argument(i), tracks.track(axis, i))) {
                return false;
            }
        }
        return true;
    }

    static boolean isZero(Value value) {
        return switch (value.operation()) {
            case Leaf leaf -> {
                for (double number : leaf.numbers().asFloat64()) {
                    if (number != 0) {
                        yield false;
                    }
                }
                yield true;
            }
            case Rearrangement rearrangement -> rearrangement.fill() == 0 && isZero(value.argument(0));
            case Reshape _ -> isZero(value.argument(0));
            default -> false;
        };
    }
}
