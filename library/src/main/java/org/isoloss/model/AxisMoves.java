package org.isoloss.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.model.AxisLinks.Span;
import org.isoloss.model.AxisNode.Limit;
import org.isoloss.model.AxisNode.Ref;

/** Where axes go when values are reshaped, rearranged and put beside each other. */
final class AxisMoves {
    private final WeightedGraph graph;
    private final AxisBases bases;
    private final Map<Value, Integer> selectors = new HashMap<>(); // the axis that is sliced into single entries

    AxisMoves(WeightedGraph graph, AxisBases bases) {
        this.graph = graph;
        this.bases = bases;
    }

    void reshape(Value value) {
        Value source = value.argument(0);
        List<Ref> own = bases.axes(value);
        int selector = selector(value);
        List<Ref> factors = new ArrayList<>();
        bases.axes(source).forEach(axis -> factors.addAll(axis.factors()));
        for (int axis = 0; axis < own.size(); axis++) {
            if (axis == selector) {
                int count = value.shape().size(axis);
                int size = value.shape().size(axis + 1);
                List<Ref> whole = AxisNode.taken(factors, count * size);
                if (whole.isEmpty()) {
                    bases.pin(source);
                    bases.pin(value);
                    return;
                }
                List<Ref> members = new ArrayList<>();
                for (int member = 0; member < count; member++) {
                    members.add(AxisNode.fresh(size));
                }
                AxisNode.unite(AxisNode.product(whole), AxisNode.join(members));
                own.set(axis, AxisNode.fresh(1));
                own.set(axis + 1, AxisNode.product(whole));
                selectors.put(value, axis);
                axis++;
                continue;
            }
            List<Ref> taken = AxisNode.taken(factors, value.shape().size(axis));
            if (taken.isEmpty() && value.shape().size(axis) > 1) {
                bases.pin(source);
                bases.pin(value);
                return;
            }
            own.set(axis, taken.isEmpty() ? AxisNode.fresh(1) : AxisNode.product(taken));
        }
        bases.links().rearranged(spans(source), spans(value));
    }

    private List<Span> spans(Value value) {
        List<Span> spans = new ArrayList<>();
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            spans.add(new Span(value, axis, 0, bases.axis(value, axis).size()));
        }
        return spans;
    }

    /** The axis that all readers slice into single entries, and that is not the last; -1 where there is none. */
    private int selector(Value value) {
        for (int axis = 0; axis + 1 < value.shape().rank(); axis++) {
            int size = value.shape().size(axis);
            int at = axis;
            if (size > 1
                    && graph.readers(value).stream()
                            .allMatch(reader -> reader.operation() instanceof Rearrangement arranged
                                    && isSingle(arranged.map(), at))) {
                return axis;
            }
        }
        return -1;
    }

    /** Whether a map takes one entry of an axis, and all of the others as they are. */
    private static boolean isSingle(IndexMap map, int axis) {
        boolean is = map.target().rank() == map.source().rank() && map.target().size(axis) == 1;
        for (int other = 0; is && other < map.source().rank(); other++) {
            is = other == axis
                    || (map.only(other) == other
                            && map.target().size(other) == map.source().size(other))
                    || map.source().size(other) == 1;
        }
        return is;
    }

    void rearrange(Value value, Rearrangement rearrangement) {
        Value source = value.argument(0);
        IndexMap map = rearrangement.map();
        Integer selector = selectors.get(source);
        List<Ref> own = bases.axes(value);
        boolean[] known = new boolean[value.shape().rank()];
        for (int axis = 0; axis < source.shape().rank(); axis++) {
            if (selector != null && (axis == selector || axis == selector + 1)) {
                if (axis == selector + 1) {
                    int size = value.shape().size(axis);
                    int begin = map.base().get(selector) * size;
                    own.set(axis, AxisNode.sliced(bases.axis(source, axis), begin, size));
                    bases.links()
                            .rearranged(
                                    List.of(new Span(source, axis, begin, size)),
                                    List.of(new Span(value, axis, 0, size)));
                    known[axis] = true;
                }
                continue;
            }
            follow(value, source, axis, map, known);
        }
        for (int axis = 0; axis < known.length; axis++) {
            if (!known[axis] && value.shape().size(axis) > 1) {
                boolean isRepeated = isRepeated(map, axis);
                if (isRepeated) {
                    bases.keepOnes(value, axis, Limit.ONES);
                } else {
                    bases.axis(value, axis).limit(Limit.PINNED);
                }
            }
        }
    }

    private static boolean isRepeated(IndexMap map, int along) {
        return map.steps().stream().allMatch(row -> row.get(along) == 0);
    }

    /** Where one axis of a source goes, if it goes as it is or in part. */
    private void follow(Value value, Value source, int axis, IndexMap map, boolean[] known) {
        int size = source.shape().size(axis);
        if (size == 1) {
            return;
        }
        List<Integer> steps = map.steps().get(axis);
        int there = -1;
        int count = 0;
        for (int along = 0; along < steps.size(); along++) {
            if (steps.get(along) != 0 && map.target().size(along) > 1) {
                there = along;
                count++;
            }
        }
        int to = there;
        boolean isAlone = count == 1
                && steps.get(there) == 1
                && map.steps().stream().filter(row -> row.get(to) != 0).count() == 1;
        int begin = map.base().get(axis);
        if (!isAlone || begin < 0 || begin + map.target().size(there) > size) {
            bases.axis(source, axis).limit(Limit.PINNED);
            return;
        }
        int some = map.target().size(there);
        bases.axes(value).set(there, AxisNode.sliced(bases.axis(source, axis), begin, some));
        bases.links()
                .rearranged(List.of(new Span(source, axis, begin, some)), List.of(new Span(value, there, 0, some)));
        known[there] = true;
    }

    void concatenate(Value value, int along) {
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            if (axis == along) {
                continue;
            }
            for (Value argument : value.arguments()) {
                if (!graph.isFixed(argument)) {
                    bases.same(argument, axis, value, axis);
                } else if (!AxisBases.isZero(argument)) {
                    bases.axis(value, axis).limit(Limit.PINNED);
                }
            }
        }
        List<Ref> parts = new ArrayList<>();
        List<Span> spans = new ArrayList<>();
        boolean isKnown = true;
        for (Value argument : value.arguments()) {
            int size = argument.shape().size(along);
            isKnown &= !graph.isFixed(argument) && size > 1;
            parts.add(graph.isFixed(argument) ? AxisNode.pinned(size) : bases.axis(argument, along));
            spans.add(new Span(argument, along, 0, size));
        }
        bases.axes(value).set(along, AxisNode.join(parts));
        if (isKnown) {
            bases.links()
                    .rearranged(
                            spans,
                            List.of(new Span(value, along, 0, value.shape().size(along))));
        } else {
            bases.links().unscaled(value, along);
            bases.links().unsigned(value, along);
            value.arguments().stream()
                    .filter(argument -> !graph.isFixed(argument))
                    .forEach(argument -> {
                        bases.links().unscaled(argument, along);
                        bases.links().unsigned(argument, along);
                    });
        }
    }
}
