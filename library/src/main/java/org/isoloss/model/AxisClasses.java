package org.isoloss.model;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.AxisNode.Limit;
import org.isoloss.model.AxisNode.Ref;
import org.jspecify.annotations.Nullable;

/**
 * The classes of channels of a model, each with the largest group that all operations let through, and how they make up the axes of its
 * weights. Found from the graph alone.
 */
public final class AxisClasses {
    private final WeightedGraph graph;
    private final AxisSearch search;
    private final AxisLinks.Solution solution;
    private final Map<AxisNode, List<int[]>> turned;
    private final Map<AxisNode, AxisClass> classes = new LinkedHashMap<>();
    private final Map<Value, List<Block>> weights = new LinkedHashMap<>();
    private final Set<AxisClass> turnedOver = new HashSet<>(); // scaled classes that are numbered by what reads them

    /**
     * A part of a tensor that is a product of classes.
     *
     * @param begin the place of its first number, row-major
     * @param factors how it goes on from there
     */
    public record Block(int begin, List<Factor> factors) {
        /** Copies the list. */
        public Block {
            factors = List.copyOf(factors);
        }
    }

    /**
     * Channels along which a part of a tensor extends.
     *
     * @param channels their class; null where they never change
     * @param size how many
     * @param stride from one to the next
     * @param dual whether they change by the inverse, transposed
     * @param scales the power of each scale of a monomial class
     * @param signs the power of each sign of a monomial class, 0 or 1
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Factor(
            @Nullable AxisClass channels, int size, int stride, boolean dual, double[] scales, double[] signs) {}

    /** One way through the parts of axes. */
    private record Path(int begin, List<Leaf> leaves) {}

    private record Leaf(Ref ref, int stride, Value value, int axis, int place) {}

    private AxisClasses(Model model) {
        this.graph = new WeightedGraph(model);
        var bound = new BoundSearch(model, graph);
        this.search = bound.search();
        this.turned = bound.turned();
        this.solution = search.bases().links().solved(search.bases().all().keySet());
        Map<Value, List<Path>> targets = new LinkedHashMap<>();
        Map<AxisNode, Set<AxisNode>> beside = new LinkedHashMap<>();
        Map<AxisNode, Value> made = new LinkedHashMap<>();
        search.bases().all().keySet().forEach(value -> {
            boolean isWeight = graph.isWeight(value);
            if (isWeight || graph.isVarying(value)) {
                List<Path> paths = paths(value);
                paths.forEach(path -> note(path, beside));
                if (isWeight) {
                    targets.put(value, paths);
                } else {
                    paths.forEach(path -> path.leaves.forEach(
                            leaf -> made.putIfAbsent(leaf.ref.found().node(), value)));
                }
            }
        });
        Map<AxisNode, List<Leaf>> uses = new LinkedHashMap<>();
        targets.values()
                .forEach(paths -> paths.forEach(path -> path.leaves.forEach(
                        leaf -> uses.computeIfAbsent(leaf.ref.found().node(), _ -> new ArrayList<>())
                                .add(leaf))));
        Map<AxisNode, Set<AxisNode>> index = index(made, uses, beside);
        Set<AxisNode> indices = new HashSet<>();
        index.forEach((node, own) -> indices.addAll(own));
        Map<Leaf, double[][]> powers = new HashMap<>();
        made.forEach((node, value) -> {
            if (uses.containsKey(node) && !node.limits().contains(Limit.PINNED)) {
                AxisClass own =
                        classOf(node, value, uses.getOrDefault(node, List.of()), indices.contains(node), powers);
                if (own != null) {
                    classes.put(node, own);
                }
            }
        });
        search.scalings().forEach(scaling -> {
            Ref product =
                    search.bases().axes(scaling.product()).get(scaling.axis()).found();
            AxisNode after = product.node();
            AxisClass scaled = classes.get(after);
            if (scaled != null && scaled.kind() == AxisClass.Kind.LINEAR) {
                Ref before = search.bases().axes(scaling.source()).get(scaling.sourceAxis());
                var own = new AxisClass(
                        scaled.name(), scaled.size(), AxisClass.Kind.SCALED, false, false, List.of(), 1, 1, true);
                AxisClass followed = classes.get(before.found().node());
                double[][] there = powers.getOrDefault(
                        new Leaf(before.found(), 0, scaling.source(), scaling.sourceAxis(), 0), new double[2][0]);
                own.follows(followed, before.found().dual(), scaling.factors(), there[0], there[1]);
                classes.put(after, own);
                if (product.dual()) {
                    turnedOver.add(own);
                }
            }
        });
        index.forEach((node, own) -> {
            AxisClass channels = classes.get(node);
            if (channels != null) {
                channels.indexedBy(own.stream().map(this::indexClass).toList());
            }
        });
        targets.forEach((value, paths) -> weights.put(
                value, paths.stream().map(path -> block(path, powers)).toList()));
    }

    /**
     * Finds the classes of a model.
     *
     * @param model any
     * @return its classes
     */
    public static AxisClasses of(Model model) {
        return new AxisClasses(model);
    }

    /** Classes that index others though they never change have one of their own. */
    private AxisClass indexClass(AxisNode node) {
        return classes.computeIfAbsent(
                node,
                _ -> new AxisClass("", node.size(), AxisClass.Kind.MONOMIAL, false, false, List.of(), 0, 0, true));
    }

    private List<Path> paths(Value value) {
        List<Path> paths = List.of(new Path(0, List.of()));
        int[] strides = value.shape().strides();
        for (int axis = 0; axis < value.shape().rank(); axis++) {
            List<Path> more = new ArrayList<>();
            int[] place = new int[1];
            for (Path own : paths(search.bases().axes(value).get(axis), strides[axis], value, axis, place)) {
                for (Path path : paths) {
                    more.add(and(path, own));
                }
            }
            paths = more;
        }
        return paths;
    }

    private static Path and(Path path, Path other) {
        List<Leaf> leaves = new ArrayList<>(path.leaves);
        leaves.addAll(other.leaves);
        return new Path(path.begin + other.begin, leaves);
    }

    private static List<Path> paths(Ref axis, int stride, Value value, int number, int[] place) {
        if (axis.size() == 1) {
            return List.of(new Path(0, List.of()));
        }
        return switch (axis.kind()) {
            case LEAF -> List.of(new Path(0, List.of(new Leaf(axis.found(), stride, value, number, place[0]++))));
            case JOIN -> {
                List<Path> all = new ArrayList<>();
                int begin = 0;
                for (Ref part : axis.parts()) {
                    for (Path path : paths(part, stride, value, number, place)) {
                        all.add(new Path(begin * stride + path.begin, path.leaves));
                    }
                    begin += part.size();
                }
                yield all;
            }
            case PRODUCT -> {
                List<Path> all = List.of(new Path(0, List.of()));
                int inner = axis.size();
                for (Ref part : axis.parts()) {
                    inner /= part.size();
                    List<Path> more = new ArrayList<>();
                    for (Path own : paths(part, stride * inner, value, number, place)) {
                        all.forEach(path -> more.add(and(path, own)));
                    }
                    all = more;
                }
                yield all;
            }
        };
    }

    /** What each node stands beside at every place. */
    private static void note(Path path, Map<AxisNode, Set<AxisNode>> beside) {
        Map<AxisNode, Integer> counts = new LinkedHashMap<>();
        path.leaves.forEach(leaf -> counts.merge(leaf.ref.found().node(), 1, Integer::sum));
        counts.keySet().forEach(node -> {
            Set<AxisNode> others = new LinkedHashSet<>();
            counts.forEach((other, count) -> {
                if (other != node && count == 1) {
                    others.add(other);
                }
            });
            beside.merge(node, others, (before, now) -> {
                before.retainAll(now);
                return before;
            });
        });
    }

    /** The classes by which others are numbered: outer ones, whose own channels only change their order. */
    private static Map<AxisNode, Set<AxisNode>> index(
            Map<AxisNode, Value> made, Map<AxisNode, List<Leaf>> uses, Map<AxisNode, Set<AxisNode>> beside) {
        Map<AxisNode, Set<AxisNode>> index = new LinkedHashMap<>();
        for (AxisNode node : made.keySet()) {
            if (uses.containsKey(node) && !node.limits().contains(Limit.PINNED)) {
                Set<AxisNode> own = new LinkedHashSet<>();
                for (AxisNode other : beside.getOrDefault(node, Set.of())) {
                    boolean isMutual = beside.getOrDefault(other, Set.of()).contains(node);
                    boolean isIndex = other.limits().contains(Limit.MONOMIAL)
                            || other.limits().contains(Limit.PINNED);
                    if (isIndex
                            && !(isMutual && index.getOrDefault(other, Set.of()).contains(node))) {
                        own.add(other);
                    }
                }
                index.put(node, own);
            }
        }
        return index;
    }

    private @Nullable AxisClass classOf(
            AxisNode node, Value value, List<Leaf> written, boolean isIndex, Map<Leaf, double[][]> powers) {
        Set<Limit> limits = node.limits();
        List<int[]> blocks = turned.getOrDefault(node, List.of());
        boolean ones = limits.contains(Limit.ONES);
        boolean onesDual = limits.contains(Limit.ONES_DUAL);
        boolean orthogonal = limits.contains(Limit.ORTHOGONAL);
        boolean isMonomial = limits.contains(Limit.MONOMIAL) || (!blocks.isEmpty() && (orthogonal || ones || onesDual));
        if (!isMonomial) {
            AxisClass.Kind kind = !blocks.isEmpty()
                    ? AxisClass.Kind.COMMUTING
                    : orthogonal ? AxisClass.Kind.ORTHOGONAL : AxisClass.Kind.LINEAR;
            return new AxisClass(value.where(), node.size(), kind, ones, onesDual, blocks, 0, 0, false);
        }
        List<Leaf> uses = new ArrayList<>(written);
        search.scalings().stream() // what scaled classes follow
                .map(scaling -> new Leaf(
                        search.bases()
                                .axes(scaling.source())
                                .get(scaling.sourceAxis())
                                .found(),
                        0,
                        scaling.source(),
                        scaling.sourceAxis(),
                        0))
                .filter(leaf -> leaf.ref.node() == node)
                .forEach(uses::add);
        int[] unknowns = uses.stream()
                .mapToInt(use -> solution.of(use.value, use.axis)[use.place])
                .toArray();
        boolean isFree = !isIndex && limits.contains(Limit.MONOMIAL);
        Matrix scales = isFree ? solution.logarithms().solved(unknowns) : Matrix.zeros(unknowns.length, 0);
        Matrix signs = isFree ? solution.parities().solved(unknowns) : Matrix.zeros(unknowns.length, 0);
        for (int i = 0; i < unknowns.length; i++) {
            powers.put(uses.get(i), new double[][] {row(scales, i), row(signs, i)});
        }
        boolean isOrdered = limits.contains(Limit.ORDERED) || !blocks.isEmpty();
        return isOrdered && scales.columns() + signs.columns() == 0 && !isIndex
                ? null
                : new AxisClass(
                        value.where(),
                        node.size(),
                        AxisClass.Kind.MONOMIAL,
                        false,
                        false,
                        blocks,
                        scales.columns(),
                        signs.columns(),
                        isOrdered);
    }

    private static double[] row(Matrix matrix, int row) {
        double[] entries = new double[matrix.columns()];
        for (int column = 0; column < entries.length; column++) {
            entries[column] = matrix.get(row, column);
        }
        return entries;
    }

    private Block block(Path path, Map<Leaf, double[][]> powers) {
        List<Factor> factors = new ArrayList<>();
        for (Leaf leaf : path.leaves) {
            double[][] own = powers.getOrDefault(leaf, new double[2][0]);
            AxisClass channels = classes.get(leaf.ref.found().node());
            factors.add(new Factor(
                    channels,
                    leaf.ref.size(),
                    leaf.stride,
                    leaf.ref.found().dual() ^ (channels != null && turnedOver.contains(channels)),
                    own[0],
                    own[1]));
        }
        return new Block(path.begin, factors);
    }

    /** {@return the classes, in the order of computation; those whose channels never change and only number others at last} */
    public Collection<AxisClass> classes() {
        return List.copyOf(classes.values());
    }

    /**
     * {@return what the weights are made of: parameters, and sums and products that a parameter of their own makes what they are}
     */
    public Map<Value, List<Block>> weights() {
        return Collections.unmodifiableMap(weights);
    }

    /**
     * Lists the classes of a value.
     *
     * @param value of the model
     * @return in the order of its axes; none where it has no class, or lies inside of rotary positions
     */
    public List<AxisClass> of(Value value) {
        List<AxisClass> own = new ArrayList<>();
        for (Ref axis : search.bases().all().getOrDefault(value, List.of())) {
            for (Ref leaf : axis.leaves()) {
                AxisClass channels = classes.get(leaf.found().node());
                if (channels != null && !own.contains(channels)) {
                    own.add(channels);
                }
            }
        }
        return own;
    }

    /**
     * Returns the parameter that makes a sum or a product whatever it must be.
     *
     * @param weight one of {@link #weights}
     * @return the parameter; null where the weight is one
     */
    public @Nullable Value own(Value weight) {
        return graph.own(weight);
    }
}
