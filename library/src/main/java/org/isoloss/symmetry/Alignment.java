package org.isoloss.symmetry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.DoubleConsumer;
import org.isoloss.basis.BasisElement;
import org.isoloss.basis.BasisGroup;
import org.isoloss.basis.Subgroup;
import org.isoloss.basis.Subgroup.Change;
import org.isoloss.basis.Subgroup.Kind;
import org.isoloss.basis.WeightDistance;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.ComputedNumbers;
import org.isoloss.model.Leaf;
import org.isoloss.model.Model;
import org.isoloss.model.Numbers;

/**
 * The element of the group that follows from a network's graph which brings its weights nearest to those of another of the same
 * architecture, told from the weights alone.
 */
public final class Alignment {
    /** Rounds after the first change little. */
    private static final int ROUNDS = 3;
    /** Weights as near as this come no nearer in another way: two units of rounding to F16. */
    private static final double NEAR = 0x1p-10;
    /** The share of the work that is done when classes are fitted. */
    private static final double FITTED = 0.2;
    /** Weights as near as this are of related networks, which other beginnings lead away from. */
    private static final double RELATED = 0.3;
    /** So many orders at most are drawn to begin with, as many as have half a million parameters together. */
    private static final int DRAWS = 8;

    private static final int DRAWN = 500_000;
    /** With more parameters steps from several beginnings take too long. */
    private static final int MANY = 1_000_000;

    private final GraphSymmetries symmetries;
    private final Model other;
    private final BasisElement element;
    private final SequencedMap<String, Numbers> moved;
    private final double before;
    private final double after;

    private Alignment(GraphSymmetries symmetries, Model other, BasisElement element) {
        this.symmetries = symmetries;
        this.other = other;
        this.element = element;
        this.moved = symmetries.tensors(element);
        this.before = WeightDistance.relative(symmetries.model(), other);
        this.after = WeightDistance.relative(symmetries.model().reading(moved), other);
    }

    /**
     * Aligns a network to another in several ways. A copy in disguise is found by one; of others the way that leads nearest depends on where it
     * begins: at what fits class by class, at the weights as they are, and at orders drawn at random.
     *
     * @param symmetries of the network that is moved
     * @param other the other network, with parameters of the same names and shapes
     * @param same how near weights come where the networks are the same, over the norm of the other's: rounding to the stored types moves them apart
     * @param forBarrier whether the one of the lowest barrier will be chosen: then some leave scales as they are, which brings weights less near and often lowers barriers
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the alignments, the nearest first; one alone where it is as near as that, and of more than a million parameters no more than three
     * @throws IllegalArgumentException when the networks have other parameters, with the first that differs
     */
    public static List<Alignment> of(
            GraphSymmetries symmetries, Model other, double same, boolean forBarrier, DoubleConsumer watcher) {
        AlikeModels.require(symmetries.model(), other);
        double near = Math.max(NEAR, same);
        BasisGroup group = symmetries.group();
        var goal = new BasisGroup(other);
        var once =
                new Alignment(symmetries, other, group.aligned(goal, 1, share -> watcher.accept(FITTED * share / 2)));
        if (once.after <= near) {
            return List.of(once);
        }
        var more = new Alignment(
                symmetries, other, group.aligned(goal, ROUNDS, share -> watcher.accept(FITTED * (1 + share) / 2)));
        var unmoved = new Alignment(symmetries, other, group.drawn(List.of(), 0));
        List<Alignment> found = new ArrayList<>(List.of(once, more, unmoved));
        found.sort(Comparator.comparingDouble(Alignment::after));
        if (symmetries.model().parameterCount() > MANY) {
            return found;
        }
        List<BasisElement> starts = starts(group, found.getFirst());
        int ways = starts.size() * (forBarrier && group.isScaling() ? 2 : 1);
        for (int way = 0; way < ways && found.getFirst().after > (way == 0 ? near : RELATED); way++) {
            found.add(new Alignment(
                    symmetries, other, group.descended(goal, starts.get(way % starts.size()), way < starts.size())));
            found.sort(Comparator.comparingDouble(Alignment::after));
            watcher.accept(FITTED + (1 - FITTED) * (way + 1) / ways);
        }
        return found;
    }

    private static List<BasisElement> starts(BasisGroup group, Alignment fitted) {
        List<Subgroup> orders = group.parts().stream()
                .filter(part -> part instanceof Change change && change.kind() == Kind.ORDERS)
                .toList();
        List<BasisElement> starts = new ArrayList<>(List.of(fitted.element, group.drawn(List.of(), 0)));
        long draws =
                orders.isEmpty() ? 0 : Math.min(DRAWS, DRAWN / group.model().parameterCount());
        for (int seed = 1; seed <= draws; seed++) {
            starts.add(group.drawn(orders, seed));
        }
        return starts;
    }

    /** {@return how far apart the weights are, over the norm of the other's} */
    public double before() {
        return before;
    }

    /** {@return how far apart they are after the element} */
    public double after() {
        return after;
    }

    /** {@return how much the element changes the network's own outputs on random inputs, relative to the largest} */
    public double change() {
        return symmetries.change(element);
    }

    /** {@return the arrays of the element, by name} */
    public SequencedMap<String, Matrix> arrays() {
        return element.arrays();
    }

    /** {@return the parameters that the element changes, with what they become} */
    public SequencedMap<String, Numbers> tensors() {
        return new LinkedHashMap<>(moved);
    }

    /**
     * Returns the network with weights on the straight line to the other's.
     *
     * @param share 0 at the network, 1 at the other
     * @param aligned whether the network is moved by the element first
     * @return a model that shares everything else
     */
    public Model between(double share, boolean aligned) {
        Map<String, Numbers> line = new LinkedHashMap<>();
        symmetries.model().parameters().forEach((name, parameter) -> {
            Numbers own = ((Leaf) parameter.operation()).numbers();
            Numbers from = aligned ? moved.getOrDefault(name, own) : own;
            Numbers to = ((Leaf) other.parameter(name).operation()).numbers();
            line.put(name, new Between(from, to, share, parameter.shape().count()));
        });
        return symmetries.model().reading(line);
    }

    /** Numbers between others. */
    private record Between(Numbers from, Numbers to, double share, int count) implements ComputedNumbers {
        @Override
        public void read(int first, double[] target, int at, int some) {
            double[] end = new double[some];
            from.read(first, target, at, some);
            to.read(first, end, 0, some);
            for (int i = 0; i < some; i++) {
                target[at + i] = (1 - share) * target[at + i] + share * end[i];
            }
        }
    }
}
