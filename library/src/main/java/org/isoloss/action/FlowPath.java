package org.isoloss.action;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Where following a flow from one point ended, and why. */
public final class FlowPath {
    /** How a path can end. */
    public enum Outcome {
        /** At the time asked for. */
        ARRIVED,
        /** Where the Jacobian of the preserved function changes its rank, so that its null space jumps. */
        RANK_CHANGED,
        /** Where no step was small enough to go on within the tolerance. */
        STUCK
    }

    private final Outcome outcome;
    private final double time;
    private final double[] point;
    private final int rank;
    private final int rankThere;
    private final double[] singularValues;
    private final int evaluations;

    FlowPath(
            Outcome outcome,
            double time,
            double[] point,
            int rank,
            int rankThere,
            double[] singularValues,
            int evaluations) {
        this.outcome = outcome;
        this.time = time;
        this.point = point;
        this.rank = rank;
        this.rankThere = rankThere;
        this.singularValues = singularValues;
        this.evaluations = evaluations;
    }

    /** {@return why the path ended, the outcome} */
    public Outcome outcome() {
        return outcome;
    }

    /**
     * {@return the parameter t at which the path ended: the time asked for, or where the rank changed; finite, with the sign of
     * the time asked for}
     */
    public double time() {
        return time;
    }

    /** {@return the last point of the path: length p; a copy} */
    public double[] point() {
        return point.clone();
    }

    /** {@return the rank of the Jacobian at the start, from 0 to min(m, p)} */
    public int rank() {
        return rank;
    }

    /** {@return the rank of the Jacobian at the end; other than {@link #rank} where the rank changed; from 0 to min(m, p)} */
    public int rankThere() {
        return rankThere;
    }

    /** {@return the singular values of the Jacobian at the end: min(m, p) values, largest first; a copy} */
    public double[] singularValues() {
        return singularValues.clone();
    }

    /** {@return how often the field was evaluated, at least 0} */
    public int evaluations() {
        return evaluations;
    }

    /**
     * Returns the point that the path was to reach.
     *
     * @return length p; a copy
     * @throws RankChangeException where the rank changed on the way
     * @throws ArithmeticException where the path was stuck
     */
    public double[] orThrow() {
        return switch (outcome) {
            case ARRIVED -> point();
            case RANK_CHANGED ->
                throw new RankChangeException(
                        time,
                        rank,
                        rankThere,
                        "FlowAction: the rank of the Jacobian changed from %d to %d at t = %.9g, singular values [%s]: the flow is not defined beyond; stay before it, or choose another field"
                                .formatted(rank, rankThere, time, spectrum()));
            case STUCK ->
                throw new ArithmeticException(
                        "FlowAction: stuck at t = %.9g after %d evaluations of the field, rank %d, singular values [%s]: the field is not smooth there; stay before it, or loosen the tolerance"
                                .formatted(time, evaluations, rank, spectrum()));
        };
    }

    private String spectrum() {
        return Arrays.stream(singularValues).mapToObj("%.3g"::formatted).collect(Collectors.joining(", "));
    }
}
