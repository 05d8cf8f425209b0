package org.isoloss.action;

import java.util.function.Function;
import org.hipparchus.ode.sampling.ODEStateInterpolator;
import org.hipparchus.ode.sampling.ODEStepHandler;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * Follows the rank of a Jacobian J along an integrated path and stops it where the rank changes.
 *
 * <p>A path can cross a point of lower rank between two points of full rank, so ranks at the steps are not enough. With
 * {@code J(a) = U S V^T} of rank r, {@code U^T J(t) V = S (I + S^-1 U^T [J(t) - J(a)] V)} is invertible while the last term
 * has norm below 1, and then the rank of J(t) is at least r. An interval is passed when that term is at most 1/2 at its other
 * end, and else is halved: the step of the integrator resolves the path, so the term is not twice as large in between. Around
 * a point of lower rank S shrinks faster than the intervals, until the rank is seen to fall. A higher rank stays on leaving
 * a point of lower rank, so it is seen at the steps.
 */
final class RankWatch implements ODEStepHandler {
    /** Singular values at most this times the largest, at the start or here, count as zero. */
    static final double TOLERANCE = 1e-8;

    private static final double LARGEST_CHANGE = 0.5;

    /** Intervals are halved down to this part of the time asked for: there, the Jacobian jumps at a kink of the network. */
    private static final double SHORTEST = 1e-12;

    private final Function<double[], Matrix> jacobian;
    private final double shortest;
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
        private final Svd svd;
        private final double[] values;

        private Sample(double time, double[] point, Matrix matrix) {
            this.time = time;
            this.point = point;
            this.matrix = matrix;
            this.svd = Svd.of(matrix);
            this.values = svd.singularValues();
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
        boolean same = rankAt(to) == rank();
        boolean split = Math.abs(to.time - from.time) > shortest;
        if (same && (!split || change(from, to) <= LARGEST_CHANGE || change(to, from) <= LARGEST_CHANGE)) {
            return;
        }
        if (!split) {
            throw new Stop(to);
        }
        double middle = 0.5 * (from.time + to.time);
        Sample between = sample(middle, path.getInterpolatedState(middle).getPrimaryState());
        pass(path, from, between);
        pass(path, between, to);
    }

    /** The norm of {@code S^-1 U^T [J(t) - J(a)] V}. */
    private double change(Sample a, Sample t) {
        int rank = rank();
        Matrix difference = t.matrix.minus(a.matrix);
        Matrix inFrame = a.svd.left().transpose().times(difference).times(a.svd.right());
        double sum = 0;
        for (int i = 0; i < rank; i++) {
            for (int j = 0; j < rank; j++) {
                double entry = inFrame.get(i, j) / a.values[i];
                sum += entry * entry;
            }
        }
        return Math.sqrt(sum);
    }
}
