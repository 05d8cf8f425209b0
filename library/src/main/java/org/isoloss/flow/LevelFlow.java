package org.isoloss.flow;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.flow.FlowState.RankChange;
import org.isoloss.model.DifferentiableTarget;
import org.jspecify.annotations.Nullable;

/**
 * The flow of a projected field: the steepest way down of an objective among the points at which a function keeps its values.
 *
 * <pre>
 *   d theta / dt = -[I - J^+ J] grad f(theta)     J = D F_X(theta)
 * </pre>
 *
 * <p>Steps are those of Bogacki and Shampine, of order 3 with an error estimate of order 2, as long as it allows; after each one
 * Newton's method brings the values back, to rounding. A step is shorter, too, where J changes by more than half in units of
 * its own singular values ({@code S^-1 U^T [J(t) - J(a)] V}), so that a singular value cannot come to zero and back unseen; at a
 * kink of a piecewise linear network, where J jumps however short the step is, it passes. Where the rank changes, the place is
 * noted and the flow goes on if the values can be kept beyond.
 *
 * @see "Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 2nd ed., section II.4"
 */
public final class LevelFlow {
    /** The error of a step, relative to the norm of what moves at the start. */
    private static final double TOLERANCE = 1e-5;

    /** A place where the rank changes is found to this part of that norm. */
    private static final double PLACE = 1e-6;

    /**
     * Steps of this part of it follow a flow to first order where kinks hold it between them, so that no order helps.
     */
    private static final double COARSE = 1e-3;

    private static final double FIRST = 0.05;
    private static final double SHORTEST = 1e-10;

    /** What is left of a gradient, relative to it, when nothing is. */
    private static final double NOTHING = 1e-7;

    /** The part of the first speed at which a flow is at its end. */
    private static final double LITTLE = 1e-3;

    /** A jump of J does not shrink as a smooth change does when the step is halved. */
    private static final double JUMP = 0.75;

    /** A smooth change grows in proportion to the time, so that neither next to none nor nearly all of it is there at half. */
    private static final double EARLY = 0.15;

    private static final double LATE = 0.85;

    private static final double LARGEST_CHANGE = 0.5;
    private static final int MOST_STEPS = 20_000;

    private final KeptValues kept;
    private final Objective objective;
    private final SeenPart seen;
    private final double[] origin;
    private final double norm;
    private final double seenNorm;
    private final int rank;
    private double firstSpeed; // 0 while it is found
    private @Nullable Place last;

    /** A point with the Jacobian and the direction there. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Place(double[] point, RowSpace rows, Optional<double[]> direction) {}

    /**
     * Prepares a flow.
     *
     * @param target what is to be kept
     * @param objective what is to fall
     * @param seen what counts of a motion
     * @param origin where it begins, length p; not modified
     */
    public LevelFlow(DifferentiableTarget target, Objective objective, SeenPart seen, double[] origin) {
        this.kept = new KeptValues(target, origin);
        this.objective = objective;
        this.seen = seen;
        this.origin = origin.clone();
        this.norm = Vectors.norm(origin);
        this.seenNorm = Vectors.norm(seen.of(origin));
        if (!(norm > 0 && seenNorm > 0)) {
            throw new IllegalArgumentException(
                    "LevelFlow: what moves has norm %s and what is seen of it %s, but a distance is counted in these; let weights move that are not all 0"
                            .formatted(norm, seenNorm));
        }
        this.rank = kept.begin().rank();
        this.firstSpeed =
                direction(this.origin, kept.begin()).map(Vectors::norm).orElse(0.0);
        this.last = new Place(this.origin, kept.begin(), direction(this.origin, kept.begin()));
    }

    /** {@return the norm of the seen part of where the flow begins} */
    public double seenNorm() {
        return seenNorm;
    }

    /**
     * Measures the seen part of a motion from the beginning.
     *
     * @param point length p; not modified
     * @return its norm, relative to {@link #seenNorm}
     */
    public double distance(double[] point) {
        return Vectors.norm(seen.of(Vectors.difference(point, origin))) / seenNorm;
    }

    /**
     * Measures the rest of a motion from the beginning.
     *
     * @param point length p; not modified
     * @return the norm of what is not seen of it, relative to that of all that moves
     */
    public double blind(double[] point) {
        double[] motion = Vectors.difference(point, origin);
        return Vectors.norm(Vectors.difference(motion, seen.of(motion))) / norm;
    }

    /** {@return the rank of the Jacobian where the flow begins} */
    public int rank() {
        return rank;
    }

    /** {@return the beginning} */
    public FlowState start() {
        return new FlowState(origin, 0, 0, 0, List.of());
    }

    private Place place(double[] point) {
        RowSpace rows = kept.at(point);
        return new Place(point, rows, direction(point, rows));
    }

    private Optional<double[]> direction(double[] point, RowSpace rows) {
        double[] gradient = objective.gradient(point);
        double[] down = rows.kept(gradient);
        boolean leads = Vectors.norm(down) > Math.max(NOTHING * Vectors.norm(gradient), LITTLE * firstSpeed);
        return leads ? Optional.of(Vectors.moved(new double[down.length], -1, down)) : Optional.empty();
    }

    /**
     * One step.
     *
     * @param state after it
     * @param end why nothing follows; null where something does
     * @param piece the way of the step; null where there was none
     */
    public record Advance(
            FlowState state,
            @Nullable FlowEnd end,
            @Nullable Piece piece) {}

    /**
     * Takes one step.
     *
     * @param state where the flow is
     * @param farthest no step leads much farther than this distance; infinite for as far as it goes
     * @return the state after it
     */
    public Advance advance(FlowState state, double farthest) {
        if (state.steps() >= MOST_STEPS) {
            return new Advance(state, FlowEnd.STEP_LIMIT, null);
        }
        Place from = last != null && Arrays.equals(last.point, state.point()) ? last : place(state.point());
        if (from.direction.isEmpty() || objective.isReached(state.point())) {
            return new Advance(state, FlowEnd.STATIONARY, null);
        }
        double[] first = from.direction.get();
        double speed = Vectors.norm(first);
        double sight = Vectors.norm(seen.of(first));
        if (Double.isFinite(farthest) && sight < NOTHING * speed) {
            return new Advance(state, FlowEnd.BLIND, null);
        }
        double longest = Double.isFinite(farthest)
                ? 1.1 * seenNorm * Math.max(farthest - distance(from.point), 0.01 * farthest) / sight
                : norm / speed;
        double tried = state.step() > 0 ? state.step() : FIRST * norm / speed;
        return new Steps(state, from, first, speed).taken(Math.min(tried, longest));
    }

    /** Tries shorter and shorter steps from one place. */
    private final class Steps {
        private final FlowState state;
        private final Place from;
        private final double[] first;
        /** The shortest step. */
        private final double shortest;
        /** The step at which a place of another rank is found. */
        private final double place;
        /** The step that is taken at a kink. */
        private final double coarse;

        private final double speed;
        private boolean jump;
        private double shrinking = 0.5;
        private double earlier = Double.POSITIVE_INFINITY;

        Steps(FlowState state, Place from, double[] first, double speed) {
            this.state = state;
            this.from = from;
            this.first = first;
            this.speed = speed;
            this.shortest = SHORTEST * norm / speed;
            this.place = PLACE * norm / speed;
            this.coarse = COARSE * norm / speed;
        }

        Advance taken(double tried) {
            double value = objective.value(from.point);
            for (double step = tried; step >= shortest; step *= shrinking) {
                shrinking = 0.5;
                try {
                    Advance advance = attempt(step, value);
                    if (advance != null) {
                        return advance;
                    }
                } catch (ProductRows.Stalled stalled) {
                    if (step < coarse) {
                        return new Advance(state, FlowEnd.FAR, null);
                    }
                }
            }
            return new Advance(state, FlowEnd.STATIONARY, null);
        }

        /** Takes one step; null where a shorter one is to be tried, {@link #shrinking} times as long. */
        private @Nullable Advance attempt(double step, double value) {
            Place middle = place(Vectors.moved(from.point, step / 2, first));
            if (middle.direction.isEmpty()) {
                return null;
            }
            double[] second = middle.direction.get();
            Place later = place(Vectors.moved(from.point, 0.75 * step, second));
            if (later.direction.isEmpty()) {
                return null;
            }
            double[] third = later.direction.get();
            double[] sum = Vectors.moved(from.point, step * 2 / 9, first);
            sum = Vectors.moved(Vectors.moved(sum, step / 3, second), step * 4 / 9, third);
            Optional<double[]> back = kept.corrected(sum, later.rows);
            if (back.isEmpty() || !(objective.value(back.get()) < value)) {
                return null;
            }
            Place to = place(back.get());
            int there = IntStream.of(middle.rows.rank(), later.rows.rank(), to.rows.rank())
                    .filter(rank -> rank != from.rows.rank())
                    .findFirst()
                    .orElse(from.rows.rank());
            if (there != from.rows.rank()) {
                return step > place ? null : changed(step, to, there);
            }
            if (!isSteady(step, middle, later, to)) {
                return null;
            }
            double[] last = to.direction.orElse(third);
            double[] error = Vectors.moved(new double[sum.length], -5.0 / 72, first);
            error = Vectors.moved(Vectors.moved(error, 1.0 / 12, second), 1.0 / 9, third);
            double size = step * Vectors.norm(Vectors.moved(error, -1.0 / 8, last)) / (TOLERANCE * norm);
            if (size > 1 && step > coarse) {
                shrinking = Math.clamp(0.9 / Math.cbrt(size), 0.05, 0.5);
                return null;
            }
            double growth = Math.clamp(0.9 / Math.cbrt(Math.max(size, 1e-9)), 0.3, 3);
            return accepted(step, to, last, size > 1 || jump ? coarse : step * growth);
        }

        /** Whether the Jacobian changes little, or jumps. */
        private boolean isSteady(double step, Place middle, Place later, Place to) {
            double half = from.rows.change(middle.rows);
            double whole = from.rows.change(to.rows);
            double change = Math.max(Math.max(half, whole), from.rows.change(later.rows));
            if (change <= LARGEST_CHANGE) {
                jump = false;
                return true;
            }
            jump = change > JUMP * earlier || half < EARLY * whole || half > LATE * whole;
            earlier = change;
            return jump && step <= coarse;
        }

        private Advance accepted(double step, Place to, double[] direction, double next) {
            last = to;
            var after = new FlowState(
                    to.point, next, state.length() + step * speed, state.steps() + 1, state.rankChanges());
            return new Advance(after, null, new Piece(from.point, first, to, direction, step));
        }

        /** Notes the place and goes on beyond it, if the values can be kept there. */
        private Advance changed(double step, Place to, int there) {
            List<RankChange> changes = new ArrayList<>(state.rankChanges());
            changes.add(new RankChange(distance(to.point), from.rows.rank(), there));
            var noted = new FlowState(state.point(), step, state.length(), state.steps() + 1, changes);
            if (to.rows.rank() >= from.rows.rank()) {
                var after = new FlowState(to.point, step, state.length() + step * speed, state.steps() + 1, changes);
                return new Advance(after, null, new Piece(from.point, first, to, first, step));
            }
            double value = objective.value(from.point);
            for (double leap = 4 * place; leap < 1e4 * place; leap *= 4) {
                double[] beyond = Vectors.moved(from.point, leap, first);
                Optional<double[]> back = kept.corrected(beyond, kept.at(beyond));
                if (back.isPresent() && objective.value(back.get()) < value) {
                    Place across = place(back.get());
                    if (across.rows.rank() >= from.rows.rank()) {
                        var after = new FlowState(
                                across.point, leap, state.length() + leap * speed, state.steps() + 1, changes);
                        return new Advance(after, null, new Piece(from.point, first, across, first, leap));
                    }
                }
            }
            return new Advance(noted, FlowEnd.RANK_CHANGED, null);
        }
    }

    /** The way of a step, between its ends a cubic that is brought back to where the values are kept. */
    public final class Piece {
        private final double[] from;
        private final double[] first;
        private final Place to;
        private final double[] last;
        private final double step;

        private Piece(double[] from, double[] first, Place to, double[] last, double step) {
            this.from = from;
            this.first = first;
            this.to = to;
            this.last = last;
            this.step = step;
        }

        /**
         * Finds where the way is at a distance.
         *
         * @param distance between those of its ends
         * @return the point, length p
         */
        public double[] at(double distance) {
            double before = 0;
            double after = 1;
            for (int i = 0; i < 60; i++) {
                double middle = 0.5 * (before + after);
                if (distance(cubic(middle)) < distance) {
                    before = middle;
                } else {
                    after = middle;
                }
            }
            return kept.corrected(cubic(after), to.rows).orElse(to.point);
        }

        private double[] cubic(double t) {
            double[] point = new double[from.length];
            double end = t * t * (3 - 2 * t);
            for (int i = 0; i < point.length; i++) {
                point[i] = (1 - end) * from[i]
                        + end * to.point[i]
                        + step * t * (1 - t) * ((1 - t) * first[i] - t * last[i]);
            }
            return point;
        }
    }
}
