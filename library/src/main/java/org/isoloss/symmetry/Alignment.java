package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.DoubleConsumer;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/**
 * The element of the symmetry group of one network that brings its weights nearest to those of another of the same architecture, as
 * far as what both compute on the same inputs tells: equal blocks are assigned to each other, and the Lie group of each block is
 * fitted.
 */
public final class Alignment implements Aligned {
    /** Weights that are as near as this need no better fit. */
    private static final double CLOSE = 1e-12;

    /** Rounding to float32 moves weights by at most this share of their norm. */
    private static final double FLOAT32 = 0x1p-24;

    private final SymmetryGroup group;
    private final Moving moving;
    private final double[] theirs;
    private final Model other;
    private final SymmetryElement element;
    private final double[] moved;

    private Alignment(SymmetryGroup group, Moving moving, double[] theirs, Model other, SymmetryElement element) {
        this.group = group;
        this.moving = moving;
        this.theirs = theirs;
        this.other = other;
        this.element = element;
        this.moved = group.parameters(element);
    }

    /**
     * Aligns a network to another.
     *
     * @param group of the network that is moved
     * @param other the other network, with parameters of the same names and shapes
     * @param inputs that both compute on, one batch after the other
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the alignment
     * @throws IllegalArgumentException when the networks have other parameters, with the first that differs
     */
    public static Alignment of(
            SymmetryGroup group, Model other, List<Map<String, double[]>> inputs, DoubleConsumer watcher) {
        GroupSearch found = group.found();
        Moving moving = found.moving();
        AlikeModels.require(moving.model(), other);
        double[] theirs = numbers(moving, other);
        Map<Value, Matrix> ours = computed(found, moving.origin(), inputs);
        Map<Value, Matrix> goals = computed(found, theirs, inputs);
        var weights = new WeightRows(found, theirs);
        double close = Arrays.stream(theirs).allMatch(x -> x == (float) x) ? FLOAT32 : CLOSE;
        Alignment best = new Alignment(group, moving, theirs, other, group.named(Map.of()));
        List<SequencedMap<Value, Affine>> begun = List.of();
        Map<Value, int[]> sources = Map.of();
        for (WeightOrders.Orders orders : orders(found, ours, goals, weights)) {
            if (begun.isEmpty() || best.after() > close) {
                var search = new Search(found, ours, goals, weights, orders, watcher);
                Set<GroupFactor> left = new LinkedHashSet<>();
                Alignment own = fitted(best, search, left);
                if (own != best || begun.isEmpty()) {
                    best = own;
                    sources = search.sources;
                    begun = List.of(search.continuous(left), new LinkedHashMap<>()); // what fits, and the identity
                }
            }
        }
        for (SequencedMap<Value, Affine> maps : begun) {
            var fit = new WeightFit(found, maps, sources, theirs);
            if (fit.isFeasible() && best.after() > close) {
                best = nearer(best, group.named(fit.fitted()));
            }
        }
        return best;
    }

    /** The orders that activations say, then those that weights say, from these and from none. */
    private static List<WeightOrders.Orders> orders(
            GroupSearch found, Map<Value, Matrix> ours, Map<Value, Matrix> theirs, WeightRows weights) {
        boolean hasSigns = found.factors().stream().anyMatch(GroupFactor.Signs.class::isInstance);
        Map<GroupFactor.Permutations, int[]> active = new LinkedHashMap<>();
        Map<GroupFactor.Permutations, int[]> none = new LinkedHashMap<>();
        for (GroupFactor factor : found.factors()) {
            if (factor instanceof GroupFactor.Permutations permutations) {
                active.put(permutations, BlockMatch.assigned(permutations.things(), ours, theirs, hasSigns));
                int[] same = new int[permutations.things().size()];
                Arrays.setAll(same, i -> i);
                none.put(permutations, same);
            }
        }
        var byWeights = new WeightOrders(found, weights);
        var first = new WeightOrders.Orders(active, null);
        return active.isEmpty() ? List.of(first) : List.of(first, byWeights.refined(active), byWeights.refined(none));
    }

    /** What a search fits where that comes nearer, without the factors that it fits badly, which are added to those left out. */
    private static Alignment fitted(Alignment before, Search search, Set<GroupFactor> left) {
        SymmetryGroup group = before.group;
        Alignment best = nearer(before, group.named(search.maps(Set.of())));
        for (GroupFactor factor : group.found().factors()) {
            if (factor.dimension() > 0) {
                left.add(factor);
                Alignment without = nearer(best, group.named(search.maps(left)));
                if (without == best) {
                    left.remove(factor);
                }
                best = without;
            }
        }
        return best;
    }

    /** An alignment, or another element of the same group where that comes nearer; one that is singular does not. */
    private static Alignment nearer(Alignment best, SymmetryElement element) {
        if (!best.group.isRegular(element)) {
            return best;
        }
        var own = new Alignment(best.group, best.moving, best.theirs, best.other, element);
        return own.after() < best.after() ? own : best;
    }

    private static double[] numbers(Moving moving, Model other) {
        double[] numbers = new double[moving.count()];
        int at = 0;
        for (Map.Entry<String, int[]> entry : moving.places().entrySet()) {
            double[] own = other.numbers(entry.getKey());
            for (int place : entry.getValue()) {
                numbers[at++] = own[place];
            }
        }
        return numbers;
    }

    /** For each value what it is with some parameters: one row for each input and carried place. */
    private static Map<Value, Matrix> computed(
            GroupSearch found, double[] parameters, List<Map<String, double[]>> inputs) {
        SequencedMap<String, Value> observed = new LinkedHashMap<>();
        Set<Value> values = found.points().keySet();
        values.forEach(value -> observed.put("value " + observed.size(), value));
        found.moving().model().outputs().forEach((name, output) -> observed.put("output " + name, output));
        Map<Value, double[]> numbers = new LinkedHashMap<>();
        values.forEach(value ->
                numbers.put(value, new double[inputs.size() * value.shape().count()]));
        double[] all = ModelTarget.of(found.moving().observing(observed), inputs)
                .outputs(Matrix.over(1, parameters.length, parameters.clone()))
                .entries();
        for (int sample = 0; sample < inputs.size(); sample++) {
            int from = sample * (all.length / inputs.size());
            for (Value value : values) {
                int count = value.shape().count();
                System.arraycopy(all, from, Objects.requireNonNull(numbers.get(value)), sample * count, count);
                from += count;
            }
        }
        Map<Value, Matrix> arranged = new LinkedHashMap<>();
        found.points()
                .forEach((value, point) ->
                        arranged.put(value, point.arranged(Objects.requireNonNull(numbers.get(value)))));
        return arranged;
    }

    /** Fits the factors one after the other. */
    private static final class Search {
        private final GroupSearch found;
        private final Map<Value, Matrix> ours;
        private final Map<Value, Matrix> theirs;
        private final WeightRows weights;
        private final @Nullable Set<Map<Value, int[]>> turned;
        private final IdentityHashMap<Map<Value, int[]>, Map<Value, int[]>> goals = new IdentityHashMap<>();
        private final SequencedMap<Value, int[]> sources = new LinkedHashMap<>();
        private final Map<GroupFactor, List<Fit>> fits = new LinkedHashMap<>();

        /**
         * The maps of one block.
         *
         * @param channels of the block
         * @param maps of them
         */
        private record Fit(Map<Value, int[]> channels, Map<Value, Affine> maps) {}

        Search(
                GroupSearch found,
                Map<Value, Matrix> ours,
                Map<Value, Matrix> theirs,
                WeightRows weights,
                WeightOrders.Orders orders,
                DoubleConsumer watcher) {
            this.found = found;
            this.weights = weights;
            this.ours = ours;
            this.theirs = theirs;
            this.turned = orders.turned();
            orders.orders().forEach(this::permute);
            int done = 0;
            for (GroupFactor factor : found.factors()) {
                fits.put(factor, fit(factor));
                watcher.accept((double) ++done / found.factors().size());
            }
        }

        /** All fitted maps but those of some factors. */
        SequencedMap<Value, Affine> continuous(Set<GroupFactor> without) {
            var maps = new BlockMaps(found.points());
            fits.forEach((factor, own) -> {
                if (!without.contains(factor)) {
                    own.forEach(fit -> maps.put(fit.channels(), fit.maps()));
                }
            });
            return new LinkedHashMap<>(maps.elements(found.action()));
        }

        /** These, then the assigned orders. */
        SequencedMap<Value, Affine> maps(Set<GroupFactor> without) {
            SequencedMap<Value, Affine> all = continuous(without);
            sources.forEach((value, order) ->
                    all.compute(value, (_, map) -> (map == null ? Affine.identity(order.length) : map).rows(order)));
            return all;
        }

        private void permute(GroupFactor.Permutations permutations, int[] order) {
            for (int place = 0; place < order.length; place++) {
                goals.put(
                        permutations.things().get(order[place]),
                        permutations.things().get(place));
            }
            permutations
                    .sources(order, found.points())
                    .forEach((value, own) -> sources.merge(value, own, (all, some) -> {
                        for (int i = 0; i < some.length; i++) {
                            all[i] = some[i] == i ? all[i] : some[i];
                        }
                        return all;
                    }));
        }

        private Map<Value, int[]> goal(Map<Value, int[]> channels) {
            return goals.getOrDefault(channels, channels);
        }

        private List<Fit> fit(GroupFactor factor) {
            var fit = new AlgebraFit(found, ours, theirs, weights, maps(Set.of()));
            return switch (factor) {
                case GroupFactor.Continuous continuous ->
                    continuous.blocks().stream()
                            .map(block -> new Fit(block.channels(), fit.element(block, goal(block.channels()))))
                            .toList();
                case GroupFactor.Classical classical ->
                    classical.blocks().stream()
                            .map(block -> new Fit(block.channels(), fit.element(block, goal(block.channels()))))
                            .toList();
                case GroupFactor.Signs signs ->
                    signs.channels().stream()
                            .filter(channels -> turned == null
                                    ? isTurned(signs.pattern(), channels, goal(channels))
                                    : turned.contains(channels))
                            .map(channels -> new Fit(channels, signs.maps()))
                            .toList();
                case GroupFactor.Permutations _ -> List.of();
            };
        }

        /** Whether the values correlate better with signs than without. */
        private boolean isTurned(Map<Value, Integer> pattern, Map<Value, int[]> channels, Map<Value, int[]> goal) {
            double sum = 0;
            for (Map.Entry<Value, Integer> sign : pattern.entrySet()) {
                Matrix one = BlockMatch.columns(
                        Objects.requireNonNull(ours.get(sign.getKey())),
                        Objects.requireNonNull(channels.get(sign.getKey())));
                Matrix other = BlockMatch.columns(
                        Objects.requireNonNull(theirs.get(sign.getKey())),
                        Objects.requireNonNull(goal.get(sign.getKey())));
                double product = one.transpose().times(other).get(0, 0);
                sum += sign.getValue() < 0 ? product / (one.frobeniusNorm() * other.frobeniusNorm()) : 0;
            }
            return sum < 0;
        }
    }

    /** {@return the element, of the group of the network that is moved} */
    public SymmetryElement element() {
        return element;
    }

    @Override
    public double before() {
        return distance(moving.origin());
    }

    @Override
    public double after() {
        return distance(moved);
    }

    private double distance(double[] parameters) {
        double square = 0;
        double norm = 0;
        for (int i = 0; i < parameters.length; i++) {
            square += (parameters[i] - theirs[i]) * (parameters[i] - theirs[i]);
            norm += theirs[i] * theirs[i];
        }
        return norm == 0 ? Math.sqrt(square) : Math.sqrt(square / norm);
    }

    @Override
    public double change() {
        return group.change(element);
    }

    @Override
    public SequencedMap<String, Matrix> arrays() {
        return element.maps();
    }

    @Override
    public SequencedMap<String, Numbers> tensors() {
        SequencedMap<String, Numbers> tensors = new LinkedHashMap<>();
        moving.tensors(moved).forEach((name, numbers) -> tensors.put(name, Numbers.of(numbers)));
        return tensors;
    }

    @Override
    public Model between(double share, boolean aligned) {
        double[] point = aligned ? moved.clone() : moving.origin();
        Arrays.setAll(point, i -> (1 - share) * point[i] + share * theirs[i]);
        return moving.model().with(moving.tensors(point));
    }
}
