package org.isoloss.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.isoloss.model.EffectGraph.Node;

/**
 * Parameters of a model that move while the others stay, and what must be kept so that the outputs stay (proposition
 * {@code prop:symmetry-from-subnetworks}). A boundary is a set of entries of values that depend on an input; it separates
 * when every path from a moving parameter to an output meets it. That is decided on the graph of operations, for every value
 * of the parameters and, but for what is looked up by integers, of the inputs.
 */
public final class Subnetwork {
    private static final long SEED = 101;

    private final Moving moving;
    private final List<Map<String, double[]>> batches;
    private final EffectGraph graph;
    private final Boundary near;
    private final Boundary smallest;
    private final List<Integer> ends;

    private Subnetwork(Moving moving, List<Map<String, double[]>> batches, EffectGraph graph) {
        this.moving = moving;
        this.batches = List.copyOf(batches);
        this.graph = graph;
        this.near = cut(true);
        this.smallest = cut(false);
        this.ends = lastHeads();
    }

    /**
     * Takes parameters of a model.
     *
     * @param moving the parameters that move
     * @param batches one after the other, the numbers of every input by name; integers among them choose what is looked up
     * @return the subnetwork
     */
    public static Subnetwork of(Moving moving, List<Map<String, double[]>> batches) {
        return of(moving, batches, EffectTrace.of(moving, batches));
    }

    static Subnetwork of(Moving moving, List<Map<String, double[]>> batches, EffectGraph graph) {
        if (graph.nodes().isEmpty() || !graph.isLive(firstLive(graph))) {
            throw new IllegalArgumentException("no output depends on the parameters that move (%s)"
                    .formatted(String.join(", ", moving.places().keySet())));
        }
        return new Subnetwork(moving, batches, graph);
    }

    private static int firstLive(EffectGraph graph) {
        for (int node = 0; node < graph.nodes().size(); node++) {
            if (graph.isLive(node)) {
                return node;
            }
        }
        return 0;
    }

    /** {@return the parameters that move} */
    public Moving moving() {
        return moving;
    }

    /** {@return whether values are judged as a whole, because their entries are too many: boundaries may be too large then} */
    public boolean isWhole() {
        return graph.isWhole();
    }

    /** {@return the smallest boundary before any parameter that stays multiplies what moves, the nearest among several} */
    public Boundary near() {
        return near;
    }

    /** {@return the smallest boundary anywhere before the outputs or at them, the nearest among several} */
    public Boundary smallest() {
        return smallest;
    }

    /** {@return where the moving parameters end: what they enter, and what no moving parameter carries on} */
    public Boundary ends() {
        return boundary(ends);
    }

    /**
     * Measures whether keeping entries keeps the outputs: the parameters that move take random numbers, and the entries keep
     * theirs.
     *
     * @param kept any boundary of the model
     * @return the largest change of an output, over the largest output; rounding where the boundary separates
     */
    public double change(Boundary kept) {
        return new KeptBoundary(moving, kept, new SplittableRandom(SEED)).change(batches);
    }

    private Boundary cut(boolean beforeFixed) {
        VertexCut cut = new VertexCut();
        List<Node> nodes = graph.nodes();
        nodes.forEach(node -> cut.node(node.capacity()));
        for (int node = 0; node < nodes.size(); node++) {
            if (!graph.isLive(node)) {
                continue;
            }
            if (graph.isMovingParameter(node)) {
                cut.begin(node);
            }
            if (graph.isOutput(node) || (beforeFixed && graph.reader(node) >= 0)) {
                cut.end(node);
            }
            for (int next : graph.onward(node)) {
                cut.edge(node, next);
            }
        }
        return boundary(cut.nearest());
    }

    private Boundary boundary(Collection<Integer> kept) {
        Map<Value, BitSet> entries = Boundary.byPlace();
        for (int each : kept) {
            Node node = graph.nodes().get(each);
            Value value = node.value();
            if (value != null) {
                entries.computeIfAbsent(value, _ -> new BitSet())
                        .set(Math.max(node.entry(), 0), node.entry() < 0 ? node.capacity() : node.entry() + 1);
            }
        }
        return Boundary.of(entries);
    }

    private Set<Integer> nodes(Boundary boundary) {
        Set<Integer> nodes = new TreeSet<>();
        for (Boundary.Part part : boundary.parts()) {
            int[] own = graph.numbers(part.value());
            part.entries().stream()
                    .map(entry -> own.length == 0 ? -1 : own[Math.min(entry, own.length - 1)])
                    .filter(node -> node >= 0)
                    .forEach(nodes::add);
        }
        return nodes;
    }

    private List<Integer> lastHeads() {
        BitSet goesOn = new BitSet();
        BitSet heads = new BitSet();
        List<Integer> found = new ArrayList<>();
        for (int node = graph.nodes().size() - 1; node >= 0; node--) {
            if (!graph.isLive(node)) {
                continue;
            }
            heads.set(node, graph.isHead(node));
            boolean further = graph.isCarried(node)
                    || (graph.reader(node) < 0
                            && graph.onward(node).stream().anyMatch(next -> heads.get(next) || goesOn.get(next)));
            goesOn.set(node, further);
            if (heads.get(node) && !further) {
                found.add(node);
            }
        }
        Collections.reverse(found);
        return found;
    }

    /**
     * Decides whether the moving parameters taken by themselves are a subnetwork whose symmetries lift: everything that they
     * reach before {@link #ends} is made of moving parameters, and of what does not depend on them, alone. In figure
     * {@code fig:symmetry-from-subnetwork} it is so in (a) and (b), and not in (c).
     *
     * @return nothing where they are, or else a path by which the rest of the model sees them before
     */
    public Optional<SeenPath> leak() {
        return path(Set.copyOf(ends), true);
    }

    /**
     * Requires that the moving parameters taken by themselves are a subnetwork.
     *
     * @return this
     * @throws IllegalArgumentException with the path of {@link #leak} where there is one
     */
    public Subnetwork requireAlone() {
        leak().ifPresent(Subnetwork::refuse);
        return this;
    }

    private static void refuse(SeenPath path) {
        throw new IllegalArgumentException(
                "the rest of the network sees %s otherwise than through the boundary: %s; preserve %s too, or choose other parameters"
                        .formatted(
                                path.parameter().where(),
                                path.route(),
                                path.seen().where()));
    }

    /**
     * Decides whether keeping some entries keeps the outputs.
     *
     * @param kept entries of values of the model
     * @return nothing where it does, or a path from a moving parameter to an output around them
     */
    public Optional<SeenPath> around(Boundary kept) {
        return path(nodes(kept), false);
    }

    /**
     * Returns what comes from the rest of the model on the way to a boundary.
     *
     * @param kept a boundary that separates the moving parameters from the outputs
     * @return what is received
     * @throws IllegalArgumentException with the path around the boundary where there is one
     */
    public Reception reception(Boundary kept) {
        around(kept).ifPresent(Subnetwork::refuse);
        return new Reception(moving, batches, graph, nodes(kept));
    }

    private Optional<SeenPath> path(Set<Integer> stopped, boolean beforeFixed) {
        int[] arrival = new int[graph.nodes().size()];
        Arrays.fill(arrival, -2);
        Deque<Integer> queue = new ArrayDeque<>();
        for (int node = 0; node < arrival.length; node++) {
            if (graph.isLive(node) && graph.isMovingParameter(node) && !stopped.contains(node)) {
                arrival[node] = -1;
                queue.add(node);
            }
        }
        while (!queue.isEmpty()) {
            int node = queue.remove();
            if (graph.isOutput(node) || (beforeFixed && graph.reader(node) >= 0)) {
                return Optional.of(seen(node, arrival));
            }
            for (int next : graph.onward(node)) {
                if (arrival[next] == -2 && !stopped.contains(next)) {
                    arrival[next] = node;
                    queue.add(next);
                }
            }
        }
        return Optional.empty();
    }

    private SeenPath seen(int seam, int[] arrival) {
        List<Integer> path = new ArrayList<>();
        for (int node = seam; node >= 0; node = arrival[node]) {
            path.addFirst(node);
        }
        int place = (int) path.stream().filter(this::isReal).count() - 1;
        int node = seam;
        if (!graph.isOutput(node)) {
            node = graph.reader(node);
            path.add(node);
        }
        while (!graph.isOutput(node)) {
            node = graph.onward(node).getFirst();
            path.add(node);
        }
        return new SeenPath(
                path.stream()
                        .filter(this::isReal)
                        .map(step -> new SeenPath.Step(
                                Objects.requireNonNull(graph.nodes().get(step).value()),
                                graph.nodes().get(step).entry()))
                        .toList(),
                place);
    }

    private boolean isReal(int node) {
        return graph.nodes().get(node).value() != null;
    }

    /** {@return every value that depends on what moves and that an output depends on, in the order of computation} */
    public List<AffectedValue> affected() {
        SequencedMap<Value, Integer> counts = new LinkedHashMap<>();
        for (int node = 0; node < graph.nodes().size(); node++) {
            Node each = graph.nodes().get(node);
            if (graph.isLive(node) && each.value() != null) {
                counts.merge(
                        each.value(), each.entry() < 0 ? each.value().shape().count() : 1, Integer::sum);
            }
        }
        List<AffectedValue> affected = new ArrayList<>();
        counts.forEach((value, count) -> affected.add(new AffectedValue(
                value,
                count,
                value.arguments().stream()
                        .distinct()
                        .filter(counts::containsKey)
                        .toList())));
        return affected;
    }

    /**
     * A value that depends on what moves.
     *
     * @param value of the model
     * @param entries how many of its entries do
     * @param from those of its arguments that do
     */
    public record AffectedValue(Value value, int entries, List<Value> from) {}
}
