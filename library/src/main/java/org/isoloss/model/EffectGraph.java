package org.isoloss.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What in a model depends on the parameters that move, and by which ways: a node for each such entry of a value, or for each
 * such value as a whole where the entries are too many. Entries that depend on the same ones share a joint, so that a dense
 * layer has as many edges as it has ends.
 */
final class EffectGraph {
    /**
     * An entry of a value, the whole value, or a joint of edges.
     *
     * @param value null for a joint
     * @param entry -1 for the whole value
     * @param capacity how many numbers it stands for; 0 where it is made of parameters without any input
     * @param from nodes with smaller numbers
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Node(@Nullable Value value, int entry, int capacity, int[] from) {}

    /** Nodes that a parameter meets on the way to another one. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Meeting(int[] nodes, int at) {}

    private final EffectTrace trace;
    private final List<Node> nodes;
    private final List<Value> outputs;
    private final List<List<Integer>> onward = new ArrayList<>();
    private final BitSet live = new BitSet();
    private final Map<Integer, Integer> readers = new HashMap<>();
    private final Map<Integer, Integer> carriers = new HashMap<>();

    /**
     * Joins what was found.
     *
     * @param reads where parameters that stay multiply nodes
     * @param carries where parameters that move do
     */
    EffectGraph(EffectTrace trace, List<Node> nodes, List<Meeting> reads, List<Meeting> carries) {
        this.trace = trace;
        this.nodes = nodes;
        this.outputs = trace.outputs();
        connect();
        meet(reads, readers);
        meet(carries, carriers);
    }

    private void connect() {
        nodes.forEach(_ -> onward.add(new ArrayList<>()));
        for (Value output : outputs) {
            Arrays.stream(numbers(output)).filter(node -> node >= 0).forEach(live::set);
        }
        for (int node = nodes.size() - 1; node >= 0; node--) {
            for (int from : nodes.get(node).from) {
                onward.get(from).add(node);
                if (live.get(node)) {
                    live.set(from);
                }
            }
        }
    }

    private void meet(List<Meeting> meetings, Map<Integer, Integer> met) {
        Set<int[]> done = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Meeting meeting : meetings) {
            if (live.get(meeting.at) && done.add(meeting.nodes)) {
                for (int node : meeting.nodes) {
                    if (nodes.get(node).capacity > 0) {
                        met.putIfAbsent(node, meeting.at);
                    }
                }
            }
        }
    }

    /** Whether nodes are whole values. */
    boolean isWhole() {
        return trace.isWhole();
    }

    /** The nodes of the entries of a value, -1 where there is none; empty where none depends on what moves. */
    int[] numbers(Value value) {
        return trace.numbers(value);
    }

    /** The entries of a value, for each way in which inputs decide about what is made of it. */
    EffectTrace trace() {
        return trace;
    }

    List<Node> nodes() {
        return nodes;
    }

    List<Value> outputs() {
        return outputs;
    }

    /** Nodes that something is made of, rising. */
    List<Integer> onward(int node) {
        return onward.get(node).stream().filter(live::get).sorted().toList();
    }

    /** Whether an output depends on it. */
    boolean isLive(int node) {
        return live.get(node);
    }

    boolean isMovingParameter(int node) {
        Value value = nodes.get(node).value;
        return value != null && value.operation() instanceof Leaf;
    }

    boolean isOutput(int node) {
        Value value = nodes.get(node).value;
        return value != null && outputs.contains(value);
    }

    /** The node in which a parameter that stays multiplies another node, or -1. */
    int reader(int node) {
        return readers.getOrDefault(node, -1);
    }

    /** Whether a parameter that moves multiplies it. */
    boolean isCarried(int node) {
        return carriers.containsKey(node);
    }

    /** Whether moving parameters meet inputs or what is made of them there. */
    boolean isHead(int node) {
        return nodes.get(node).capacity > 0 && entersParameter(node);
    }

    private boolean entersParameter(int node) {
        for (int from : nodes.get(node).from) {
            Node before = nodes.get(from);
            if (before.value == null ? entersParameter(from) : before.capacity == 0) {
                return true;
            }
        }
        return false;
    }

    /** What some nodes are made of, without these and without what they are made of. */
    BitSet before(Set<Integer> kept) {
        BitSet before = new BitSet();
        Deque<Integer> open = new ArrayDeque<>(kept);
        while (!open.isEmpty()) {
            for (int from : nodes.get(open.remove()).from) {
                if (!kept.contains(from) && !before.get(from)) {
                    before.set(from);
                    open.add(from);
                }
            }
        }
        return before;
    }

    /** The nodes that others are made of, among these and what is kept. */
    BitSet read(BitSet inside, Set<Integer> kept) {
        BitSet read = (BitSet) inside.clone();
        for (int node : kept) {
            if (onward.get(node).stream().anyMatch(next -> inside.get(next) || kept.contains(next))) {
                read.set(node);
            }
        }
        return read;
    }
}
