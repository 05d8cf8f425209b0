package org.isoloss.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows channels through a model: from each value that a tensor makes to all that carry the same channels, forward and backward.
 */
final class ChannelSpaceSearch {
    private final Model model;
    private final WeightedGraph graph;
    private final Map<Value, Set<Integer>> known = new HashMap<>();

    ChannelSpaceSearch(Model model) {
        this.model = model;
        this.graph = new WeightedGraph(model);
    }

    List<ChannelSpace> spaces() {
        List<ChannelSpace> spaces = new ArrayList<>();
        for (ParameterUse use : ParameterUse.of(model)) {
            Set<Integer> axes = new LinkedHashSet<>(use.channelsOfResult());
            if (axes.size() == 1 && use.kind() != ParameterUse.Kind.SHIFT) {
                int axis = axes.iterator().next();
                if (!known.getOrDefault(use.result(), Set.of()).contains(axis)) {
                    spaces.add(new Space(use.result(), axis).found());
                }
            }
        }
        return spaces;
    }

    /** Everything that is reached from one value. */
    private final class Space {
        private final Value first;
        private final int width;
        private final Map<Value, Integer> axes = new LinkedHashMap<>();
        private final Deque<Value> waiting = new ArrayDeque<>();
        private final List<ChannelSpace.Use> made = new ArrayList<>();
        private final List<ChannelSpace.Read> read = new ArrayList<>();
        private final List<ChannelSpace.Scale> scaledFrom = new ArrayList<>();
        private final List<ChannelSpace.Scale> scaledTo = new ArrayList<>();
        private final Map<Value, Integer> multiplied = new LinkedHashMap<>();
        private boolean isResidual;
        private boolean fixesOnes;
        private boolean isLinear = true;
        private @Nullable String obstacle;

        Space(Value first, int axis) {
            this.first = first;
            this.width = first.shape().size(axis);
            add(first, axis);
            while (!waiting.isEmpty()) {
                Value value = waiting.removeFirst();
                int own = Objects.requireNonNull(axes.get(value));
                backward(value, own);
                if (graph.isOutput(value)) {
                    stop(value, "comes out of the model");
                }
                graph.readers(value).forEach(reader -> forward(value, own, reader));
            }
            multiplied.forEach((value, axis2) -> {
                if (!axis2.equals(axes.get(value))) {
                    stop(value, "is multiplied with other channels");
                }
            });
        }

        ChannelSpace found() {
            return new ChannelSpace(
                    first.where(),
                    width,
                    made,
                    read,
                    scaledFrom,
                    scaledTo,
                    isResidual,
                    fixesOnes,
                    isLinear && !fixesOnes,
                    Optional.ofNullable(obstacle));
        }

        private void stop(Value value, String why) {
            if (obstacle == null) {
                obstacle = "%s %s".formatted(value.where(), why);
            }
        }

        private void add(Value value, int axis) {
            if (axis < 0 || value.shape().size(axis) != width) {
                stop(value, "takes the channels apart");
                return;
            }
            Integer before = axes.putIfAbsent(value, axis);
            if (before == null) {
                known.computeIfAbsent(value, _ -> new HashSet<>()).add(axis);
                waiting.add(value);
            } else if (before != axis) {
                stop(value, "has the channels along two axes");
            }
        }

        /** The axis of an argument that is stretched to an axis of a value; -1 where it is the same all along it. */
        private static int aligned(Value value, int axis, Value argument) {
            int own = axis - (value.shape().rank() - argument.shape().rank());
            return own >= 0
                            && argument.shape().size(own) == value.shape().size(axis)
                            && value.shape().size(axis) > 1
                    ? own
                    : -1;
        }

        private void make(Value result, Value tensor, int axis, boolean isShift) {
            StoredAxis place = axis < 0 ? null : StoredAxis.of(tensor, axis);
            if (place == null || place.offset() != 0) {
                stop(result, "has weights that are made of several numbers, or of none");
            } else {
                made.add(new ChannelSpace.Use(result, place.tensor(), place.axis(), isShift));
            }
        }

        private void backward(Value value, int axis) {
            switch (value.operation()) {
                case Leaf _ -> stop(value, "is given");
                case Sum _ -> sum(value, axis);
                case Product _ -> product(value, axis);
                case Contraction contraction ->
                    contraction(value, contraction.result().charAt(axis));
                case Lookup lookup -> lookup(value, lookup, axis);
                case Selection _ -> {
                    if (aligned(value, axis, value.argument(0)) >= 0) {
                        stop(value, "chooses between channels");
                    }
                    carriedOrMade(value, value.argument(1), aligned(value, axis, value.argument(1)));
                    carriedOrMade(value, value.argument(2), aligned(value, axis, value.argument(2)));
                }
                case Reduction reduction when reduction.largest() -> stop(value, "takes the largest of each channel");
                case Reshape _, Rearrangement _, Reduction _, Concatenation _ -> {
                    AxisTracks tracks = AxisTracks.of(value);
                    for (int i = 0; i < value.arguments().size(); i++) {
                        carriedOrMade(value, value.argument(i), tracks == null ? -1 : tracks.track(axis, i));
                    }
                }
                default -> stop(value, "is no linear function of the channels before it");
            }
        }

        private void carriedOrMade(Value value, Value argument, int axis) {
            if (graph.isVarying(argument)) {
                add(argument, axis);
            } else {
                make(value, argument, axis, false);
            }
        }

        private void sum(Value value, int axis) {
            int carried = 0;
            for (Value argument : value.arguments()) {
                int own = aligned(value, axis, argument);
                if (own < 0) {
                    fixesOnes = true;
                } else if (graph.isVarying(argument)) {
                    carried++;
                    add(argument, own);
                } else if (graph.isParametric(argument)) {
                    make(value, argument, own, true);
                } else {
                    stop(value, "adds fixed numbers to the channels");
                }
            }
            isResidual |= carried > 1 && value.arguments().stream().distinct().count() > 1;
        }

        private void product(Value value, int axis) {
            Value left = value.argument(0);
            Value right = value.argument(1);
            boolean both = aligned(value, axis, left) >= 0 && aligned(value, axis, right) >= 0;
            Value carried = aligned(value, axis, left) >= 0 && graph.isVarying(left) ? left : right;
            Value other = carried == left ? right : left;
            if (!graph.isVarying(carried) || aligned(value, axis, carried) < 0) {
                stop(value, "multiplies weights by what depends on the inputs");
            } else if (!both) {
                add(carried, aligned(value, axis, carried));
            } else if (graph.isParametric(other)) {
                scale(value, axis, other, carried).ifPresent(scaledFrom::add);
            } else {
                stop(value, "is a product of each channel");
            }
        }

        private Optional<ChannelSpace.Scale> scale(Value result, int axis, Value factors, Value scaled) {
            StoredAxis place = StoredAxis.of(factors, aligned(result, axis, factors));
            if (place == null) {
                stop(result, "has factors that are made of several numbers");
                return Optional.empty();
            }
            return Optional.of(new ChannelSpace.Scale(
                    new ChannelSpace.Use(result, place.tensor(), place.axis(), false),
                    place.offset(),
                    scaled.operation() instanceof Product
                            && scaled.arguments().stream().allMatch(graph::isVarying)));
        }

        private void contraction(Value value, char label) {
            var contraction = (Contraction) value.operation();
            for (int side = 0; side < 2; side++) {
                Value argument = value.argument(side);
                int own = (side == 0 ? contraction.left() : contraction.right()).indexOf(label);
                int there = (side == 0 ? contraction.right() : contraction.left()).indexOf(label);
                if (own >= 0 && there >= 0) {
                    stop(value, "multiplies each channel by itself");
                } else if (own >= 0 && graph.isVarying(argument)) {
                    add(argument, own);
                } else if (own >= 0) {
                    make(value, argument, own, false);
                }
            }
        }

        private void lookup(Value value, Lookup lookup, int axis) {
            Value table = value.argument(0);
            int indices = value.argument(1).shape().rank();
            if (axis >= lookup.axis() && axis < lookup.axis() + indices) {
                stop(value, "has channels that are looked up");
                return;
            }
            int own = axis < lookup.axis() ? axis : axis - indices + 1;
            carriedOrMade(value, table, own);
        }

        private void forward(Value value, int axis, Value reader) {
            switch (reader.operation()) {
                case Sum _, Selection _ -> addAligned(value, axis, reader);
                case Product _ -> intoProduct(value, axis, reader);
                case Application application -> square(reader, axis, Power.SQUARE.equals(application.function()));
                case Reduction reduction -> {
                    if (reduction.largest()) {
                        stop(reader, "takes the largest");
                    } else if (reduction.axes().contains(axis)) {
                        fixesOnes = true;
                    } else {
                        addTracked(value, axis, reader);
                    }
                }
                case Contraction contraction -> intoContraction(value, axis, reader, contraction);
                case Lookup lookup
                when reader.argument(0) == value && reader.argument(1) != value -> {
                    int indices = reader.argument(1).shape().rank();
                    if (axis == lookup.axis()) {
                        stop(reader, "looks single channels up");
                    } else {
                        add(reader, axis < lookup.axis() ? axis : axis + indices - 1);
                    }
                }
                case Rearrangement rearrangement when rearrangement.fill() != 0 -> stop(reader, "fills channels in");
                case Reshape _, Rearrangement _, Concatenation _ -> addTracked(value, axis, reader);
                default -> stop(reader, "is no linear function of the channels before it");
            }
        }

        private void addAligned(Value value, int axis, Value reader) {
            int there = axis + reader.shape().rank() - value.shape().rank();
            if (reader.operation() instanceof Selection && reader.argument(0) == value) {
                stop(reader, "chooses by channels");
            } else {
                add(reader, there);
            }
        }

        private void addTracked(Value value, int axis, Value reader) {
            AxisTracks tracks = AxisTracks.of(reader);
            for (int there = 0; tracks != null && there < reader.shape().rank(); there++) {
                int argument = reader.arguments().indexOf(value);
                if (tracks.follows(there) && tracks.track(there, argument) == axis) {
                    add(reader, there);
                    return;
                }
            }
            stop(reader, "takes the channels apart");
        }

        private void intoProduct(Value value, int axis, Value reader) {
            int there = axis + reader.shape().rank() - value.shape().rank();
            Value other = reader.argument(reader.argument(0) == value ? 1 : 0);
            if (other == value) {
                square(reader, there, true);
            } else if (aligned(reader, there, other) < 0) {
                add(reader, there);
            } else if (graph.isParametric(other)) {
                scale(reader, there, other, value).ifPresent(scaledTo::add);
            } else {
                stop(reader, "is a product of each channel");
            }
        }

        /** Squares of channels may only be added up. */
        private void square(Value squares, int axis, boolean isSquare) {
            boolean isAdded = isSquare
                    && graph.readers(squares).stream()
                            .allMatch(reader -> reader.operation() instanceof Reduction reduction
                                    && !reduction.largest()
                                    && reduction.axes().contains(axis));
            if (!isAdded || graph.isOutput(squares)) {
                stop(squares, "is a function of each channel");
            }
            isLinear = false;
        }

        private void intoContraction(Value value, int axis, Value reader, Contraction contraction) {
            int side = reader.argument(0) == value ? 0 : 1;
            Value other = reader.argument(1 - side);
            char label = (side == 0 ? contraction.left() : contraction.right()).charAt(axis);
            int there = (side == 0 ? contraction.right() : contraction.left()).indexOf(label);
            int after = contraction.result().indexOf(label);
            if (other == value) {
                stop(reader, "multiplies the channels by themselves");
            } else if (there < 0) {
                add(reader, after);
            } else if (after >= 0) {
                stop(reader, "multiplies each channel");
            } else if (graph.isVarying(other)) {
                isLinear = false;
                multiplied.put(other, there);
            } else {
                StoredAxis place = graph.isParametric(other) ? StoredAxis.of(other, there) : null;
                if (place == null || place.offset() != 0) {
                    stop(reader, "has weights that are made of several numbers, or of none");
                } else {
                    read.add(new ChannelSpace.Read(
                            new ChannelSpace.Use(reader, place.tensor(), place.axis(), false),
                            bias(reader, other, there)));
                }
            }
        }

        /** The parameter that is added to a product, one number for each row of a weight with two axes. */
        private Optional<String> bias(Value product, Value weight, int axis) {
            List<Value> after = graph.readers(product);
            if (weight.shape().rank() != 2 || after.size() != 1 || graph.isOutput(product)) {
                return Optional.empty();
            }
            Value sum = after.getFirst();
            int last = sum.shape().rank() - 1;
            return sum.operation() instanceof Sum added
                            && added.factors().stream().allMatch(factor -> factor == 1)
                            && sum.arguments().size() == 2
                            && sum.shape().equals(product.shape())
                            && sum.shape().size(last) == weight.shape().size(1 - axis)
                    ? sum.arguments().stream()
                            .filter(graph::isParametric)
                            .filter(shift ->
                                    shift.shape().count() == weight.shape().size(1 - axis))
                            .flatMap(shift -> Optional.ofNullable(
                                    StoredAxis.of(shift, shift.shape().rank() - 1))
                                    .filter(place -> place.offset() == 0)
                                    .map(StoredAxis::tensor)
                                    .stream())
                            .findFirst()
                    : Optional.empty();
        }
    }
}
