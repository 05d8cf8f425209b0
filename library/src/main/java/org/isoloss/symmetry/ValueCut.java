package org.isoloss.symmetry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.model.Model;
import org.isoloss.model.Moving;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.ParameterUse.Kind;
import org.isoloss.model.Value;
import org.jgrapht.alg.util.UnionFind;

/**
 * A model cut at the values between its uses of parameters: which values a change of basis may move, along which axes, which of
 * them move together because a use only shifts, and which meet in a part without parameters.
 */
final class ValueCut {
    private final List<ParameterUse> uses;
    private final Set<Value> results = new HashSet<>();
    private final Map<Value, Set<Integer>> channels = new LinkedHashMap<>();
    private final Set<Value> inner = new HashSet<>();
    private final UnionFind<Value> space = new UnionFind<>(Set.of());
    private final List<Set<Value>> links = new ArrayList<>();
    private final Map<Set<Value>, Part> parts = new HashMap<>();
    private final Set<Value> still = new HashSet<>();

    ValueCut(Model model) {
        this.uses = ParameterUse.of(model);
        uses.forEach(use -> results.add(use.result()));
        uses.forEach(this::addChannels);
        Map<Value, List<ParameterUse>> readers = new HashMap<>();
        uses.forEach(use -> use.data()
                .forEach(data ->
                        readers.computeIfAbsent(data, _ -> new ArrayList<>()).add(use)));
        Map<Value, Integer> reads = reads(model);
        for (ParameterUse use : uses) {
            List<ParameterUse> by = readers.getOrDefault(use.result(), List.of());
            if ((use.kind() == Kind.CONTRACTION || use.kind() == Kind.SCALE)
                    && by.size() == 1
                    && by.getFirst().kind() == Kind.SHIFT
                    && by.getFirst().data().size() == 1
                    && by.getFirst().factor(use.result()) == 1
                    && by.getFirst().result().shape().equals(use.result().shape())
                    && reads.getOrDefault(use.result(), 0) == 1) {
                inner.add(use.result());
            }
        }
        channels.keySet().removeAll(inner);
        channels.keySet().removeAll(model.inputs().values());
        joinSpaces();
        findLinks(model);
    }

    /**
     * Cuts a model of which some parameters move: values that depend on none of them stay. Groups of values that meet where no weight
     * moves that makes or reads one of them that moves are left out, as their motion cannot be taken up. Of those that meet in a part
     * with too many maps to be searched, those beside such weights are left, and held.
     *
     * @param moving the parameters that move
     */
    static ValueCut of(Moving moving) {
        ValueCut cut = new ValueCut(moving.model());
        cut.channels.keySet().stream()
                .filter(value -> moving.reaching(List.of(value)).count() == 0)
                .forEach(cut.still::add);
        Set<Value> near = new HashSet<>();
        for (ParameterUse use : cut.uses) {
            if (!moving.reaching(List.of(use.weight())).places().isEmpty()) {
                near.addAll(use.data());
                near.add(cut.scaled(use));
                near.add(use.result());
            }
        }
        near.removeAll(cut.still);
        cut.links.removeIf(link -> link.stream().noneMatch(near::contains));
        cut.links.replaceAll(link -> {
            var part = new Part(moving.model(), cut, link);
            if (!part.isTooWide()) {
                cut.parts.put(link, part);
                return link;
            }
            Set<Value> beside = new LinkedHashSet<>(link);
            beside.retainAll(near);
            return beside;
        });
        Set<Value> kept = new HashSet<>();
        cut.links.forEach(kept::addAll);
        cut.channels.keySet().retainAll(kept);
        return cut;
    }

    private static Map<Value, Integer> reads(Model model) {
        Map<Value, Integer> reads = new HashMap<>();
        Set<Value> seen = new HashSet<>();
        var waiting = new ArrayDeque<Value>(model.outputs().values());
        model.outputs().values().forEach(output -> reads.merge(output, 1, Integer::sum));
        while (!waiting.isEmpty()) {
            Value value = waiting.pop();
            if (seen.add(value)) {
                value.arguments().forEach(argument -> {
                    reads.merge(argument, 1, Integer::sum);
                    waiting.push(argument);
                });
            }
        }
        return reads;
    }

    /** A shift and a scale act where what they act on has its channels. */
    private void addChannels(ParameterUse use) {
        Set<Integer> result = new TreeSet<>();
        for (Value data : use.data()) {
            if (use.kind() == Kind.TABLE || use.kind() == Kind.OTHER) {
                result.addAll(use.channelsOfResult());
                continue;
            }
            Set<Integer> own = channels.computeIfAbsent(data, _ -> new TreeSet<>());
            if (use.kind() == Kind.CONTRACTION) {
                own.addAll(use.channelsOf(data));
            } else if (own.isEmpty()) {
                own.addAll(ownAxes(use, data));
            }
            if (use.kind() == Kind.CONTRACTION) {
                result.addAll(use.channelsOfResult());
            } else {
                int shift = use.result().shape().rank() - data.shape().rank();
                own.forEach(axis -> result.add(axis + shift));
            }
        }
        channels.computeIfAbsent(use.result(), _ -> new TreeSet<>()).addAll(result);
    }

    /** The axes of a weight that are not merely as long as a batch or a text; all of them where none is left. */
    private Set<Integer> ownAxes(ParameterUse use, Value data) {
        Set<Integer> axes = new TreeSet<>(use.channelsOf(data));
        Set<Integer> own = new TreeSet<>(axes);
        own.removeIf(axis -> ParameterUse.carries(data, axis, channels));
        return own.isEmpty() ? axes : own;
    }

    /** What is only shifted on the way moves with what it was; so does what the same weight makes at another step. */
    private void joinSpaces() {
        channels.keySet().forEach(space::addElement);
        Map<Value, Value> byWeight = new HashMap<>();
        for (ParameterUse use : uses) {
            if (use.kind() == Kind.SHIFT && use.data().size() == 1) {
                join(use.data().getFirst(), use.result());
            }
            Value first = byWeight.putIfAbsent(use.weight(), use.result());
            if (first != null) {
                join(first, use.result());
                if (use.kind() == Kind.CONTRACTION) {
                    uses.stream()
                            .filter(other -> other.weight() == use.weight() && other.result() == first)
                            .forEach(other ->
                                    join(other.data().getFirst(), use.data().getFirst()));
                }
            }
        }
    }

    private void join(Value left, Value right) {
        if (channels.containsKey(left) && channels.containsKey(right)) {
            space.union(left, right);
        }
    }

    /** The values that meet in a part without parameters, joined where parts share some. */
    private void findLinks(Model model) {
        UnionFind<Value> linked = new UnionFind<>(channels.keySet());
        List<Value> ends = new ArrayList<>(model.outputs().values());
        channels.keySet().stream().filter(value -> !results.contains(value)).forEach(ends::add);
        for (Value end : ends) {
            Set<Value> met = new LinkedHashSet<>();
            meet(end, met);
            Value first = null;
            for (Value value : met) {
                if (first == null) {
                    first = value;
                } else {
                    linked.union(first, value);
                }
            }
        }
        for (Value value : channels.keySet()) {
            linked.union(value, space(value));
        }
        for (ParameterUse use : uses) {
            Value scaled = scaled(use);
            Value data = use.data().getFirst();
            if (use.kind() == Kind.SCALE && channels.containsKey(data) && channels.containsKey(scaled)) {
                linked.union(data, scaled);
            }
        }
        Map<Value, Set<Value>> byRoot = new LinkedHashMap<>();
        channels.keySet()
                .forEach(value -> byRoot.computeIfAbsent(linked.find(value), _ -> new LinkedHashSet<>())
                        .add(value));
        links.addAll(byRoot.values());
    }

    /** The values that an output is made of without parameters on the way. */
    Set<Value> meets(Value output) {
        Set<Value> met = new LinkedHashSet<>();
        meet(output, met);
        return met;
    }

    private void meet(Value end, Set<Value> met) {
        if (channels.containsKey(end)) {
            met.add(end);
        }
        var waiting = new ArrayDeque<Value>(results.contains(end) ? List.of() : end.arguments());
        Set<Value> seen = new HashSet<>();
        while (!waiting.isEmpty()) {
            Value value = waiting.pop();
            if (!seen.add(value)) {
                continue;
            }
            if (channels.containsKey(value)) {
                met.add(value);
            } else if (!results.contains(value)) {
                waiting.addAll(value.arguments());
            }
        }
    }

    List<ParameterUse> uses() {
        return uses;
    }

    /** What comes out of uses. */
    Set<Value> results() {
        return results;
    }

    /** The values that may be moved, in the order of computation, with the axes that are moved. */
    Map<Value, Set<Integer>> channels() {
        return channels;
    }

    /** How many channels a value has. */
    int width(Value value) {
        return Objects.requireNonNull(channels.get(value)).stream()
                .map(value.shape()::size)
                .reduce(1, (left, right) -> left * right);
    }

    /** For each entry of a value, row-major, its channel. */
    int[] channelsOfEntries(Value value) {
        Set<Integer> axes = Objects.requireNonNull(channels.get(value));
        int[] strides = value.shape().strides();
        int[] entries = new int[value.shape().count()];
        for (int at = 0; at < entries.length; at++) {
            for (int axis : axes) { // in rising order
                int size = value.shape().size(axis);
                entries[at] = entries[at] * size + at / strides[axis] % size;
            }
        }
        return entries;
    }

    /** Values whose map follows from that of the shifted value, their only reader. */
    Set<Value> inner() {
        return inner;
    }

    /** The values that move together with a value because parameters only shift it. */
    Value space(Value value) {
        return space.find(value);
    }

    /** Whether a value depends on no parameter that moves. */
    boolean isStill(Value value) {
        return still.contains(value);
    }

    /** How many channels of a value a map may mix at most, 0 where the value is held. */
    int mixed(Value value) {
        return parts.values().stream()
                .flatMap(part -> part.blocks().blocks().stream())
                .map(block -> block.get(value))
                .filter(Objects::nonNull)
                .mapToInt(channels -> channels.length)
                .max()
                .orElse(0);
    }

    /** The part in which the values of one of {@link #links} meet; nothing where it has too many maps to be searched, so that they are held. */
    Optional<Part> part(Set<Value> link) {
        return Optional.ofNullable(parts.get(link));
    }

    /** How many of {@link #links} are held. */
    int held() {
        return (int) links.stream().filter(link -> !parts.containsKey(link)).count();
    }

    /** Groups of values that meet in parts without parameters. */
    List<Set<Value>> links() {
        return links;
    }

    /** All values that meet some values in a part without parameters, these among them. */
    Set<Value> linked(Set<Value> values) {
        Set<Value> linked = new LinkedHashSet<>();
        for (Set<Value> link : links) {
            if (link.stream().anyMatch(values::contains)) {
                linked.addAll(link);
            }
        }
        return linked;
    }

    /** What comes out of a use, and out of the shift that follows it at once. */
    Value scaled(ParameterUse use) {
        return inner.contains(use.result()) ? reader(use.result()).result() : use.result();
    }

    /** The first use that reads a value. */
    ParameterUse reader(Value value) {
        return uses.stream()
                .filter(use -> use.data().contains(value))
                .findFirst()
                .orElseThrow();
    }
}
