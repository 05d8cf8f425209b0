package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.model.UnitBlock.Projection;
import org.jspecify.annotations.Nullable;

/** Finds hidden units: from each contraction with a parameter back to the sums that the units are functions of. */
final class UnitBlockSearch {
    private final List<Value> order;
    private final Map<Value, List<Value>> readers = new HashMap<>();
    private final Set<Value> outputs;
    private final Map<Value, Optional<UnitSums>> sums = new HashMap<>();

    UnitBlockSearch(Model model) {
        this.outputs = new HashSet<>(model.outputs().values());
        this.order = Execution.order(List.copyOf(outputs), Set.of());
        for (Value value : order) {
            value.arguments().stream()
                    .distinct()
                    .forEach(argument -> readers.computeIfAbsent(argument, _ -> new ArrayList<>())
                            .add(value));
        }
    }

    List<UnitBlock> blocks() {
        return order.stream()
                .filter(value -> value.operation() instanceof Contraction)
                .map(this::block)
                .flatMap(Optional::stream)
                .toList();
    }

    private Optional<UnitBlock> block(Value second) {
        for (int side = 0; side < 2; side++) {
            StoredView weights = StoredView.of(second.argument(side));
            ContractedAxes axes = ContractedAxes.of(second, side);
            if (weights != null && axes != null && axes.summed().size() == 1) {
                UnitBlock block = block(second, side, weights, axes);
                if (block != null) {
                    return Optional.of(block);
                }
            }
        }
        return Optional.empty();
    }

    private @Nullable UnitBlock block(Value second, int side, StoredView weights, ContractedAxes axes) {
        Value read = second.argument(1 - side);
        Set<Value> steps = new LinkedHashSet<>();
        UnitAxis axis = new UnitAxis(axes.summed().getFirst(), 1);
        Value hidden = read;
        while (hidden.operation() instanceof Reshape || hidden.operation() instanceof Rearrangement) {
            steps.add(hidden);
            axis = axis.before(hidden);
            if (axis == null) {
                return null;
            }
            hidden = hidden.argument(0);
        }
        List<UnitSums> found = new ArrayList<>();
        Value function = hidden;
        if (walk(hidden, steps, found) && found.size() == 2 && hidden.operation() instanceof Product) {
            int up = hidden.argument(1) == found.getLast().value() ? 1 : 0;
            function = hidden.argument(1 - up);
            found = up == 1 ? found : found.reversed();
            if (hidden.argument(up) != found.getLast().value()
                    || !found.getFirst().isLike(found.getLast())) {
                return null;
            }
            Set<Value> gate = new HashSet<>();
            List<UnitSums> alone = new ArrayList<>();
            if (!walk(function, gate, alone) || alone.size() != 1) {
                return null;
            }
        } else if (found.size() != 1) {
            return null;
        }
        UnitSums first = found.getFirst();
        if (function == first.value() || first.axis() != axis.axis()) {
            return null;
        }
        Set<Value> before = new HashSet<>();
        found.forEach(unit -> before.addAll(unit.stored()));
        Set<Value> stored = union(before, Set.copyOf(weights.steps()));
        if (before.contains(weights.parameter())
                || !isReadBy(steps, steps, second)
                || !isReadBy(stored, union(stored, steps), second)) {
            return null;
        }
        int units = first.units();
        return new UnitBlock(
                first.entering(),
                first.features(),
                Composed.of(first.value(), function),
                found.stream().map(UnitSums::projection).toList(),
                outgoing(second, weights, axes, axis.taps(), units));
    }

    private static Set<Value> union(Set<Value> some, Set<Value> others) {
        Set<Value> union = new HashSet<>(some);
        union.addAll(others);
        return union;
    }

    private boolean isReadBy(Collection<Value> values, Set<Value> allowed, Value second) {
        return values.stream()
                .allMatch(value -> !outputs.contains(value)
                        && readers.getOrDefault(value, List.of()).stream()
                                .allMatch(reader -> reader == second || allowed.contains(reader)));
    }

    /** Goes back through functions, sums and products entry by entry to sums of units; false where something else is met. */
    private boolean walk(Value value, Set<Value> steps, List<UnitSums> found) {
        if (!steps.add(value)) {
            return true;
        }
        Optional<UnitSums> units = sums(value);
        if (units.isPresent()) {
            steps.addAll(units.get().steps());
            found.add(units.get());
            return true;
        }
        boolean passes = value.operation() instanceof Sum
                || value.operation() instanceof Product
                || (value.operation() instanceof Application application && !application.jumps());
        return passes
                && value.arguments().stream()
                        .allMatch(argument -> isNumber(argument)
                                || (argument.shape().equals(value.shape()) && walk(argument, steps, found)));
    }

    /** A single number that no input changes, which some files store as a parameter. */
    private static boolean isNumber(Value value) {
        Value source = value.operation() instanceof Reshape ? value.argument(0) : value;
        return source.shape().count() == 1 && source.operation() instanceof Leaf leaf && leaf.hasNumbers();
    }

    private Optional<UnitSums> sums(Value value) {
        Optional<UnitSums> known = sums.get(value);
        if (known == null) {
            known = Optional.ofNullable(found(value));
            sums.put(value, known);
        }
        return known;
    }

    private @Nullable UnitSums found(Value value) {
        return switch (value.operation()) {
            case Contraction _ -> UnitSums.of(value);
            case Reshape _ ->
                sums(value.argument(0)).map(sums -> sums.reshaped(value)).orElse(null);
            case Rearrangement _ ->
                sums(value.argument(0)).map(sums -> sums.arranged(value)).orElse(null);
            case Sum sum
            when sum.factors().equals(List.of(1.0, 1.0)) ->
                IntStream.range(0, 2)
                        .mapToObj(i -> sums(value.argument(i))
                                .map(units -> units.biased(value, StoredView.of(value.argument(1 - i))))
                                .orElse(null))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
            default -> null;
        };
    }

    /** The weights behind the units, with the bias that follows them. */
    private Projection outgoing(Value second, StoredView weights, ContractedAxes axes, int taps, int units) {
        int tap = weights.strides().get(axes.weightAxis(0));
        List<Integer> places = List.of(0);
        for (int axis : axes.outputs()) {
            places = spread(places, weights.sizes().get(axis), weights.strides().get(axis));
        }
        places = spread(places, taps, tap);
        Projection plain =
                new Projection(weights.name(), units, weights.offset(), tap * taps, places, /* bias= */ null, 0, 0);
        return axes.outputs().size() == 1 ? biased(plain, second, axes.resultAxis()) : plain;
    }

    private Projection biased(Projection plain, Value second, int axis) {
        Value value = second;
        int at = axis;
        while (true) {
            List<Value> after = readers.getOrDefault(value, List.of());
            if (after.size() != 1) {
                return plain;
            }
            Value next = after.getFirst();
            if (next.operation() instanceof Sum sum && sum.factors().equals(List.of(1.0, 1.0))) {
                Value other = next.argument(next.argument(0) == value ? 1 : 0);
                UnitSums.Bias bias = UnitSums.Bias.of(next, StoredView.of(other), at);
                return bias == null
                        ? plain
                        : new Projection(
                                plain.weight(),
                                plain.units(),
                                plain.first(),
                                plain.step(),
                                plain.places(),
                                bias.name(),
                                bias.first(),
                                bias.step());
            }
            if (!(next.operation() instanceof Reshape)) {
                return plain;
            }
            at = UnitAxis.kept(value.shape(), next.shape(), at);
            if (at < 0) {
                return plain;
            }
            value = next;
        }
    }

    static List<Integer> spread(List<Integer> places, int size, int stride) {
        return places.stream()
                .flatMap(place -> IntStream.range(0, size).mapToObj(i -> place + i * stride))
                .toList();
    }
}
