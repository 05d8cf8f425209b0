package org.isoloss.decomposition;

/** An invertible map of parameters. */
public interface ParameterMap {
    /**
     * Returns the image of a point.
     *
     * @param point theta, length p; not modified
     * @return length p
     */
    double[] apply(double[] point);

    /**
     * Returns the point of which a point is the image.
     *
     * @param image length p; not modified
     * @return length p
     */
    double[] inverse(double[] image);
}
