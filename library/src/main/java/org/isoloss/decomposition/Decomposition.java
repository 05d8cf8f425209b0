package org.isoloss.decomposition;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;

/**
 * The end {@code phi_1} of a smooth output-preserving family as a product of finitely many output-preserving maps, each of
 * which changes at most k + 1 hidden units (theorem {@code thm:subnet-map-generation} of the paper, whose proof is followed
 * step by step).
 *
 * <p>[0, 1] is halved until every increment {@code psi} has {@code ||D(psi - id)|| <= 1/2} at the points given, carried to its
 * beginning, middle and end; the theorem wants it below 1 everywhere. Between the points it is watched: each map
 * {@code Q_j^-1} is a fixed-point iteration, and one that does not shrink ends in an {@link ArithmeticException}.
 */
public final class Decomposition implements ParameterMap {
    /** The largest norm of {@code D(psi - id)} that an increment may have at a point. */
    public static final double LARGEST_NORM = 0.5;

    private static final int MOST_HALVINGS = 12;

    private final OutputCoordinates coordinates;
    private final OutputPreservingFamily family;
    private final List<Part> parts = new ArrayList<>();
    private final List<SubnetworkFactor> factors = new ArrayList<>();

    /**
     * A part of [0, 1].
     *
     * @param from its start
     * @param to its end
     * @param derivativeNorm largest norm of {@code D(psi - id)} that was measured on it
     */
    public record Part(double from, double to, double derivativeNorm) {}

    private Decomposition(OutputCoordinates coordinates, OutputPreservingFamily family) {
        this.coordinates = coordinates;
        this.family = family;
    }

    /**
     * Computes the factors.
     *
     * @param coordinates with the choice of compensating units
     * @param family of compact support in the domain
     * @param points where the increments are measured, shape (n, p), at least one; not modified
     * @param grouping what one factor changes
     * @return the factors
     * @throws ArithmeticException when 12 halvings do not bring the increments near enough to the identity
     */
    public static Decomposition of(
            OutputCoordinates coordinates, OutputPreservingFamily family, Matrix points, Grouping grouping) {
        int count = coordinates.origin().length;
        if (points.rows() < 1 || points.columns() != count) {
            throw new IllegalArgumentException(
                    "Decomposition: points of shape (%d, %d), expected at least one row of %d"
                            .formatted(points.rows(), points.columns(), count));
        }
        var decomposition = new Decomposition(coordinates, family);
        decomposition.refine(0, 1, points, grouping, 0);
        return decomposition;
    }

    private void refine(double from, double to, Matrix points, Grouping grouping, int halvings) {
        double middle = 0.5 * (from + to);
        Matrix halfway = carried(from, middle, points);
        Matrix end = carried(middle, to, halfway);
        var increment = new Increment(coordinates, family, from, to);
        double norm = largestNorm(increment, points, halfway, end);
        if (norm <= LARGEST_NORM) {
            parts.add(new Part(from, to, norm));
            addFactors(increment, grouping);
            return;
        }
        if (halvings == MOST_HALVINGS) {
            throw new ArithmeticException(
                    "Decomposition: from t = %s to %s the norm of D(psi - id) is %.3g, more than %s after %d halvings; the family is too steep, or not smooth"
                            .formatted(from, to, norm, LARGEST_NORM, halvings));
        }
        refine(from, middle, points, grouping, halvings + 1);
        refine(middle, to, halfway, grouping, halvings + 1);
    }

    /** Stops at the first point above the limit: the increment is halved anyway. */
    private double largestNorm(Increment increment, Matrix... places) {
        double largest = 0;
        for (Matrix points : places) {
            for (int row = 0; row < points.rows() && largest <= LARGEST_NORM; row++) {
                largest = Math.max(largest, increment.derivativeNorm(coordinates.from(points.row(row))));
            }
        }
        return largest;
    }

    private Matrix carried(double from, double to, Matrix points) {
        Matrix carried = Matrix.zeros(points.rows(), points.columns());
        for (int row = 0; row < points.rows(); row++) {
            double[] point = family.carry(from, to, points.row(row));
            System.arraycopy(point, 0, carried.entries(), row * point.length, point.length);
        }
        return carried;
    }

    private void addFactors(Increment increment, Grouping grouping) {
        int first = 0;
        for (int end = 1; end <= coordinates.movingCount(); end++) {
            boolean unitEnds = end == coordinates.movingCount() || coordinates.unit(end) != coordinates.unit(first);
            if (grouping == Grouping.COORDINATE || unitEnds) {
                factors.add(new SubnetworkFactor(increment, first, end));
                first = end;
            }
        }
    }

    /** {@return the coordinates, with the choice of compensating units} */
    public OutputCoordinates coordinates() {
        return coordinates;
    }

    /** {@return the partition of [0, 1]: in order; unmodifiable} */
    public List<Part> parts() {
        return List.copyOf(parts);
    }

    /** {@return the factors: in the order in which they act; unmodifiable} */
    public List<SubnetworkFactor> factors() {
        return List.copyOf(factors);
    }

    @Override
    public double[] apply(double[] point) {
        double[] moved = point.clone();
        for (SubnetworkFactor factor : factors) {
            moved = factor.apply(moved);
        }
        return moved;
    }

    @Override
    public double[] inverse(double[] image) {
        double[] moved = image.clone();
        for (SubnetworkFactor factor : factors.reversed()) {
            moved = factor.inverse(moved);
        }
        return moved;
    }
}
