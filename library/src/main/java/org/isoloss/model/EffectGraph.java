package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.Effect.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What in a model depends on the parameters that move, and by which ways: a node for each such entry of a value, or for each
 * such value as a whole where the entries are too many. Entries that depend on the same ones share a joint, so that a dense
 * layer has as many edges as it has ends.
 */
final class EffectGraph {
    private static final int MOST_NODES = 300_000;
    private static final double MOST_WORK = 4e9;

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
    private record Meeting(int[] nodes, int at) {}

    private final Moving moving;
    private final List<Map<String, double[]>> batches;
    private final List<Value> outputs;
    private final List<Value> order;
    private final boolean whole;
    private final Set<Value> moved = new HashSet<>();
    private final Set<Value> fed = new HashSet<>();
    private final Set<Value> stored = new HashSet<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Value, int[]> numbers = new HashMap<>();
    private final Map<Value, List<Effect>> still = new HashMap<>();
    private final List<Meeting> reads = new ArrayList<>();
    private final List<Meeting> carries = new ArrayList<>();
    private final List<List<Integer>> onward = new ArrayList<>();
    private final BitSet live = new BitSet();
    private final Map<Integer, Integer> readers = new HashMap<>();
    private final Map<Integer, Integer> carriers = new HashMap<>();

    private EffectGraph(Moving moving, List<Map<String, double[]>> batches, boolean whole) {
        this.moving = moving;
        this.batches = batches;
        this.whole = whole;
        this.outputs = List.copyOf(moving.model().outputs().values());
        this.order = Execution.order(outputs, Set.of());
        sort();
    }

    /**
     * Finds out.
     *
     * @param moving the parameters that move
     * @param batches one after the other, the numbers of every input; read only where they choose what is looked up
     */
    static EffectGraph of(Moving moving, List<Map<String, double[]>> batches) {
        EffectGraph entries = new EffectGraph(moving, batches, false);
        if (entries.order.stream()
                        .filter(entries.moved::contains)
                        .mapToLong(value -> value.shape().count())
                        .sum()
                <= MOST_NODES) {
            try {
                return entries.built();
            } catch (TooLarge e) {
                return ofWholeValues(moving, batches);
            }
        }
        return ofWholeValues(moving, batches);
    }

    /** Finds out, as if every entry of a value depended on every entry of what it is made of. */
    static EffectGraph ofWholeValues(Moving moving, List<Map<String, double[]>> batches) {
        return new EffectGraph(moving, batches, true).built();
    }

    /** Entries would take too long. */
    private static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Which values depend on what moves, which on inputs, which on parameters. */
    private void sort() {
        moving.places().keySet().forEach(name -> moved.add(moving.model().parameter(name)));
        for (Value value : order) {
            if (value.arguments().stream().anyMatch(moved::contains)) {
                moved.add(value);
            }
            boolean leaf = value.operation() instanceof Leaf;
            if (leaf
                    ? ((Leaf) value.operation()).kind() == Leaf.Kind.INPUT
                    : value.arguments().stream().anyMatch(fed::contains)) {
                fed.add(value);
            }
            if (leaf
                    ? ((Leaf) value.operation()).kind() == Leaf.Kind.PARAMETER
                    : value.arguments().stream().anyMatch(stored::contains)) {
                stored.add(value);
            }
        }
    }

    private EffectGraph built() {
        double work = 0;
        for (Value value : order) {
            if (!moved.contains(value)) {
                continue;
            }
            if (value.operation() instanceof Leaf leaf) {
                parameter(value, Objects.requireNonNull(moving.places().get(leaf.label())));
            } else if (whole) {
                addWhole(value);
            } else {
                work += work(value);
                if (work > MOST_WORK) {
                    throw new TooLarge();
                }
                addEntries(value);
            }
        }
        connect();
        return this;
    }

    private double work(Value value) {
        long entries = value.arguments().stream()
                .filter(numbers::containsKey)
                .mapToLong(argument -> Arrays.stream(numbersOf(argument))
                        .filter(node -> node >= 0)
                        .count())
                .sum();
        long steps = value.shape().count();
        if (value.operation() instanceof Contraction contraction) {
            steps = Math.max(steps, contraction.products(value));
        }
        for (Value argument : value.arguments()) {
            steps = Math.max(steps, argument.shape().count());
        }
        return steps * (4.0 + entries / 64.0);
    }

    private int add(@Nullable Value value, int entry, int capacity, int[] from) {
        nodes.add(new Node(value, entry, capacity, from));
        return nodes.size() - 1;
    }

    private void parameter(Value value, int[] places) {
        int[] own = new int[whole ? 1 : value.shape().count()];
        Arrays.fill(own, -1);
        for (int place : whole ? new int[] {0} : places) {
            own[place] = add(value, whole ? -1 : place, 0, new int[0]);
        }
        numbers.put(value, own);
    }

    /** The nodes of the entries of a value, -1 where there is none. */
    private int[] numbersOf(Value value) {
        return Objects.requireNonNull(numbers.get(value));
    }

    private boolean isKeepable(Value value) {
        return fed.contains(value) || outputs.contains(value);
    }

    private void addWhole(Value value) {
        List<Value> movers =
                value.arguments().stream().distinct().filter(moved::contains).toList();
        int[] from =
                movers.stream().mapToInt(argument -> numbersOf(argument)[0]).toArray();
        int node = add(value, -1, isKeepable(value) ? value.shape().count() : 0, from);
        numbers.put(value, new int[] {node});
        if (value.operation() instanceof Sum || value.operation() instanceof Concatenation) {
            return;
        }
        if (value.arguments().stream().anyMatch(argument -> kind(argument) == Kind.PARAMETER)) {
            reads.add(new Meeting(from, node));
        }
        if (movers.stream().anyMatch(argument -> !fed.contains(argument))) {
            carries.add(new Meeting(
                    movers.stream()
                            .filter(fed::contains)
                            .mapToInt(argument -> numbersOf(argument)[0])
                            .toArray(),
                    node));
        }
    }

    private Kind kind(Value value) {
        return moved.contains(value)
                ? Kind.MOVES
                : fed.contains(value) ? Kind.FEATURE : stored.contains(value) ? Kind.PARAMETER : Kind.CONSTANT;
    }

    private void addEntries(Value value) {
        List<Integer> local = new ArrayList<>();
        Map<Value, List<Effect>> arguments = new HashMap<>();
        BitSet parameters = new BitSet();
        for (Value argument : value.arguments()) {
            if (moved.contains(argument) && !arguments.containsKey(argument)) {
                List<Effect> effects = new ArrayList<>();
                List<Effect> staying = still.get(argument);
                int[] own = numbersOf(argument);
                for (int i = 0; i < own.length; i++) {
                    if (own[i] < 0) {
                        effects.add(staying == null ? Effect.staying(Kind.PARAMETER, Double.NaN) : staying.get(i));
                        continue;
                    }
                    parameters.set(local.size(), nodes.get(own[i]).capacity == 0);
                    effects.add(Effect.moving(local.size()));
                    local.add(own[i]);
                }
                arguments.put(argument, effects);
            }
        }
        var algebra = new Effect.Reading(parameters);
        List<Effect> results = null;
        for (Map<String, double[]> batch : choices(value)) {
            List<List<Effect>> entries = new ArrayList<>();
            for (Value argument : value.arguments()) {
                List<Effect> effects = arguments.get(argument);
                entries.add(effects != null ? effects : known(argument, batch));
            }
            List<Effect> effects = value.operation().over(algebra, value, entries);
            List<Effect> before = results;
            results = before == null
                    ? effects
                    : IntStream.range(0, effects.size())
                            .mapToObj(i -> algebra.plus(before.get(i), effects.get(i)))
                            .toList();
        }
        if (results != null) {
            record(value, results, local);
        }
    }

    /** The batches that decide what an operation chooses; one without numbers where there is nothing to choose. */
    private List<Map<String, double[]>> choices(Value value) {
        boolean chooses = value.operation() instanceof Lookup || value.operation() instanceof Accumulation;
        return chooses && fed.contains(value.argument(1)) ? batches : List.of(Map.of());
    }

    /** The entries of a value that does not depend on what moves. */
    private List<Effect> known(Value value, Map<String, double[]> batch) {
        if (!batch.isEmpty()) {
            Execution execution = Execution.of(Precision.FLOAT64, List.of(value));
            moving.model().setInputs(execution, batch);
            execution.run();
            return Arrays.stream(execution.get(value))
                    .mapToObj(number -> Effect.staying(Kind.FEATURE, number))
                    .toList();
        }
        List<Effect> known = still.get(value);
        if (known == null) {
            known = computed(value);
            still.put(value, known);
        }
        return known;
    }

    private List<Effect> computed(Value value) {
        var algebra = new Effect.Reading(new BitSet());
        if (ModelBuilder.isConstant(value)) {
            return value.operation().over(algebra, value, List.of());
        }
        if (value.operation() instanceof Rearrangement
                || value.operation() instanceof Reshape
                || value.operation() instanceof Concatenation) {
            return value.operation()
                    .over(
                            algebra,
                            value,
                            value.arguments().stream()
                                    .map(argument -> known(argument, Map.of()))
                                    .toList());
        }
        return Collections.nCopies(value.shape().count(), Effect.staying(kind(value), Double.NaN));
    }

    private void record(Value value, List<Effect> effects, List<Integer> local) {
        Map<BitSet, Integer> counts = new HashMap<>();
        effects.stream().filter(Effect::moves).forEach(effect -> counts.merge(effect.moving(), 1, Integer::sum));
        Map<BitSet, int[]> global = new HashMap<>();
        Map<BitSet, int[]> joints = new HashMap<>();
        int[] own = new int[effects.size()];
        List<Effect> staying = new ArrayList<>();
        for (int i = 0; i < own.length; i++) {
            Effect effect = effects.get(i);
            staying.add(effect.moves() ? Effect.staying(Kind.MOVES, Double.NaN) : effect);
            if (!effect.moves()) {
                own[i] = -1;
                continue;
            }
            int[] from = joints.get(effect.moving());
            if (from == null) {
                from = global(effect.moving(), local, global);
                if (from.length > 1 && counts.getOrDefault(effect.moving(), 0) > 1) {
                    from = new int[] {add(null, -1, 0, from)};
                }
                joints.put(effect.moving(), from);
            }
            own[i] = add(value, i, isKeepable(value) ? 1 : 0, from);
            if (!effect.read().isEmpty()) {
                reads.add(new Meeting(global(effect.read(), local, global), own[i]));
            }
            if (!effect.carried().isEmpty()) {
                carries.add(new Meeting(global(effect.carried(), local, global), own[i]));
            }
        }
        numbers.put(value, own);
        still.put(value, staying);
    }

    private static int[] global(BitSet set, List<Integer> local, Map<BitSet, int[]> known) {
        return known.computeIfAbsent(set, bits -> bits.stream().map(local::get).toArray());
    }

    private void connect() {
        nodes.forEach(_ -> onward.add(new ArrayList<>()));
        for (Value output : outputs) {
            Arrays.stream(numbers.getOrDefault(output, new int[0]))
                    .filter(node -> node >= 0)
                    .forEach(live::set);
        }
        for (int node = nodes.size() - 1; node >= 0; node--) {
            for (int from : nodes.get(node).from) {
                onward.get(from).add(node);
                if (live.get(node)) {
                    live.set(from);
                }
            }
        }
        meet(reads, readers);
        meet(carries, carriers);
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

    boolean isWhole() {
        return whole;
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
}
