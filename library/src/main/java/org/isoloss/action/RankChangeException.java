package org.isoloss.action;

/** A path along a flow met a point where the Jacobian of the preserved function changes its rank. */
public final class RankChangeException extends ArithmeticException {
    private static final long serialVersionUID = 1;

    /** Where on the path. */
    private final double time;
    /** The rank up to there. */
    private final int before;
    /** The rank there. */
    private final int after;

    RankChangeException(double time, int before, int after, String message) {
        super(message);
        this.time = time;
        this.before = before;
        this.after = after;
    }

    /** {@return the parameter t at which the rank changed, finite} */
    public double time() {
        return time;
    }

    /** {@return the rank on the path before it, at least 0} */
    public int before() {
        return before;
    }

    /** {@return the rank at the point met, at least 0, other than {@link #before}} */
    public int after() {
        return after;
    }
}
