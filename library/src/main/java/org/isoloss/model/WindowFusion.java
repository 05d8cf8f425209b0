package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Windows that are read where they lie: what is only added up, compared, or weighed channel by channel is never copied out of
 * its source. Results have the bits that they have with the copy.
 */
final class WindowFusion {
    /** Shorter runs along the last axis are copied sooner than walked through. */
    private static final int SHORTEST_RUN = 4;

    private static final String DEPTHWISE = "gk,ngkp->ngp";

    private final Map<Value, Value> windows = new HashMap<>();
    private final Set<Value> skipped = new HashSet<>();

    /**
     * Finds them.
     *
     * @param order all that is computed
     * @param kept what somebody reads or sets
     */
    WindowFusion(List<Value> order, Collection<Value> kept) {
        Map<Value, List<Value>> users = new HashMap<>();
        order.forEach(value -> value.arguments()
                .forEach(argument ->
                        users.computeIfAbsent(argument, _ -> new ArrayList<>()).add(value)));
        Set<Value> fixed = new HashSet<>(kept);
        for (Value value : order) {
            if (value.operation() instanceof Rearrangement windows && !fixed.contains(value)) {
                consider(value, windows, users, fixed);
            }
        }
    }

    private void consider(Value value, Rearrangement rearrangement, Map<Value, List<Value>> users, Set<Value> fixed) {
        Value user = only(users, value);
        if (user == null || fixed.contains(user)) {
            return;
        }
        if (user.operation() instanceof Reduction reduction) {
            double neutral = reduction.largest() ? Double.NEGATIVE_INFINITY : 0;
            if (rearrangement.fill() == neutral && keepsRuns(rearrangement.map(), reduction.axes())) {
                windows.put(user, value);
                skipped.add(value);
            }
        } else if (user.operation() instanceof Reshape && rearrangement.fill() == 0) {
            Value last = only(users, user);
            boolean depthwise = last != null
                    && !fixed.contains(last)
                    && last.operation() instanceof Contraction contraction
                    && contraction.name().endsWith(DEPTHWISE)
                    && last.argument(1) == user
                    && value.shape().rank() % 2 == 0
                    && taps(value.shape()) == user.shape().size(2)
                    && value.shape().size(1) == user.shape().size(1);
            if (last != null && depthwise && keepsRuns(rearrangement.map(), tapAxes(value.shape()))) {
                windows.put(last, value);
                skipped.addAll(List.of(value, user));
            }
        }
    }

    private static @Nullable Value only(Map<Value, List<Value>> users, Value value) {
        List<Value> all = users.getOrDefault(value, List.of());
        return all.size() == 1 ? all.getFirst() : null;
    }

    /** Whether a run of entries that lie side by side goes to entries of the result that do. */
    private static boolean keepsRuns(IndexMap map, List<Integer> reduced) {
        Dimensions joined = map.joined().target();
        int length = joined.rank() == 0 ? 1 : joined.size(joined.rank() - 1);
        int kept = 1;
        for (int axis = map.target().rank() - 1; axis >= 0 && !reduced.contains(axis); axis--) {
            kept *= map.target().size(axis);
        }
        return length >= SHORTEST_RUN && kept % length == 0;
    }

    /** Of (batch, channels, window..., places...) the axes of the window. */
    private static List<Integer> tapAxes(Dimensions shape) {
        List<Integer> axes = new ArrayList<>();
        for (int axis = 2; axis < 2 + (shape.rank() - 2) / 2; axis++) {
            axes.add(axis);
        }
        return axes;
    }

    private static int taps(Dimensions shape) {
        return tapAxes(shape).stream().mapToInt(shape::size).reduce(1, (a, b) -> a * b);
    }

    /** Whether a value is never computed. */
    boolean skips(Value value) {
        return skipped.contains(value);
    }

    /** Whether a value is never computed, or computed from the source of its windows. */
    boolean touches(Value value) {
        return skipped.contains(value) || windows.containsKey(value);
    }

    /** The computation of a value from the source of its windows; null when it has none. */
    @Nullable
    Runnable kernel(Memory memory, Value value) {
        Value window = windows.get(value);
        if (window == null) {
            return null;
        }
        IndexMap map = ((Rearrangement) window.operation()).map();
        Value source = window.argument(0);
        if (value.operation() instanceof Reduction reduction) {
            int[] strides = Reduction.strides(map.target(), reduction.axes());
            return memory.through(value, source, map, strides, reduction.largest(), null, new int[strides.length]);
        }
        List<Integer> axes = tapAxes(map.target());
        int[] strides = Reduction.strides(map.target(), axes);
        int[] weightStrides = new int[strides.length];
        int stride = 1;
        for (int axis : axes.reversed()) {
            weightStrides[axis] = stride;
            stride *= map.target().size(axis);
        }
        weightStrides[1] = stride;
        return memory.through(value, source, map, strides, false, value.argument(0), weightStrides);
    }
}
