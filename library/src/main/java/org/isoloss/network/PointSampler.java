package org.isoloss.network;

import java.util.SplittableRandom;

/** A distribution of parameter vectors: where an action is trained and tested. */
public interface PointSampler {
    /** {@return the number of parameters, p, at least 1} */
    int parameterCount();

    /**
     * Draws one parameter vector. Nothing is allocated.
     *
     * @param random the stream to draw from; modified
     * @param points entries {@code offset} to {@code offset + p - 1} are modified
     * @param offset where the vector begins
     */
    void draw(SplittableRandom random, double[] points, int offset);

    /**
     * Returns a distribution with another spread around the same place.
     *
     * @param factor by which distances from the unperturbed vector grow, positive and finite
     * @return a new distribution
     */
    PointSampler widened(double factor);
}
