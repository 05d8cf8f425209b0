package org.isoloss.basis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import org.isoloss.model.AxisClass;
import org.isoloss.model.FreeShift;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;

/** Finds the element of a group that brings the weights of its model nearest to those of another: changes of basis, then shifts. */
final class GroupFit {
    /** Weights as near as this, over their norm, need no other fit. */
    private static final double CLOSE = 1e-7;
    /** Weights as near as this are the same. */
    private static final double SAME = 1e-12;

    private final BasisGroup group;
    private final BasisGroup other;

    /**
     * Prepares a fit.
     *
     * @param group of the model that is moved
     * @param other of a model with the same graph and other weights
     */
    GroupFit(BasisGroup group, BasisGroup other) {
        this.group = group;
        this.other = other;
    }

    /** Changes of basis, what is added after them, and how far the weights are then from the others. */
    private record Fitted(BasisElement element, SequencedMap<FreeShift, double[]> added, double distance) {}

    /**
     * Fits changes of basis, with what may be added out of sight, and then what is added.
     *
     * @param search finds the changes of classes
     */
    BasisElement element(Function<AlignedWeights, Map<AxisClass, ClassElement>> search) {
        Fitted first = fitted(other.weights(), group.shifts(), search);
        if (first.added.isEmpty() || first.distance <= SAME) {
            return first.element;
        }
        // without what was added, which no projection hides then
        SequencedMap<String, Numbers> theirs = new LinkedHashMap<>();
        other.model()
                .parameters()
                .forEach((name, parameter) -> theirs.put(name, ((Leaf) parameter.operation()).numbers()));
        var without = new ShiftedWeights(group.model(), theirs);
        first.added.sequencedEntrySet().reversed().forEach(entry -> without.add(entry.getKey(), entry.getValue(), -1));
        Model plain = other.model().reading(without.changed());
        Fitted second = fitted(new BasisGroup(plain).weights(), List.of(), search);
        return second.distance < first.distance ? second.element : first.element;
    }

    private Fitted fitted(
            WeightsOfModel goal,
            List<FreeShift> hidden,
            Function<AlignedWeights, Map<AxisClass, ClassElement>> search) {
        Map<AxisClass, ClassElement> changes =
                search.apply(new AlignedWeights(group.weights(), group.classes(), hidden, goal));
        Fitted bold = shifted(changes, false);
        if (group.shifts().isEmpty() || bold.distance <= CLOSE) {
            return bold;
        }
        Fitted cautious = shifted(changes, true);
        return cautious.distance < bold.distance ? cautious : bold;
    }

    private Fitted shifted(Map<AxisClass, ClassElement> changes, boolean isCautious) {
        SequencedMap<String, Numbers> changed = group.tensors(group.taking(changes, Map.of()));
        SequencedMap<FreeShift, double[]> added =
                new ShiftFit(group.model(), changed, other.model(), isCautious).found(group.shifts());
        BasisElement element = group.taking(changes, added);
        double distance = WeightDistance.relative(group.model().reading(group.tensors(element)), other.model());
        return new Fitted(element, added, distance);
    }
}
