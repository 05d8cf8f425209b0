package org.isoloss.action;

/** A path along a flow met a point where the Jacobian of the preserved function changes its rank. */
public final class RankChangeException extends ArithmeticException {
    private static final long serialVersionUID = 1;

    private final double time;
    private final int before;
    private final int after;

    RankChangeException(double time, int before, int after, String message) {
        super(message);
        this.time = time;
        this.before = before;
        this.after = after;
    }

    /**
     * Returns the parameter t at which the rank changed.
     *
     * @return finite
     */
    public double time() {
        return time;
    }

    /**
     * Returns the rank on the path before it.
     *
     * @return at least 0
     */
    public int before() {
        return before;
    }

    /**
     * Returns the rank at the point met.
     *
     * @return at least 0, other than {@link #before}
     */
    public int after() {
        return after;
    }
}
