package org.isoloss.flow;

/** What is to fall along a flow. */
public interface Objective {
    /**
     * Computes it.
     *
     * @param point theta, length p; not modified
     * @return finite
     */
    double value(double[] point);

    /**
     * Differentiates it, or something that falls with it.
     *
     * @param point theta, length p; not modified
     * @return length p
     */
    double[] gradient(double[] point);

    /**
     * Says how far its gradient leads: beyond that there is nothing to gain.
     *
     * @param point theta, length p; not modified
     * @return whether the flow is at its end
     */
    default boolean isReached(double[] point) {
        return false;
    }
}
