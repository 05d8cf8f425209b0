package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.model.AlgebraReading;
import org.isoloss.model.Model;
import org.isoloss.model.ParameterUse;
import org.isoloss.model.ParameterUse.Kind;
import org.isoloss.model.Value;
import org.jgrapht.alg.util.UnionFind;

/**
 * The channels of the values that meet in a part without parameters, sorted into blocks that the part computes apart from each
 * other, such as the units of an activation or the heads of an attention. A map that mixes channels of two blocks becomes a map
 * of what comes out only where what comes out of both is affine, so all blocks of that kind count as one.
 */
final class PartBlocks {
    private final ValueCut cut;
    private final List<Value> free;
    private final List<Value> ends;
    private final Map<Value, Integer> nodes = new LinkedHashMap<>();
    private final UnionFind<Integer> joined;
    private final BitSet observed = new BitSet();
    private final BitSet curved = new BitSet();
    private final BitSet pinned = new BitSet();
    private final List<int[]> outputs = new ArrayList<>();
    private final List<SequencedMap<Value, int[]>> blocks = new ArrayList<>();

    /**
     * Sorts them.
     *
     * @param model that the part belongs to
     * @param cut where it is cut
     * @param free what goes into the part, and may be moved
     * @param ends what comes out and is read by parameters
     * @param outputs what comes out of the model
     */
    PartBlocks(Model model, ValueCut cut, List<Value> free, List<Value> ends, List<Value> outputs) {
        this.cut = cut;
        this.free = free;
        this.ends = ends;
        int count = 0;
        for (Value value : free) {
            nodes.put(value, count);
            count += cut.width(value);
        }
        for (Value value : ends) {
            nodes.put(value, count);
            count += cut.width(value);
        }
        this.joined = new UnionFind<>(IntStream.range(0, count).boxed().collect(Collectors.toSet()));
        joinUses();
        try {
            follow(model, outputs);
        } catch (UnsupportedOperationException _) { // what is chosen depends on what moves
            IntStream.range(1, count).forEach(node -> joined.union(0, node));
            outputs.forEach(output -> this.outputs.add(new int[output.shape().count()]));
        }
        sort(count);
    }

    private int node(Value value) {
        return Objects.requireNonNull(nodes.get(value));
    }

    /** What a parameter only shifts or scales has the channels that it had, and so has what one weight makes at another step. */
    private void joinUses() {
        Map<Value, ParameterUse> first = new HashMap<>();
        for (ParameterUse use : cut.uses()) {
            if (use.kind() == Kind.SHIFT) {
                use.data().forEach(data -> join(data, use.result()));
            }
            if (use.kind() == Kind.SCALE) {
                join(use.data().getFirst(), cut.scaled(use));
            }
            ParameterUse other = first.putIfAbsent(use.weight(), use);
            if (other != null && other.kind() == use.kind() && other.kind() == Kind.CONTRACTION) {
                join(other.result(), use.result());
                join(other.data().getFirst(), use.data().getFirst());
            }
        }
    }

    private void join(Value left, Value right) {
        if (nodes.containsKey(left) && nodes.containsKey(right) && cut.width(left) == cut.width(right)) {
            for (int i = 0; i < cut.width(left); i++) {
                joined.union(node(left) + i, node(right) + i);
            }
        }
    }

    private void follow(Model model, List<Value> outputs) {
        Map<Value, List<Dependence>> given = new HashMap<>();
        for (Value input : model.inputs().values()) {
            given.put(input, Collections.nCopies(input.shape().count(), Dependence.feature()));
        }
        for (Value value : free) {
            int[] channels = cut.channelsOfEntries(value);
            Dependence[] own = new Dependence[cut.width(value)];
            Arrays.setAll(own, i -> Dependence.channel(node(value) + i));
            given.put(value, Arrays.stream(channels).mapToObj(i -> own[i]).toList());
        }
        List<Value> wanted = new ArrayList<>(ends);
        wanted.addAll(outputs);
        List<List<Dependence>> found = AlgebraReading.read(new Dependence.Reading(), wanted, given);
        for (int i = 0; i < ends.size(); i++) {
            Value end = ends.get(i);
            int[] channels = cut.channelsOfEntries(end);
            for (int entry = 0; entry < channels.length; entry++) {
                Dependence on = found.get(i).get(entry);
                int node = node(end) + channels[entry];
                on.on().stream().forEach(other -> joined.union(node, other));
                curved.set(node, curved.get(node) || !on.isAffine());
            }
        }
        for (int i = ends.size(); i < wanted.size(); i++) {
            this.outputs.add(found.get(i).stream().mapToInt(this::observe).toArray());
        }
    }

    /** A channel that an output depends on, and all of them joined; -1 where there is none. */
    private int observe(Dependence output) {
        int first = output.on().nextSetBit(0);
        if (first >= 0) {
            output.on().stream().forEach(other -> joined.union(first, other));
            observed.set(first);
            pinned.set(
                    first,
                    pinned.get(first) || (output.isAffine() && output.on().cardinality() == 1));
        }
        return first;
    }

    private void sort(int count) {
        BitSet marked = new BitSet();
        observed.stream().forEach(node -> marked.set(joined.find(node)));
        curved.stream().forEach(node -> marked.set(joined.find(node)));
        int plain = -1;
        for (int node = 0; node < count; node++) {
            if (!marked.get(joined.find(node))) {
                plain = plain < 0 ? node : plain;
                joined.union(plain, node);
            }
        }
        Map<Integer, SequencedMap<Value, List<Integer>>> sorted = new LinkedHashMap<>();
        nodes.forEach((value, from) -> {
            for (int i = 0; i < cut.width(value); i++) {
                sorted.computeIfAbsent(joined.find(from + i), _ -> new LinkedHashMap<>())
                        .computeIfAbsent(value, _ -> new ArrayList<>())
                        .add(i);
            }
        });
        Map<Integer, Integer> numbers = new HashMap<>();
        sorted.forEach((root, channels) -> {
            numbers.put(root, numbers.size());
            SequencedMap<Value, int[]> block = new LinkedHashMap<>();
            channels.forEach((value, own) ->
                    block.put(value, own.stream().mapToInt(Integer::intValue).toArray()));
            blocks.add(block);
        });
        for (int[] of : outputs) {
            Arrays.setAll(of, i -> of[i] < 0 ? -1 : Objects.requireNonNull(numbers.get(joined.find(of[i]))));
        }
    }

    /** For each block the channels of every value that it has some of, what goes in first. */
    List<SequencedMap<Value, int[]>> blocks() {
        return blocks;
    }

    /** For each output of the model, for each entry of it the block that it depends on, or -1. */
    List<int[]> outputs() {
        return outputs;
    }

    /** Whether no channel of a value can move: outputs show every one as it is, or no parameter that moves reaches it. */
    boolean isPinned(Value value) {
        int from = node(value);
        return cut.isStill(value) || pinned.nextClearBit(from) >= from + cut.width(value);
    }

    /** How many maps there are of the values of the block that has most. */
    long maps() {
        return IntStream.range(0, blocks.size()).mapToLong(this::maps).max().orElse(0);
    }

    /** How many maps there are of the values of one block. */
    long maps(int index) {
        Map<Value, int[]> block = blocks.get(index);
        Set<Value> moved = Set.copyOf(free);
        return block.keySet().stream()
                .filter(value -> moved.contains(value) && !isPinned(value))
                .mapToLong(value -> Objects.requireNonNull(block.get(value)).length)
                .map(width -> width * (width + 1))
                .sum();
    }
}
