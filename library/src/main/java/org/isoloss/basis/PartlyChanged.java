package org.isoloss.basis;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import org.isoloss.model.AxisClass;
import org.isoloss.model.AxisClasses.Block;
import org.isoloss.model.AxisClasses.Factor;
import org.isoloss.model.Value;
import org.jspecify.annotations.Nullable;

/** The weights of a model while the changes of its classes are chosen one after the other. */
final class PartlyChanged {
    private final WeightsOfModel weights;
    private final List<AxisClass> classes;
    private final List<Value> all;
    private final Map<Value, double[]> factors = new HashMap<>();
    private final Map<AxisClass, ClassElement> found = new LinkedHashMap<>();
    private final Set<AxisClass> known = new HashSet<>();

    /**
     * Begins with no change.
     *
     * @param weights of the model
     * @param classes that may change, in the order of computation
     */
    PartlyChanged(WeightsOfModel weights, List<AxisClass> classes) {
        this.weights = weights;
        this.classes = classes;
        this.all = List.copyOf(weights.blocks().keySet());
        classes.stream()
                .map(AxisClass::factors)
                .filter(Objects::nonNull)
                .forEach(factor -> factors.put(factor, weights.numbers(factor)));
    }

    List<Value> weights() {
        return all;
    }

    List<AxisClass> classes() {
        return classes;
    }

    /** The parameter behind a weight. */
    String parameter(Value weight) {
        return weights.parameter(weight);
    }

    /** The numbers of the weight that multiplies the channels of a scaled class. */
    double[] factors(Value weight) {
        return Objects.requireNonNull(factors.get(weight));
    }

    Map<AxisClass, ClassElement> found() {
        return found;
    }

    ClassElement of(AxisClass channels) {
        return found.getOrDefault(channels, ClassElement.identity(channels));
    }

    void choose(AxisClass channels, ClassElement element) {
        found.put(channels, element);
    }

    /** Chooses what was found for each index after its order, and acts before it. */
    void chooseAfterOrders(AxisClass channels, ClassElement element) {
        choose(channels, element.moved(element().sources(channels)));
    }

    BasisElement element() {
        return new BasisElement(new LinkedHashMap<>(), found, new LinkedHashMap<>(), Map.of(), false);
    }

    /** What a weight is made of. */
    List<Block> blocks(Value weight) {
        return Objects.requireNonNull(weights.blocks().get(weight));
    }

    void know(AxisClass channels) {
        known.add(channels);
    }

    boolean isKnown(@Nullable AxisClass channels) {
        return channels == null || known.contains(channels) || !classes.contains(channels);
    }

    /** The classes that a class numbers. */
    Set<AxisClass> dependents(AxisClass channels) {
        Set<AxisClass> dependents = new LinkedHashSet<>();
        classes.stream().filter(other -> other.index().contains(channels)).forEach(dependents::add);
        return dependents;
    }

    /** The class that an axis changes by: of what a norm's factors scale, that of what they scale. */
    static @Nullable AxisClass moved(Factor factor) {
        AxisClass channels = factor.channels();
        return channels != null && channels.kind() == AxisClass.Kind.SCALED ? channels.followed() : channels;
    }

    static boolean isDual(Factor factor) {
        AxisClass own = factor.channels();
        return factor.dual() ^ (own != null && own.kind() == AxisClass.Kind.SCALED && own.followsDual());
    }

    /**
     * Lists the factors along which a class changes, of the blocks of a weight that have one such factor.
     *
     * @param weight one of {@link #weights}
     * @param channels a class
     * @param isUsable tells of a block and the class's factor whether they count
     */
    Map<Block, Factor> uses(Value weight, AxisClass channels, BiPredicate<Block, Factor> isUsable) {
        Map<Block, Factor> uses = new LinkedHashMap<>();
        for (Block block : blocks(weight)) {
            List<Factor> own = block.factors().stream()
                    .filter(factor -> moved(factor) == channels)
                    .toList();
            AxisClass its = own.size() == 1 ? own.getFirst().channels() : null;
            boolean isFactors = its != null && its.factors() == weight;
            if (own.size() == 1 && !isFactors && isUsable.test(block, own.getFirst())) {
                uses.put(block, own.getFirst());
            }
        }
        return uses;
    }

    /** Whether all factors of a block but one are of classes that are known, or are among some. */
    boolean isKnownBeside(Block block, Factor own, Set<AxisClass> open) {
        return block.factors().stream()
                .filter(factor -> !factor.equals(own))
                .map(PartlyChanged::moved)
                .allMatch(other -> isKnown(other) || open.contains(other));
    }

    /** The numbers of a weight with all that is chosen but for some classes. */
    double[] without(Value weight, Collection<AxisClass> some) {
        Map<AxisClass, ClassElement> others = new LinkedHashMap<>(found);
        some.forEach(others::remove);
        var element = new BasisElement(new LinkedHashMap<>(), others, new LinkedHashMap<>(), Map.of(), false);
        double[] numbers = weights.numbers(weight).clone();
        var change = new ChangedWeight(weight, blocks(weight), element, factors);
        if (change.isMoved()) {
            change.apply(numbers);
        }
        return numbers;
    }
}
