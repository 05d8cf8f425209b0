package org.isoloss.model;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What no output sees of a value: the entries to which anything may be added that is the same all along one axis. So it is with what a
 * norm's centring takes away, and with what softmax subtracts again.
 */
final class UnseenEntries {
    private final WeightedGraph graph;
    private final Map<List<Object>, boolean[]> known = new HashMap<>();

    UnseenEntries(WeightedGraph graph) {
        this.graph = graph;
    }

    List<Value> readers(Value value) {
        return graph.readers(value);
    }

    /** Whether a value depends on the inputs. */
    boolean isVarying(Value value) {
        return graph.isVarying(value);
    }

    /**
     * Finds the entries to which may be added what is the same along an axis.
     *
     * @param value of the model
     * @param axis of it, with more than one entry
     * @return row-major; not to be modified
     */
    boolean[] of(Value value, int axis) {
        List<Object> key = List.of(value, axis);
        boolean[] before = known.get(key);
        if (before != null) {
            return before;
        }
        boolean[] unseen = new boolean[value.shape().count()];
        Arrays.fill(unseen, !graph.isOutput(value));
        Set<Value> centring = new HashSet<>();
        readers(value).forEach(reader -> {
            Value mean = mean(reader, value, axis);
            if (mean != null) {
                centring.add(reader);
                centring.add(mean);
            }
        });
        for (Value reader : readers(value)) {
            if (!centring.contains(reader)) {
                and(unseen, value, axis, reader);
            }
        }
        evenOut(unseen, value, axis);
        known.put(key, unseen);
        return unseen;
    }

    /** Whether an entry counts along the axis for all. */
    private static void evenOut(boolean[] unseen, Value value, int axis) {
        int stride = value.shape().strides()[axis];
        int size = value.shape().size(axis);
        for (int i = 0; i < unseen.length; i++) {
            if (!unseen[i]) {
                int first = i - i / stride % size * stride;
                for (int k = 0; k < size; k++) {
                    unseen[first + k * stride] = false;
                }
            }
        }
    }

    /**
     * The reduction along an axis that a sum subtracts from what it reduces; null where it does not, or something else sees it.
     *
     * @param sum maybe x - mean(x), or x - max(x)
     */
    @Nullable
    Value mean(Value sum, Value value, int axis) {
        boolean isDifference = sum.operation() instanceof Sum operation
                && operation.factors().equals(List.of(1.0, -1.0))
                && sum.argument(0) == value
                && sum.shape().equals(value.shape());
        if (!isDifference) {
            return null;
        }
        double factor = 1;
        Value at = sum.argument(1);
        while (readers(at).size() == 1 && !graph.isOutput(at)) {
            if (at.operation() instanceof Reshape) {
                at = at.argument(0);
            } else if (at.operation() instanceof Sum scaled && scaled.factors().size() == 1) {
                factor *= scaled.factors().getFirst();
                at = at.argument(0);
            } else {
                break;
            }
        }
        if (!(at.operation() instanceof Reduction reduction)
                || at.argument(0) != value
                || readers(at).size() != 1
                || !reduction.axes().equals(List.of(axis))) {
            return null;
        }
        double wanted = reduction.largest() ? 1 : 1.0 / value.shape().size(axis);
        return Math.abs(factor - wanted) <= 1e-15 ? at : null;
    }

    /** Takes out what a reader lets an output see. */
    private void and(boolean[] unseen, Value value, int axis, Value reader) {
        int there = follows(value, axis, reader);
        boolean isUsed = reader.arguments().stream().filter(value::equals).count() == 1;
        if (there < 0 || !isUsed) {
            Arrays.fill(unseen, false);
            return;
        }
        boolean[] after = of(reader, there);
        int[] places = places(value, reader);
        if (places == null) { // of many: unseen where all of the reader is
            boolean isSeen = false;
            for (boolean one : after) {
                isSeen |= !one;
            }
            if (isSeen) {
                Arrays.fill(unseen, false);
            }
            return;
        }
        for (int i = 0; i < after.length; i++) {
            if (places[i] >= 0) {
                unseen[places[i]] &= after[i];
            }
        }
    }

    /** The axis of a reader along which it changes by what is the same, if a value does along an axis; -1 where it does otherwise. */
    private int follows(Value value, int axis, Value reader) {
        int shifted = axis + reader.shape().rank() - value.shape().rank();
        return switch (reader.operation()) {
            case Sum _ -> shifted;
            case Product _ -> {
                Value other = reader.argument(reader.argument(0) == value ? 1 : 0);
                int own = shifted - reader.shape().rank() + other.shape().rank();
                yield own < 0 || other.shape().size(own) == 1 ? shifted : -1;
            }
            case Selection _ -> {
                boolean isChosen =
                        reader.argument(0) != value && !isVarying(reader.argument(reader.argument(1) == value ? 2 : 1));
                yield isChosen ? shifted : -1;
            }
            case Reduction reduction
            when !reduction.largest() && !reduction.axes().contains(axis) -> {
                int before = (int)
                        reduction.axes().stream().filter(gone -> gone < axis).count();
                yield axis - before;
            }
            case Reshape _, Rearrangement _, Concatenation _ -> tracked(value, axis, reader);
            case Contraction contraction -> {
                int side = reader.argument(0) == value ? 0 : 1;
                char label = (side == 0 ? contraction.left() : contraction.right()).charAt(axis);
                boolean isShared = (side == 0 ? contraction.right() : contraction.left()).indexOf(label) >= 0;
                yield isShared ? -1 : contraction.result().indexOf(label);
            }
            default -> -1;
        };
    }

    private static int tracked(Value value, int axis, Value reader) {
        AxisTracks tracks = AxisTracks.of(reader);
        for (int there = 0; tracks != null && there < reader.shape().rank(); there++) {
            if (tracks.follows(there) && tracks.track(there, reader.arguments().indexOf(value)) == axis) {
                return there;
            }
        }
        return -1;
    }

    /** For each entry of a reader the entry of a value that it is made of; -1 where of none, null where of many. */
    private static int @Nullable [] places(Value value, Value reader) {
        return switch (reader.operation()) {
            case Sum _, Product _, Selection _ ->
                IndexMap.broadcast(value.shape(), reader.shape()).table();
            case Rearrangement rearrangement -> rearrangement.map().table();
            case Reshape _ -> IndexMap.broadcast(reader.shape(), reader.shape()).table();
            case Concatenation concatenation -> joined(value, reader, concatenation.axis());
            default -> null;
        };
    }

    private static int[] joined(Value value, Value reader, int along) {
        int begin = 0;
        for (Value argument : reader.arguments()) {
            if (argument == value) {
                break;
            }
            begin += argument.shape().size(along);
        }
        int[] begins = new int[reader.shape().rank()];
        int[] steps = new int[begins.length];
        Arrays.fill(steps, 1);
        begins[along] = begin;
        int[] back = IndexMap.sliced(
                        reader.shape(), begins, steps, value.shape().toArray())
                .table();
        int[] places = new int[reader.shape().count()];
        Arrays.fill(places, -1);
        for (int i = 0; i < back.length; i++) {
            places[back[i]] = i;
        }
        return places;
    }
}
