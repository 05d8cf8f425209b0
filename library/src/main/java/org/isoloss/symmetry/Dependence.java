package org.isoloss.symmetry;

import java.util.BitSet;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Algebra;
import org.isoloss.model.Comparison;

/**
 * Which channels an entry of a value depends on, and whether only by sums and by products with what depends on none.
 *
 * @param on the channels; not modified
 * @param isAffine whether the entry is an affine function of them
 * @param number where the entry is a constant; NaN elsewhere
 */
record Dependence(BitSet on, boolean isAffine, double number) {
    private static final BitSet NONE = new BitSet();
    private static final double[] PLACES = {-7.3, -2.1, -0.4, 0.7, 3.9, 11.2};

    /** An entry that depends on the inputs of the model alone. */
    static Dependence feature() {
        return new Dependence(NONE, true, Double.NaN);
    }

    /** A channel itself. */
    static Dependence channel(int index) {
        BitSet on = new BitSet();
        on.set(index);
        return new Dependence(on, true, Double.NaN);
    }

    boolean isNone() {
        return on.isEmpty();
    }

    private boolean isZero() {
        return number == 0;
    }

    /** Computes dependences. */
    static final class Reading implements Algebra<Dependence> {
        @Override
        public Dependence constant(double value) {
            return new Dependence(NONE, true, value);
        }

        private static BitSet union(BitSet left, BitSet right) {
            if (right.isEmpty() || left.equals(right)) {
                return left;
            }
            if (left.isEmpty()) {
                return right;
            }
            BitSet union = (BitSet) left.clone();
            union.or(right);
            return union;
        }

        private static Dependence both(Dependence left, Dependence right, boolean isAffine, double number) {
            return new Dependence(union(left.on, right.on), isAffine, number);
        }

        @Override
        public Dependence plus(Dependence left, Dependence right) {
            return right.isZero()
                    ? left
                    : left.isZero()
                            ? right
                            : both(left, right, left.isAffine && right.isAffine, left.number + right.number);
        }

        @Override
        public Dependence times(Dependence left, Dependence right) {
            if (left.isZero() || right.isZero()) {
                return constant(0);
            }
            boolean isAffine = left.isNone() ? right.isAffine : right.isNone() && left.isAffine;
            return both(left, right, isAffine, left.number * right.number);
        }

        @Override
        public Dependence apply(Pointwise function, Dependence argument) {
            return Double.isNaN(argument.number)
                    ? new Dependence(
                            argument.on, argument.isNone() || (argument.isAffine && isAffine(function)), Double.NaN)
                    : constant(function.value(argument.number));
        }

        /** As it is at some places on both sides of 0. */
        private static boolean isAffine(Pointwise function) {
            double shift = function.value(0);
            double slope = function.value(1) - shift;
            for (double place : PLACES) {
                double line = shift + slope * place;
                if (!(Math.abs(function.value(place) - line) <= 1e-12 * (1 + Math.abs(line)))) {
                    return false;
                }
            }
            return true;
        }

        private static Dependence mixed(Dependence left, Dependence right, double number) {
            return both(left, right, left.isNone() && right.isNone(), number);
        }

        @Override
        public double number(Dependence element) {
            if (!decides(element)) {
                throw new UnsupportedOperationException("a choice that is not known");
            }
            return element.number;
        }

        @Override
        public boolean decides(Dependence element) {
            return !Double.isNaN(element.number);
        }

        @Override
        public Dependence larger(Dependence left, Dependence right) {
            return mixed(left, right, Math.max(left.number, right.number));
        }

        @Override
        public Dependence chosen(Dependence mask, Dependence chosen, Dependence other) {
            if (decides(mask)) {
                return mask.number != 0 ? chosen : other;
            }
            return mask.isNone()
                    ? both(chosen, other, chosen.isAffine && other.isAffine, Double.NaN)
                    : mixed(mask, mixed(chosen, other, Double.NaN), Double.NaN);
        }

        @Override
        public Dependence compared(Comparison.Kind kind, Dependence left, Dependence right) {
            return decides(left) && decides(right)
                    ? constant(kind.holds(left.number, right.number) ? 1 : 0)
                    : mixed(left, right, Double.NaN);
        }
    }
}
