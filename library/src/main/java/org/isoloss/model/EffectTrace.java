package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.model.Effect.Kind;
import org.isoloss.model.EffectGraph.Meeting;
import org.isoloss.model.EffectGraph.Node;
import org.jspecify.annotations.Nullable;

/** Follows the parameters of a model that move through its operations, to the {@link EffectGraph} of what depends on them. */
final class EffectTrace {
    private static final int MOST_NODES = 300_000;
    private static final double MOST_WORK = 4e9;

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

    private EffectTrace(Moving moving, List<Map<String, double[]>> batches, boolean whole) {
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
        EffectTrace entries = new EffectTrace(moving, batches, false);
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
        return new EffectTrace(moving, batches, true).built();
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
        return new EffectGraph(this, nodes, reads, carries);
    }

    private double work(Value value) {
        long entries = value.arguments().stream()
                .filter(numbers::containsKey)
                .mapToLong(argument -> Arrays.stream(numbersOf(argument))
                        .filter(node -> node >= 0)
                        .count())
                .sum();
        return steps(value) * (4.0 + entries / 64.0);
    }

    /** How much there is to do for a value, over any algebra. */
    static long steps(Value value) {
        long steps = value.shape().count();
        if (value.operation() instanceof Contraction contraction) {
            steps = Math.max(steps, contraction.products(value));
        }
        for (Value argument : value.arguments()) {
            steps = Math.max(steps, argument.shape().count());
        }
        return steps;
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
        still.put(
                value,
                Elements.filled(own.length, i -> Effect.staying(own[i] < 0 ? Kind.PARAMETER : Kind.MOVES, Double.NaN)));
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

    Kind kind(Value value) {
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
                int[] own = numbersOf(argument);
                for (int i = 0; i < own.length; i++) {
                    if (own[i] < 0) {
                        effects.add(known(argument).get(i));
                        continue;
                    }
                    parameters.set(local.size(), nodes.get(own[i]).capacity() == 0);
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
                entries.add(effects != null ? effects : entries(argument, batch));
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
    List<Map<String, double[]>> choices(Value value) {
        boolean chooses = value.operation() instanceof Lookup || value.operation() instanceof Accumulation;
        return chooses && fed.contains(value.argument(1)) ? batches : List.of(Map.of());
    }

    /** The entries of a value, of which one that moves says no more than this. */
    List<Effect> entries(Value value, Map<String, double[]> batch) {
        if (batch.isEmpty() || moved.contains(value)) {
            return known(value);
        }
        Execution execution = Execution.of(Precision.FLOAT64, List.of(value));
        moving.model().setInputs(execution, batch);
        execution.run();
        return Arrays.stream(execution.get(value))
                .mapToObj(number -> Effect.staying(kind(value), number))
                .toList();
    }

    private List<Effect> known(Value value) {
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
                            value.arguments().stream().map(this::known).toList());
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

    boolean isWhole() {
        return whole;
    }

    List<Value> outputs() {
        return outputs;
    }

    int[] numbers(Value value) {
        return numbers.getOrDefault(value, new int[0]);
    }
}
