package org.isoloss.action;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;

/**
 * A smooth function of compact support: 1 in the inner half of an ellipsoid, 0 outside it, and in between
 * {@code f(1 - s) / (f(s) + f(1 - s))} with {@code f(s) = exp(-1 / s)}, which has all derivatives.
 */
public final class SmoothCutoff {
    private static final double INNER = 0.5;

    private final double[] center;
    private final double[] radii;

    private SmoothCutoff(double[] center, double[] radii) {
        this.center = center;
        this.radii = radii;
    }

    /**
     * Makes the function of an ellipsoid with axes along the coordinates.
     *
     * @param center length p, finite; copied
     * @param radii half the length of each axis, length p, positive and finite; copied
     * @return the function
     */
    public static SmoothCutoff of(double[] center, double[] radii) {
        if (center.length != radii.length
                || Arrays.stream(radii).anyMatch(radius -> !(radius > 0) || Double.isInfinite(radius))) {
            throw new IllegalArgumentException(
                    "SmoothCutoff: %d coordinates of the centre and radii %s, expected as many positive finite radii"
                            .formatted(center.length, Arrays.toString(radii)));
        }
        Matrix.over(1, center.length, center).requireFinite("SmoothCutoff: the centre");
        return new SmoothCutoff(center.clone(), radii.clone());
    }

    /**
     * Returns the distance from the centre in units of the radii.
     *
     * @param point length p; not modified
     * @return 1 on the surface of the ellipsoid
     */
    public double distance(double[] point) {
        double sum = 0;
        for (int i = 0; i < radii.length; i++) {
            double part = (point[i] - center[i]) / radii[i];
            sum += part * part;
        }
        return Math.sqrt(sum);
    }

    /**
     * Returns the value at a point.
     *
     * @param point length p; not modified
     * @return from 0 to 1
     */
    public double at(double[] point) {
        double outward = (distance(point) - INNER) / (1 - INNER);
        if (outward <= 0) {
            return 1;
        }
        if (outward >= 1) {
            return 0;
        }
        double inside = Math.exp(-1 / (1 - outward));
        return inside / (inside + Math.exp(-1 / outward));
    }

    /**
     * Cuts a field off.
     *
     * @param field over p parameters
     * @return the field times this function: its flow stays the same in the inner half and moves nothing outside
     */
    public VectorField times(VectorField field) {
        return point -> {
            double factor = at(point);
            double[] direction = field.at(point);
            Arrays.setAll(direction, i -> factor * direction[i]);
            return direction;
        };
    }
}
