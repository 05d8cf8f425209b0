package org.isoloss.flow;

import java.util.Optional;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;

/** The set of points at which a function has the values that it has at one of them. */
final class KeptValues {
    /** What may be left of a change, relative to the values. */
    private static final double LEFT = 1e-13;

    /** Multiplications from which on a decomposition at each point takes too long. */
    private static final double LARGE = 2e9;

    private static final int MOST_CORRECTIONS = 60;
    private static final int MOST_JACOBIANS = 8;

    private final DifferentiableTarget target;
    private final double[] wanted;
    private final double size;
    private final double scale;
    private final Optional<ProductRows> near;
    private final RowSpace begin;

    KeptValues(DifferentiableTarget target, double[] origin) {
        this.target = target;
        this.wanted = target.outputs(Matrix.of(1, origin.length, origin)).row(0);
        Matrix jacobian = target.jacobian(origin);
        double rows = jacobian.rows();
        boolean large = rows * rows * jacobian.columns() > LARGE && jacobian.rows() < jacobian.columns();
        this.near = large ? ProductRows.of(target, origin.clone(), jacobian) : Optional.empty();
        this.begin = near.isPresent() ? near.get() : new DecomposedRows(jacobian, 0);
        this.scale = begin.largest();
        double norm = Vectors.norm(wanted);
        this.size = norm > 0 ? norm : jacobian.frobeniusNorm() * Vectors.norm(origin);
    }

    /** The Jacobian at the origin. */
    RowSpace begin() {
        return begin;
    }

    /** The Jacobian at a point, its singular values judged beside those at the origin. */
    RowSpace at(double[] point) {
        return near.isPresent() ? near.get().at(point) : new DecomposedRows(target.jacobian(point), scale);
    }

    private double[] gap(double[] point) {
        return Vectors.difference(
                target.outputs(Matrix.of(1, point.length, point)).row(0), wanted);
    }

    /**
     * Brings a point back by Newton's method, with the Jacobian of a point nearby as long as that helps: until the values are
     * those wanted to rounding.
     *
     * @param near the Jacobian at a point nearby
     * @return nothing where that does not succeed
     */
    Optional<double[]> corrected(double[] from, RowSpace near) {
        double[] point = from;
        double[] gap = gap(point);
        RowSpace frame = near;
        int jacobians = 0;
        for (int i = 0; i < MOST_CORRECTIONS; i++) {
            double[] next = Vectors.moved(point, -1, frame.leastStep(gap));
            double[] left = gap(next);
            boolean closer = Vectors.norm(left) < Vectors.norm(gap);
            boolean much = Vectors.norm(left) < 0.5 * Vectors.norm(gap);
            if (closer) {
                point = next;
                gap = left;
            }
            if (much) {
                continue;
            }
            if (Vectors.norm(gap) <= LEFT * size) {
                return Optional.of(point);
            }
            if (++jacobians > MOST_JACOBIANS) {
                return Optional.empty();
            }
            frame = at(point);
        }
        return Vectors.norm(gap) <= LEFT * size ? Optional.of(point) : Optional.empty();
    }
}
