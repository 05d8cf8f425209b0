package org.isoloss.flow;

/** Half the square of the norm of the moving numbers. */
public final class WeightNorm implements Objective {
    /** Of any numbers. */
    public WeightNorm() {}

    @Override
    public double value(double[] point) {
        double norm = Vectors.norm(point);
        return 0.5 * norm * norm;
    }

    @Override
    public double[] gradient(double[] point) {
        return point.clone();
    }
}
