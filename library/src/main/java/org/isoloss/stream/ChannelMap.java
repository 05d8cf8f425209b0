package org.isoloss.stream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * An affine map of the channels of a space, step by step: v goes through the steps one after the other.
 *
 * @param steps in the order in which they act; empty for the identity
 */
public record ChannelMap(List<Step> steps) {
    static final ChannelMap IDENTITY = new ChannelMap(List.of());

    /** Copies the list. */
    public ChannelMap {
        steps = List.copyOf(steps);
    }

    /** One step. */
    public sealed interface Step {
        /** {@return the number of channels} */
        int width();
    }

    /** Each channel times a number. */
    static final class Factors implements Step {
        private final double[] factors;

        Factors(double[] factors) {
            this.factors = factors;
        }

        double[] factors() {
            return factors;
        }

        Factors inverse() {
            return new Factors(Arrays.stream(factors).map(factor -> 1 / factor).toArray());
        }

        @Override
        public int width() {
            return factors.length;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Factors same && Arrays.equals(factors, same.factors);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(factors);
        }
    }

    /** A number added to each channel. */
    static final class Shift implements Step {
        private final double[] added;

        Shift(double[] added) {
            this.added = added;
        }

        double[] added() {
            return added;
        }

        @Override
        public int width() {
            return added.length;
        }
    }

    /**
     * A rotation, or its inverse.
     *
     * @param rotation compared by identity
     * @param back whether it is the inverse
     */
    record Turn(Rotation rotation, boolean back) implements Step {
        @Override
        public int width() {
            return rotation.width();
        }

        Matrix matrix() {
            return back ? rotation.matrix().transpose() : rotation.matrix();
        }
    }

    ChannelMap then(Step step) {
        List<Step> more = new ArrayList<>(steps);
        more.add(step);
        return new ChannelMap(more);
    }

    /** The map that takes this one back. */
    ChannelMap inverse() {
        List<Step> back = new ArrayList<>();
        for (Step step : steps.reversed()) {
            back.add(
                    switch (step) {
                        case Factors factors -> factors.inverse();
                        case Shift shift ->
                            new Shift(Arrays.stream(shift.added).map(x -> -x).toArray());
                        case Turn turn -> new Turn(turn.rotation, !turn.back);
                    });
        }
        return new ChannelMap(back);
    }

    /** The map without what it adds. */
    ChannelMap linear() {
        return new ChannelMap(
                steps.stream().filter(step -> !(step instanceof Shift)).toList());
    }

    /** What happens to rows of weights that read the channels: the inverse of the linear part, transposed. */
    ChannelMap dual() {
        return new ChannelMap(linear().steps.stream()
                .map(step -> step instanceof Factors factors ? factors.inverse() : step)
                .toList());
    }

    /**
     * Maps vectors in place.
     *
     * @param rows one after the other; modified
     * @param count how many
     */
    void apply(double[] rows, int count) {
        for (Step step : steps) {
            switch (step) {
                case Factors factors -> multiply(rows, count, factors.factors);
                case Shift shift -> add(rows, count, shift.added);
                case Turn(Rotation rotation, boolean back) -> rotation.turn(rows, count, back);
            }
        }
    }

    private static void multiply(double[] rows, int count, double[] factors) {
        for (int i = 0; i < count * factors.length; i++) {
            rows[i] *= factors[i % factors.length];
        }
    }

    private static void add(double[] rows, int count, double[] added) {
        for (int i = 0; i < count * added.length; i++) {
            rows[i] += added[i % added.length];
        }
    }
}
