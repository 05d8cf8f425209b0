package org.isoloss.action;

/** A direction at every point of parameter space. */
@FunctionalInterface
public interface VectorField {
    /**
     * Returns the direction at a point.
     *
     * @param point theta, length p; not modified
     * @return length p
     */
    double[] at(double[] point);

    /**
     * Returns the field that has the same direction everywhere.
     *
     * @param direction length p, finite; copied
     * @return the constant field
     */
    static VectorField constant(double... direction) {
        double[] kept = direction.clone();
        return point -> kept.clone();
    }
}
