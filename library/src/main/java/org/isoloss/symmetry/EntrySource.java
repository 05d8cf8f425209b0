package org.isoloss.symmetry;

import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Algebra;

/**
 * An entry of a weight as an affine function of one number of one parameter: factor times the number, plus a shift.
 *
 * @param place of the number among those of all parameters; -1 for a constant, -2 where the entry is made otherwise
 * @param factor of the number
 * @param shift added to it; the entry itself where it is a constant
 */
record EntrySource(int place, double factor, double shift) {
    private static final EntrySource OTHER = new EntrySource(-2, 0, 0);

    static EntrySource number(int place) {
        return new EntrySource(place, 1, 0);
    }

    boolean isConstant() {
        return place == -1;
    }

    /** Whether the entry is neither a constant nor made of one number. */
    boolean isOther() {
        return place == -2;
    }

    /** Follows entries from parameters to weights. */
    static final class Reading implements Algebra<EntrySource> {
        @Override
        public EntrySource constant(double value) {
            return new EntrySource(-1, 0, value);
        }

        @Override
        public EntrySource plus(EntrySource left, EntrySource right) {
            if (left.isConstant() || right.isConstant() || left.place == right.place) {
                return left.isOther() || right.isOther()
                        ? OTHER
                        : new EntrySource(
                                Math.max(left.place, right.place),
                                left.factor + right.factor,
                                left.shift + right.shift);
            }
            return OTHER;
        }

        @Override
        public EntrySource times(EntrySource left, EntrySource right) {
            if ((!left.isConstant() && !right.isConstant()) || left.isOther() || right.isOther()) {
                return OTHER;
            }
            EntrySource number = left.isConstant() ? right : left;
            double by = left.isConstant() ? left.shift : right.shift;
            return by == 0 ? constant(0) : new EntrySource(number.place, by * number.factor, by * number.shift);
        }

        @Override
        public EntrySource apply(Pointwise function, EntrySource argument) {
            return argument.isConstant() ? constant(function.value(argument.shift)) : OTHER;
        }

        @Override
        public double number(EntrySource element) {
            if (!element.isConstant()) {
                throw new UnsupportedOperationException("a choice that depends on parameters");
            }
            return element.shift;
        }

        @Override
        public boolean decides(EntrySource element) {
            return element.isConstant();
        }
    }
}
