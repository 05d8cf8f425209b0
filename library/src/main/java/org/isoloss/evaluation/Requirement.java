package org.isoloss.evaluation;

/**
 * One numerical requirement and whether an action meets it.
 *
 * @param bound on which side of the limit the value must be
 * @param limit the limit, itself allowed
 * @param value what was measured; NaN meets nothing
 * @param met whether the value keeps the limit
 */
public record Requirement(Bound bound, double limit, double value, boolean met) {
    /** The side of a limit. */
    public enum Bound {
        /** The value must not be larger. */
        AT_MOST,
        /** The value must not be smaller, and it must be finite. */
        AT_LEAST
    }

    /** Refuses a verdict that does not follow from the numbers. */
    public Requirement {
        if (met != isMet(bound, limit, value)) {
            throw new IllegalArgumentException("Requirement: met is %s, but the value is %s and the limit %s %s"
                    .formatted(met, value, bound == Bound.AT_MOST ? "at most" : "at least", limit));
        }
    }

    static Requirement of(Bound bound, double limit, double value) {
        return new Requirement(bound, limit, value, isMet(bound, limit, value));
    }

    private static boolean isMet(Bound bound, double limit, double value) {
        return Double.isFinite(value) && (bound == Bound.AT_MOST ? value <= limit : value >= limit);
    }
}
