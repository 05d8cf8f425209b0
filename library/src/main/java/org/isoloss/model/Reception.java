package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Effect.Kind;
import org.isoloss.model.EffectGraph.Node;
import org.jspecify.annotations.Nullable;

/**
 * What a subnetwork takes from the rest of its model on the way from the parameters that move to a boundary,
 * {@code h(theta_1, X)} in proposition {@code prop:symmetry-from-subnetworks}. Nothing of it depends on a parameter that
 * moves, and given it, the part of the boundary that does depends on those parameters alone.
 */
public final class Reception {
    private static final long MOST_APART = 2_000_000;

    private final Moving moving;
    private final List<Map<String, double[]>> batches;
    private final EffectGraph graph;
    private final Set<Integer> kept;
    private final BitSet inside;
    private final BitSet reads;
    private final Map<Value, BitSet> features = Boundary.byPlace();
    private final Map<Value, BitSet> constants = Boundary.byPlace();
    private final Map<Value, BitSet> sums = Boundary.byPlace();
    private final Set<Value> summands = new HashSet<>();
    private final List<Value> wanted = new ArrayList<>();
    private @Nullable Execution prepared;

    Reception(Moving moving, List<Map<String, double[]>> batches, EffectGraph graph, Set<Integer> kept) {
        this.moving = moving;
        this.batches = batches;
        this.graph = graph;
        this.kept = kept;
        this.inside = graph.before(kept);
        this.reads = graph.read(inside, kept);
        Set<Value> values = new LinkedHashSet<>();
        for (int node = 0; node < graph.nodes().size(); node++) {
            Value value = graph.nodes().get(node).value();
            if (value != null && (inside.get(node) || kept.contains(node)) && !(value.operation() instanceof Leaf)) {
                values.add(value);
            }
        }
        values.forEach(graph.isWhole() ? this::takeWhole : this::take);
        values.forEach(this::pass);
    }

    private static boolean isIn(BitSet nodes, int node) {
        return node >= 0 && nodes.get(node);
    }

    /** Where all results count, they are taken together; so are those that are too many. */
    private void take(Value value) {
        int[] own = graph.numbers(value);
        int[] counting = IntStream.range(0, own.length)
                .filter(i -> isIn(inside, own[i]) || kept.contains(own[i]))
                .toArray();
        long moving = Arrays.stream(own).filter(node -> node >= 0).count();
        boolean goesOn = Arrays.stream(own).anyMatch(node -> isIn(inside, node));
        boolean apart = counting.length < moving && EffectTrace.steps(value) < MOST_APART;
        for (Map<String, double[]> batch : graph.trace().choices(value)) {
            var algebra = new Meetings(apart);
            List<Place> staying = new ArrayList<>();
            List<List<Meetings.Entry>> arguments = new ArrayList<>();
            for (Value argument : value.arguments()) {
                int[] nodes = graph.numbers(argument);
                List<Effect> effects = graph.trace().entries(argument, batch);
                arguments.add(Elements.filled(effects.size(), i -> {
                    Effect effect = effects.get(i);
                    if (effect.moves()) {
                        boolean moves = isIn(inside, nodes[i]) || (goesOn && kept.contains(nodes[i]));
                        return moves ? Meetings.Entry.MOVING : Meetings.Entry.STAYING;
                    }
                    if (effect.kind() == Kind.CONSTANT) {
                        return algebra.constant(effect.number());
                    }
                    staying.add(new Place(effect.kind() == Kind.FEATURE ? features : constants, argument, i));
                    return Meetings.Entry.staying(staying.size() - 1, effect.number());
                }));
            }
            List<Meetings.Entry> results = value.operation().over(algebra, value, arguments);
            algebra
                    .met(Arrays.stream(counting)
                            .mapToObj(results::get)
                            .filter(Meetings.Entry::moves)
                            .toList())
                    .stream()
                    .mapToObj(staying::get)
                    .forEach(place -> add(place.owner, place.value, place.entry));
            for (int i : counting) {
                if (results.get(i).kind() == Meetings.Kind.SUM && isIn(reads, own[i])) {
                    add(sums, value, i);
                }
            }
        }
    }

    /** An entry that stays, and with what it is put where it is received. */
    private record Place(Map<Value, BitSet> owner, Value value, int entry) {}

    private static void add(Map<Value, BitSet> entries, Value value, int place) {
        entries.computeIfAbsent(value, _ -> new BitSet()).set(place);
    }

    /** What comes from the rest into a sum counts where the sum goes into one other, entry by entry, such as with a bias. */
    private void pass(Value value) {
        List<Node> onward = new ArrayList<>();
        for (int place : sums.getOrDefault(value, new BitSet()).stream().toArray()) {
            List<Integer> nodes = graph.onward(graph.numbers(value)[place]);
            Value next = graph.nodes().get(nodes.getFirst()).value();
            if (nodes.size() > 1 || next == null || !(next.operation() instanceof Sum)) {
                return;
            }
            onward.add(graph.nodes().get(nodes.getFirst()));
        }
        if (sums.remove(value) != null) {
            summands.add(value);
        }
        for (Node node : onward) {
            Value next = Objects.requireNonNull(node.value());
            if (isIn(reads, graph.numbers(next)[node.entry()])) {
                add(sums, next, node.entry());
            }
        }
    }

    private void takeWhole(Value value) {
        for (Value argument : value.arguments()) {
            Kind kind = graph.trace().kind(argument);
            BitSet all = new BitSet();
            all.set(0, argument.shape().count());
            if (argument.operation() instanceof Leaf leaf) {
                Arrays.stream(moving.places().getOrDefault(leaf.label(), new int[0]))
                        .forEach(all::clear);
            }
            boolean stays = kind != Kind.MOVES || argument.operation() instanceof Leaf;
            if (stays && kind != Kind.CONSTANT && !all.isEmpty()) {
                (kind == Kind.FEATURE ? features : constants)
                        .computeIfAbsent(argument, _ -> new BitSet())
                        .or(all);
            }
        }
    }

    /** {@return entries that depend on an input and meet what moves, as a factor of it} */
    public Boundary features() {
        return Boundary.of(features);
    }

    /** {@return entries inside of which a part comes from the rest, as one summand} */
    public Boundary sums() {
        return Boundary.of(sums);
    }

    /** {@return parameters that stay but lie inside, because they multiply what moves, or what is made of such alone} */
    public Boundary constants() {
        return Boundary.of(constants);
    }

    private Execution execution() {
        ModelBuilder builder = moving.model().extended();
        wanted.addAll(features.keySet());
        sums.keySet().forEach(value -> wanted.add(rest(builder, value)));
        wanted.addAll(constants.keySet());
        return Execution.of(
                Precision.FLOAT64,
                wanted,
                new HashSet<>(moving.model().parameters().values()));
    }

    /** The summands of a value that stay: the value with nothing in the place of what moves. */
    private Value rest(ModelBuilder builder, Value value) {
        return builder.add(
                value.operation(),
                value.arguments().stream()
                        .map(argument -> {
                            int[] nodes = graph.numbers(argument);
                            double[] mask = new double[argument.shape().count()];
                            Arrays.setAll(mask, i -> i < nodes.length && nodes[i] >= 0 ? 1 : 0);
                            Value none = summands.contains(argument) ? rest(builder, argument) : builder.constant(0);
                            return nodes.length == 0
                                    ? argument
                                    : builder.select(builder.constant(argument.shape(), () -> mask), none, argument);
                        })
                        .toArray(Value[]::new));
    }

    /**
     * Computes what is received.
     *
     * @param parameters all of the model, in its order; not modified, and those that move do not matter
     * @return the numbers, for each batch
     */
    public synchronized SubnetworkInputs at(double[] parameters) {
        Model model = moving.model();
        if (parameters.length != model.parameterCount()) {
            throw new IllegalArgumentException(
                    "%d parameters given, and the model has %d".formatted(parameters.length, model.parameterCount()));
        }
        Execution execution = prepared == null ? execution() : prepared;
        prepared = execution;
        Set<Value> read = new HashSet<>(Execution.order(wanted, Set.of()));
        int next = 0;
        for (Value parameter : model.parameters().values()) {
            if (read.contains(parameter)) {
                execution.set(parameter, parameters, next);
            }
            next += parameter.shape().count();
        }
        List<BitSet> entries = new ArrayList<>(features.values());
        entries.addAll(sums.values());
        Matrix received = Matrix.zeros(
                batches.size(), entries.stream().mapToInt(BitSet::cardinality).sum());
        double[] fixed = new double[0];
        for (int batch = 0; batch < batches.size(); batch++) {
            model.setInputs(execution, batches.get(batch));
            execution.run();
            double[] row = numbers(execution, wanted.subList(0, entries.size()), entries);
            System.arraycopy(row, 0, received.entries(), batch * row.length, row.length);
            fixed = numbers(execution, wanted.subList(entries.size(), wanted.size()), constants.values());
        }
        return new SubnetworkInputs(received, fixed);
    }

    private static double[] numbers(Execution execution, List<Value> values, Collection<BitSet> entries) {
        double[] numbers =
                new double[entries.stream().mapToInt(BitSet::cardinality).sum()];
        int next = 0;
        int at = 0;
        for (BitSet places : entries) {
            double[] all = execution.get(values.get(at++));
            for (int place : places.stream().toArray()) {
                numbers[next++] = all[place];
            }
        }
        return numbers;
    }
}
