package org.isoloss.symmetry;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;
import org.isoloss.model.Moving;
import org.jspecify.annotations.Nullable;

/**
 * Elements of families of which no closed form is known, such as those of weights that are used there and back: short steps along
 * a direction in which the outputs stay, each followed by Newton steps of least norm back to the outputs, far from the identity.
 *
 * @see "Allgower and Georg, Introduction to Numerical Continuation Methods, chapter 10"
 */
final class FollowedElements {
    private static final int STEPS = 8;
    private static final int MOST_STEPS = 40;
    private static final int CHORDS = 3;
    private static final int CORRECTIONS = 8;
    private static final int DRAWS = 4;
    /** A direction of which so little leaves the outputs as they are leads nowhere. */
    private static final double STILL = 1e-6;
    /** A correction below this share of the parameters is rounding. */
    private static final double ROUNDING = 1e-14;
    /** A step is halved where the last correction is more than this share of it. */
    private static final double NEAR = 1e-3;
    /** A path that turns back on itself is not followed: so much of its length it leads away at least. */
    private static final double AWAY = 0.25;

    private static final int LEAST_SAMPLES = 8;
    private static final int LEAST_NUMBERS = 512;
    private static final int OVERSAMPLED = 3;
    /** Rows shorter than this share of the longest are not made as long as the others, with what rounding left in them. */
    private static final double FAINT = 1e-4;

    private final Moving moving;
    private final SampleDerivatives derivatives;
    private final double[] outputs;

    /**
     * Prepares paths.
     *
     * @param moving all parameters
     * @param samples inputs on which outputs are kept
     */
    FollowedElements(Moving moving, List<Map<String, double[]>> samples) {
        this.moving = moving;
        int numbers = moving.model().outputs().values().stream()
                .mapToInt(output -> output.shape().count())
                .sum();
        int needed = Math.max(LEAST_SAMPLES, 1 + Math.max(LEAST_NUMBERS, OVERSAMPLED * moving.count()) / numbers);
        this.derivatives = new SampleDerivatives(
                moving,
                List.copyOf(moving.model().outputs().values()),
                samples.subList(0, Math.min(needed, samples.size())));
        this.outputs = derivatives.values(moving.origin());
    }

    /** Goes straight on along a direction, as far as so many typical parameters are long. */
    double[] straight(double[] direction) {
        double[] at = moving.origin();
        double step = FiniteElements.reach(at, Matrix.over(direction.length, 1, direction)) / norm(direction);
        Arrays.setAll(at, i -> at[i] + step * direction[i]);
        return at;
    }

    /**
     * Follows a direction, as far as so many typical parameters are long.
     *
     * @param places the parameters that may move, by their places among all
     * @param direction in which the outputs stay to first order, for all parameters
     * @return the parameters at the end; those of the model where the path cannot be followed so far
     */
    double[] drawn(int[] places, double[] direction) {
        double[] origin = moving.origin();
        double length = FiniteElements.reach(origin, Matrix.over(direction.length, 1, direction));
        double[] ahead =
                Arrays.stream(places).mapToDouble(place -> direction[place]).toArray();
        double[] at = origin.clone();
        double left = length;
        double step = length / STEPS;
        for (int tried = 0; left > 0 && tried < MOST_STEPS; tried++) {
            Slopes slopes = slopes(places, at);
            if (slopes == null) {
                return origin;
            }
            double[] still = slopes.still(ahead);
            double norm = norm(still);
            if (norm <= STILL * norm(ahead)) {
                return origin;
            }
            double[] next = at.clone();
            for (int i = 0; i < places.length; i++) {
                next[places[i]] += step * still[i] / norm;
            }
            double last = Double.POSITIVE_INFINITY;
            for (int i = 0; i < CHORDS; i++) {
                last = corrected(slopes, places, next);
            }
            if (last < NEAR * step) {
                at = next;
                left -= step;
                ahead = still;
            } else {
                step /= 2;
            }
        }
        double before = Double.POSITIVE_INFINITY;
        for (int i = 0; i < CORRECTIONS; i++) {
            Slopes slopes = slopes(places, at);
            double back = slopes == null ? 0 : corrected(slopes, places, at);
            if (!(back < before / 2) || back < ROUNDING * norm(at)) {
                break;
            }
            before = back;
        }
        double moved = 0;
        for (int place : places) {
            moved = Math.hypot(moved, at[place] - origin[place]);
        }
        return moved >= AWAY * length ? at : origin;
    }

    /** Moves parameters by one step to where the outputs are what they were, and tells how far. */
    private double corrected(Slopes slopes, int[] places, double[] at) {
        double[] off = derivatives.values(at);
        Arrays.setAll(off, i -> off[i] - outputs[i]);
        double[] back = slopes.cause(off);
        for (int i = 0; i < places.length; i++) {
            at[places[i]] -= back[i];
        }
        return norm(back);
    }

    /**
     * Tells whether some parameters have so many directions that change no output wherever they are, not only here.
     *
     * @param places the parameters that are drawn, the others stay
     * @param dimension how many directions
     * @param random of the draws
     */
    boolean areAnywhere(int[] places, int dimension, SplittableRandom random) {
        double[] origin = moving.origin();
        double size = 0;
        for (int place : places) {
            size = Math.hypot(size, origin[place] / Math.sqrt(places.length));
        }
        for (int draw = 0; draw < DRAWS; draw++) {
            double[] at = origin.clone();
            for (int place : places) {
                at[place] += size * random.nextGaussian();
            }
            Slopes slopes = slopes(places, at);
            if (slopes == null || places.length - slopes.rank() < dimension) {
                return false;
            }
        }
        return true;
    }

    private static double norm(double[] vector) {
        return Matrix.over(1, vector.length, vector).frobeniusNorm();
    }

    /** The derivative in some parameters; null where it is not finite. */
    private @Nullable Slopes slopes(int[] places, double[] at) {
        Matrix some = derivatives.jacobian(at, places);
        double[] scales = new double[some.rows()];
        Arrays.setAll(scales, row -> norm(some.row(row)));
        double longest = Arrays.stream(scales).max().orElse(0);
        if (!Double.isFinite(Arrays.stream(scales).sum())) {
            return null;
        }
        for (int row = 0; row < scales.length; row++) {
            scales[row] = longest == 0 ? 1 : 1 / Math.max(scales[row], FAINT * longest);
            for (int i = 0; i < places.length; i++) {
                some.set(row, i, some.get(row, i) * scales[row]);
            }
        }
        return new Slopes(Svd.of(some), scales);
    }

    /** A derivative whose rows are of length 1, decomposed, and what its rows were multiplied by. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Slopes(Svd svd, double[] scales) {
        private int rank() {
            double[] singular = svd.singularValues();
            return singular.length == 0 || singular[0] == 0 ? 0 : svd.rank(SymmetrySpace.NULL);
        }

        /** What of a direction changes no output. */
        double[] still(double[] direction) {
            Matrix right = svd.right();
            double[] still = direction.clone();
            for (int j = 0; j < rank(); j++) {
                double share = 0;
                for (int i = 0; i < still.length; i++) {
                    share += right.get(i, j) * direction[i];
                }
                for (int i = 0; i < still.length; i++) {
                    still[i] -= share * right.get(i, j);
                }
            }
            return still;
        }

        /** The shortest move that changes the outputs by so much. */
        double[] cause(double[] change) {
            Matrix left = svd.left();
            Matrix right = svd.right();
            double[] cause = new double[right.rows()];
            for (int j = 0; j < rank(); j++) {
                double share = 0;
                for (int row = 0; row < change.length; row++) {
                    share += left.get(row, j) * scales[row] * change[row];
                }
                share /= svd.singularValues()[j];
                for (int i = 0; i < cause.length; i++) {
                    cause[i] += share * right.get(i, j);
                }
            }
            return cause;
        }
    }
}
