package org.isoloss.flow;

import java.util.Arrays;
import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;

/** As far as possible in one direction. */
public final class Heading implements Objective {
    private final double[] direction;

    private Heading(double[] direction) {
        this.direction = direction;
    }

    /**
     * Heads in a direction.
     *
     * @param direction length p, not 0; not modified
     * @return the way against which is to fall
     */
    public static Heading of(double[] direction) {
        double norm = Vectors.norm(direction);
        if (!(norm > 0 && Double.isFinite(norm))) {
            throw new IllegalArgumentException(
                    "Heading.of: a direction of norm %s, expected more than 0".formatted(norm));
        }
        double[] unit = direction.clone();
        Arrays.setAll(unit, i -> unit[i] / norm);
        return new Heading(unit);
    }

    @Override
    public double value(double[] point) {
        return -Blas.gemv(Matrix.over(1, point.length, direction), false, point)[0];
    }

    @Override
    public double[] gradient(double[] point) {
        return Vectors.moved(new double[point.length], -1, direction);
    }
}
