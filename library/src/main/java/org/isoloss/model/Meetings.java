package org.isoloss.model;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.isoloss.autodiff.Pointwise;

/**
 * Computes what of one operation comes from where, and which entries that stay meet what moves otherwise than in a sum: for
 * each result its own, or for all of them together, which takes less room.
 */
final class Meetings extends PartlyKnown<Meetings.Entry> {
    /** Each contains those before it. */
    enum Kind {
        CONSTANT,
        STAYS,
        MOVES,
        /** Moves, with a summand that stays and is no constant. */
        SUM
    }

    /**
     * An entry.
     *
     * @param id of an entry of an argument that stays; -1 elsewhere
     * @param number where it is known
     * @param from what it is made of, where each result has its own
     */
    record Entry(Kind kind, int id, double number, List<Entry> from) {
        static final Entry MOVING = new Entry(Kind.MOVES, -1, Double.NaN, List.of());
        static final Entry STAYING = new Entry(Kind.STAYS, -1, Double.NaN, List.of());
        private static final Entry SUM = new Entry(Kind.SUM, -1, Double.NaN, List.of());

        static Entry staying(int id, double number) {
            return new Entry(Kind.STAYS, id, number, List.of());
        }

        boolean moves() {
            return kind.compareTo(Kind.MOVES) >= 0;
        }

        private boolean isZero() {
            return kind == Kind.CONSTANT && number == 0;
        }
    }

    private final boolean apart;
    private final BitSet met = new BitSet();

    /** @param apart whether each result has its own */
    Meetings(boolean apart) {
        this.apart = apart;
    }

    /** The ids of entries that stay and meet what moves on the way to results. */
    BitSet met(List<Entry> results) {
        List<Entry> open = new ArrayList<>(results);
        while (!open.isEmpty()) {
            Entry entry = open.removeLast();
            meet(entry);
            open.addAll(entry.from);
        }
        return met;
    }

    private void meet(Entry entry) {
        if (entry.id >= 0) {
            met.set(entry.id);
        }
    }

    private Entry made(Entry shared, Entry... from) {
        return apart ? new Entry(shared.kind, -1, Double.NaN, List.of(from)) : shared;
    }

    @Override
    public Entry constant(double value) {
        return new Entry(Kind.CONSTANT, -1, value, List.of());
    }

    @Override
    public Entry plus(Entry left, Entry right) {
        if (left.isZero() || right.isZero()) {
            return left.isZero() ? right : left;
        }
        if (left.kind == Kind.CONSTANT && right.kind == Kind.CONSTANT) {
            return constant(left.number + right.number);
        }
        if (left.moves() && right.moves()) {
            boolean sum = left.kind == Kind.SUM || right.kind == Kind.SUM;
            return made(sum ? Entry.SUM : Entry.MOVING, left, right);
        }
        if (left.moves() || right.moves()) {
            Entry moving = left.moves() ? left : right;
            Entry other = left.moves() ? right : left;
            return other.kind == Kind.CONSTANT ? moving : made(Entry.SUM, moving);
        }
        return made(Entry.STAYING, left, right);
    }

    @Override
    public Entry times(Entry left, Entry right) {
        if (left.isZero() || right.isZero()) {
            return constant(0);
        }
        return left.moves() || right.moves() || apart || isConstant(left, right)
                ? mixed(left, right, left.number * right.number)
                : Entry.STAYING;
    }

    private static boolean isConstant(Entry left, Entry right) {
        return left.kind == Kind.CONSTANT && right.kind == Kind.CONSTANT;
    }

    /** Something other than a sum of both. */
    @Override
    Entry mixed(Entry left, Entry right, double number) {
        if (isConstant(left, right)) {
            return constant(number);
        }
        if (!apart) {
            meet(left);
            meet(right);
        }
        return made(left.moves() || right.moves() ? Entry.MOVING : Entry.STAYING, left, right);
    }

    @Override
    public Entry apply(Pointwise function, Entry argument) {
        return switch (argument.kind) {
            case CONSTANT -> constant(function.value(argument.number));
            case STAYS -> made(Entry.STAYING, argument);
            case MOVES, SUM -> made(Entry.MOVING, argument);
        };
    }

    @Override
    double known(Entry element) {
        return element.number;
    }

    /** What is chosen by a number meets the number. */
    @Override
    public double number(Entry element) {
        double number = super.number(element);
        meet(element);
        return number;
    }

    @Override
    public boolean decides(Entry element) {
        return element.kind == Kind.CONSTANT;
    }
}
