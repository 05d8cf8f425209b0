package org.isoloss.symmetry;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.DoubleConsumer;
import org.isoloss.basis.BasisElement;
import org.isoloss.basis.BasisGroup;
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
public final class GraphAlignment implements Aligned {
    /** Rounds after the first change little. */
    private static final int ROUNDS = 3;
    /** Weights as near as this come no nearer by another round: two units of rounding to F16. */
    private static final double NEAR = 0x1p-10;

    private final GraphSymmetries symmetries;
    private final Model other;
    private final BasisElement element;
    private final SequencedMap<String, Numbers> moved;
    private final double before;
    private final double after;

    private GraphAlignment(GraphSymmetries symmetries, Model other, BasisElement element) {
        this.symmetries = symmetries;
        this.other = other;
        this.element = element;
        this.moved = symmetries.tensors(element);
        this.before = WeightDistance.relative(symmetries.model(), other);
        this.after = WeightDistance.relative(symmetries.model().reading(moved), other);
    }

    /**
     * Aligns a network to another.
     *
     * @param symmetries of the network that is moved
     * @param other the other network, with parameters of the same names and shapes
     * @param watcher is told now and then what share of the work is done, 0 to 1
     * @return the alignment
     * @throws IllegalArgumentException when the networks have other parameters, with the first that differs
     */
    public static GraphAlignment of(GraphSymmetries symmetries, Model other, DoubleConsumer watcher) {
        AlikeModels.require(symmetries.model(), other);
        var goal = new BasisGroup(other);
        var once = new GraphAlignment(
                symmetries, other, symmetries.group().aligned(goal, 1, share -> watcher.accept(share / 2)));
        if (once.after <= NEAR) {
            return once;
        }
        var more = new GraphAlignment(
                symmetries, other, symmetries.group().aligned(goal, ROUNDS, share -> watcher.accept((1 + share) / 2)));
        return more.after < once.after ? more : once;
    }

    @Override
    public double before() {
        return before;
    }

    @Override
    public double after() {
        return after;
    }

    @Override
    public double change() {
        return symmetries.change(element);
    }

    @Override
    public SequencedMap<String, Matrix> arrays() {
        return element.arrays();
    }

    @Override
    public SequencedMap<String, Numbers> tensors() {
        return new LinkedHashMap<>(moved);
    }

    @Override
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
