package org.isoloss.decomposition;

import org.isoloss.action.SmoothCutoff;
import org.isoloss.linalg.Matrix;

/**
 * A family in closed form: in output coordinates, the plane of two components of z turns around the network's own weights by
 * {@code 2 pi r t c(x)}, where c is a smooth cutoff that the turning itself does not change. So {@code phi_t} undoes itself
 * with -t, keeps Y, and is the identity outside the ellipsoid of the cutoff.
 */
public final class TwistFamily implements OutputPreservingFamily {
    private final OutputCoordinates coordinates;
    private final double[] center;
    private final double[] radii;
    private final SmoothCutoff cutoff;
    private final int first;
    private final int second;
    private final double turns;

    private TwistFamily(
            OutputCoordinates coordinates, double[] center, double[] radii, int first, int second, double turns) {
        this.coordinates = coordinates;
        this.center = center;
        this.radii = radii;
        this.cutoff = SmoothCutoff.of(center, radii);
        this.first = coordinates.outputCount() + first;
        this.second = coordinates.outputCount() + second;
        this.turns = turns;
    }

    /**
     * Makes the family.
     *
     * @param coordinates whose units' own weights are the centre
     * @param reach radius of the weights that the domain does not bound, positive
     * @param first a component of z, from 0
     * @param second another component of z
     * @param turns r, full turns at the centre at t = 1, of either sign
     * @return the family
     */
    public static TwistFamily of(OutputCoordinates coordinates, double reach, int first, int second, double turns) {
        int count = coordinates.movingCount();
        if (first < 0 || second < 0 || first >= count || second >= count || first == second) {
            throw new IllegalArgumentException(
                    "TwistFamily: components %d and %d, expected two different ones of 0 to %d"
                            .formatted(first, second, count - 1));
        }
        double[] weights = coordinates.radii(reach);
        double[] radii = coordinates.from(weights); // the components of z are parameters
        Matrix slopes = coordinates.outputs().jacobian(coordinates.origin());
        for (int i = 0; i < coordinates.outputCount(); i++) {
            radii[i] = norm(slopes.row(i), weights);
        }
        double[] center = coordinates.from(coordinates.origin());
        return new TwistFamily(coordinates, center, radii, first, second, turns);
    }

    /** How far an output goes, to first order, where the weights reach the surface of their ellipsoid. */
    private static double norm(double[] slopes, double[] radii) {
        double sum = 0;
        for (int i = 0; i < slopes.length; i++) {
            sum += slopes[i] * slopes[i] * radii[i] * radii[i];
        }
        return Math.sqrt(sum);
    }

    @Override
    public double[] carry(double from, double to, double[] point) {
        double[] x = coordinates.from(point);
        double factor = cutoff.at(x);
        if (factor == 0) {
            return point.clone();
        }
        double angle = 2 * Math.PI * turns * (to - from) * factor;
        double u = (x[first] - center[first]) / radii[first];
        double v = (x[second] - center[second]) / radii[second];
        x[first] = center[first] + radii[first] * (Math.cos(angle) * u - Math.sin(angle) * v);
        x[second] = center[second] + radii[second] * (Math.sin(angle) * u + Math.cos(angle) * v);
        return coordinates.toParameters(x);
    }
}
