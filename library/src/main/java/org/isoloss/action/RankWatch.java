package org.isoloss.action;

import java.util.function.Function;
import org.hipparchus.ode.sampling.ODEStateInterpolator;
import org.hipparchus.ode.sampling.ODEStepHandler;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * Follows the rank of a Jacobian J along an integrated path and stops it where the rank changes.
 *
 * <p>A path can cross a point of lower rank between two points of full rank, and J can be the same on both sides of it, as
 * {@code z^2} is. With {@code J(a) = U S V^T} of rank r, {@code U^T J(t) V = S (I + E(t))} with {@code E = S^-1 U^T [J(t) -
 * J(a)] V} is invertible while E has norm below 1, and then the rank of J(t) is at least r. So E is looked at inside an
 * interval, too: it passes when E is at most 1/2 at its other end and at three places between, and the cubic through the ends
 * and two of these places meets the third to within 1/4; else it is halved. That finds every drop, of even and odd order,
 * around which E varies slowly enough to be seen at such places: a drop of which all traces lie between two of them is passed
 * over. Around a point of lower rank S shrinks faster than the intervals, until the rank is seen to fall. A higher rank stays
 * on leaving a point of lower rank, so it is seen at the steps.
 */
final class RankWatch implements ODEStepHandler {
    /** Singular values at most this times the largest, at the start or here, count as zero. */
    static final double TOLERANCE = 1e-8;

    private static final double LARGEST_CHANGE = 0.5;

    private static final double LARGEST_SURPRISE = 0.25;

    /** No interval passes whole that is longer than this part of the time asked for, however long the steps are. */
    private static final double LONGEST = 1.0 / 16;

    /** Where an interval is looked into: parts of it without symmetry, so that no oscillation hides at all of them. */
    private static final double[] INSIDE = {0.17, 0.43, 0.78};

    /** Weights of the ends and the other places in the cubic's value at the second place. */
    private static final double[] CUBIC = cubic(INSIDE[1], 0, INSIDE[0], INSIDE[2], 1);

    /** Intervals are halved down to this part of the time asked for: there, the Jacobian jumps at a kink of the network. */
    private static final double SHORTEST = 1e-12;

    private final Function<double[], Matrix> jacobian;
    private final double shortest;
    private final double longest;
    private final Sample start;
    private Sample last;

    /** Ends the integration; never leaves this package. */
    static final class Stop extends ArithmeticException {
        private static final long serialVersionUID = 1;
        private final transient Sample at;

        private Stop(Sample at) {
            super("the rank changed");
            this.at = at;
        }

        Sample at() {
            return at;
        }
    }

    /** The Jacobian at one point of the path. */
    static final class Sample {
        private final double time;
        private final double[] point;
        private final Matrix matrix;
        private final double[] values;
        private final Matrix left;
        private final Matrix right;

        private Sample(double time, double[] point, Matrix matrix) {
            this.time = time;
            this.point = point;
            this.matrix = matrix;
            Svd svd = Svd.of(matrix);
            this.values = svd.singularValues();
            this.left = svd.left();
            this.right = svd.right();
        }

        double time() {
            return time;
        }

        double[] point() {
            return point;
        }

        double[] values() {
            return values;
        }

        private double largest() {
            return values.length == 0 ? 0 : values[0];
        }

        /** The number of singular values above the tolerance, relative to the larger of the two scales. */
        private int rank(double scale) {
            double limit = TOLERANCE * Math.max(scale, largest());
            int rank = 0;
            while (rank < values.length && values[rank] > limit) {
                rank++;
            }
            return rank;
        }
    }

    RankWatch(Function<double[], Matrix> jacobian, double[] point, double time) {
        this.jacobian = jacobian;
        this.shortest = SHORTEST * Math.abs(time);
        this.longest = LONGEST * Math.abs(time);
        this.start = new Sample(0, point, jacobian.apply(point));
        this.last = start;
    }

    /** The rank at the start. */
    int rank() {
        return start.rank(0);
    }

    int rankAt(Sample sample) {
        return sample.rank(start.largest());
    }

    /** The last point that the path is known to have reached with its rank unchanged. */
    Sample last() {
        return last;
    }

    @Override
    public void handleStep(ODEStateInterpolator path) {
        Sample next =
                sample(path.getCurrentState().getTime(), path.getCurrentState().getPrimaryState());
        pass(path, last, next);
        last = next;
    }

    private Sample sample(double time, double[] point) {
        return new Sample(time, point, jacobian.apply(point));
    }

    private void pass(ODEStateInterpolator path, Sample from, Sample to) {
        double length = Math.abs(to.time - from.time);
        boolean same = rankAt(to) == rank();
        if (length <= shortest) {
            if (!same) {
                throw new Stop(to);
            }
            return; // a jump of J at a kink, beyond which the rank is the same
        }
        if (same && length <= longest && isSteady(path, from, to)) {
            return;
        }
        double middle = 0.5 * (from.time + to.time);
        Sample between = sample(middle, path.getInterpolatedState(middle).getPrimaryState());
        pass(path, from, between);
        pass(path, between, to);
    }

    /** Whether E, in the frame of one of the ends, is small and smooth in the whole interval. */
    private boolean isSteady(ODEStateInterpolator path, Sample from, Sample to) {
        if (rank() == 0) {
            return true;
        }
        Matrix[] jacobians = new Matrix[INSIDE.length + 2];
        jacobians[0] = from.matrix;
        jacobians[INSIDE.length + 1] = to.matrix;
        for (int i = 0; i < INSIDE.length; i++) {
            double time = from.time + INSIDE[i] * (to.time - from.time);
            jacobians[i + 1] = jacobian.apply(path.getInterpolatedState(time).getPrimaryState());
        }
        return isSteady(from, jacobians) || isSteady(to, jacobians);
    }

    private boolean isSteady(Sample frame, Matrix[] jacobians) {
        Matrix[] changes = new Matrix[jacobians.length];
        for (int i = 0; i < jacobians.length; i++) {
            changes[i] = change(frame, jacobians[i]);
            if (!(changes[i].frobeniusNorm() <= LARGEST_CHANGE)) {
                return false;
            }
        }
        Matrix surprise = changes[2]
                .minus(changes[0].scaled(CUBIC[0]))
                .minus(changes[1].scaled(CUBIC[1]))
                .minus(changes[3].scaled(CUBIC[2]))
                .minus(changes[4].scaled(CUBIC[3]));
        return surprise.frobeniusNorm() <= LARGEST_SURPRISE;
    }

    /** {@code E = S^-1 U^T [J(t) - J(a)] V}, shape (r, r). */
    @SuppressWarnings("ReferenceEquality") // the frame's own Jacobian, not one like it
    private Matrix change(Sample a, Matrix there) {
        int rank = rank();
        Matrix change = Matrix.zeros(rank, rank);
        if (there == a.matrix) {
            return change;
        }
        Matrix inFrame = Blas.gemm(Blas.gemm(a.left, true, there.minus(a.matrix), false), false, a.right, false);
        for (int i = 0; i < rank; i++) {
            for (int j = 0; j < rank; j++) {
                change.set(i, j, inFrame.get(i, j) / a.values[i]);
            }
        }
        return change;
    }

    /** The weights with which the cubic through values at four nodes has its value at x (Lagrange). */
    private static double[] cubic(double x, double... nodes) {
        double[] weights = new double[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            weights[i] = 1;
            for (int j = 0; j < nodes.length; j++) {
                weights[i] *= i == j ? 1 : (x - nodes[j]) / (nodes[i] - nodes[j]);
            }
        }
        return weights;
    }
}
