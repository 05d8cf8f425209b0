package org.isoloss.model;

import java.util.BitSet;
import org.isoloss.autodiff.Pointwise;

/**
 * What each number depends on, as a set of indices: what is not in the set does not matter at any weights, not only at some.
 */
final class DependenceAlgebra extends PartlyKnown<DependenceAlgebra.Dependence> {
    /** The algebra. */
    static final DependenceAlgebra INSTANCE = new DependenceAlgebra();

    private DependenceAlgebra() {}

    /**
     * A number and what it depends on.
     *
     * @param on indices; not modified
     * @param number the number, of use where it depends on nothing
     */
    public record Dependence(BitSet on, double number) {}

    /**
     * Returns a number that depends on an index.
     *
     * @param index at least 0
     * @return the element
     */
    public static Dependence on(int index) {
        BitSet on = new BitSet();
        on.set(index);
        return new Dependence(on, Double.NaN);
    }

    @Override
    public Dependence constant(double value) {
        return new Dependence(new BitSet(), value);
    }

    private static Dependence both(Dependence left, Dependence right, double number) {
        if (right.on.isEmpty() || left.on.equals(right.on)) {
            return new Dependence(left.on, number);
        }
        BitSet union = (BitSet) left.on.clone();
        union.or(right.on);
        return new Dependence(union, number);
    }

    @Override
    public Dependence plus(Dependence left, Dependence right) {
        return both(left, right, left.number + right.number);
    }

    /** A constant factor of 0 leaves nothing to depend on. */
    @Override
    public Dependence times(Dependence left, Dependence right) {
        boolean zero = (left.on.isEmpty() && left.number == 0) || (right.on.isEmpty() && right.number == 0);
        return zero ? constant(0) : both(left, right, left.number * right.number);
    }

    @Override
    public Dependence apply(Pointwise function, Dependence argument) {
        return new Dependence(argument.on, argument.on.isEmpty() ? function.value(argument.number) : Double.NaN);
    }

    @Override
    double known(Dependence element) {
        return element.on.isEmpty() ? element.number : Double.NaN;
    }

    @Override
    Dependence mixed(Dependence left, Dependence right, double number) {
        return both(left, right, number);
    }

    @Override
    public boolean decides(Dependence element) {
        return element.on.isEmpty();
    }
}
