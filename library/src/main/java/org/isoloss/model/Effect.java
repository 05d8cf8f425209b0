package org.isoloss.model;

import java.util.BitSet;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Effect.Kind;

/**
 * What one entry of a value is made of, at any weights and inputs: which entries of the arguments that depend on what moves,
 * and what meets them.
 *
 * @param moving the entries that it depends on; not modified
 * @param read those of them that a parameter that stays multiplies
 * @param carried those of them that a parameter that moves multiplies
 * @param kind of an entry
 * @param number where it is known; NaN elsewhere
 */
record Effect(BitSet moving, BitSet read, BitSet carried, Kind kind, double number) {
    private static final BitSet NONE = new BitSet();

    /** Each contains those before it. */
    enum Kind {
        CONSTANT,
        PARAMETER,
        FEATURE,
        MOVES
    }

    /** An entry that does not depend on what moves. */
    static Effect staying(Kind kind, double number) {
        return new Effect(NONE, NONE, NONE, kind, number);
    }

    /** An entry that does. */
    static Effect moving(int index) {
        BitSet moving = new BitSet();
        moving.set(index);
        return new Effect(moving, NONE, NONE, Kind.MOVES, Double.NaN);
    }

    boolean moves() {
        return kind == Kind.MOVES;
    }

    /** Computes effects, given which entries are made of moving parameters without any input. */
    static final class Reading extends PartlyKnown<Effect> {
        private final BitSet parameters;

        Reading(BitSet parameters) {
            this.parameters = parameters;
        }

        @Override
        public Effect constant(double value) {
            return staying(Kind.CONSTANT, value);
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

        private static Effect both(Effect left, Effect right, double number) {
            Kind kind = left.kind.compareTo(right.kind) < 0 ? right.kind : left.kind;
            return new Effect(
                    union(left.moving, right.moving),
                    union(left.read, right.read),
                    union(left.carried, right.carried),
                    kind,
                    kind == Kind.CONSTANT ? number : Double.NaN);
        }

        /** Something other than a sum of both. */
        @Override
        Effect mixed(Effect left, Effect right, double number) {
            Effect both = both(left, right, number);
            if (!both.moves()) {
                return both;
            }
            BitSet read = both.read;
            BitSet carried = both.carried;
            if (left.kind == Kind.PARAMETER || right.kind == Kind.PARAMETER) {
                read = union(read, both.moving);
            }
            boolean first = left.moving.intersects(parameters);
            if (first != right.moving.intersects(parameters)) {
                carried = union(carried, first ? right.moving : left.moving);
            }
            return new Effect(both.moving, read, carried, both.kind, both.number);
        }

        private static boolean isZero(Effect effect) {
            return effect.kind == Kind.CONSTANT && effect.number == 0;
        }

        @Override
        public Effect plus(Effect left, Effect right) {
            return isZero(right) ? left : isZero(left) ? right : both(left, right, left.number + right.number);
        }

        @Override
        public Effect times(Effect left, Effect right) {
            return isZero(left) || isZero(right) ? constant(0) : mixed(left, right, left.number * right.number);
        }

        @Override
        public Effect apply(Pointwise function, Effect argument) {
            return argument.kind == Kind.CONSTANT ? constant(function.value(argument.number)) : argument;
        }

        @Override
        double known(Effect element) {
            return element.number;
        }

        @Override
        Effect either(Effect one, Effect other) {
            return both(one, other, Double.NaN);
        }

        @Override
        public boolean decides(Effect element) {
            return element.kind == Kind.CONSTANT;
        }
    }
}
