package org.isoloss.evaluation;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * Whether the fields of an action point in the directions of a reference action (table
 * {@code tab:experimental-reference} of the paper). At each point the fields of all generators span a tangent space; the error is its normalised
 * distance {@code ||(I - P) Q||_F / sqrt(rank)} from the reference's, Q an orthonormal basis of the one and P the
 * orthogonal projection on the other.
 *
 * @param points number of points
 * @param meanError mean over the points where the action's fields do not all vanish; NaN where they vanish everywhere or
 *     are not finite
 * @param maxError the largest of these, NaN likewise
 * @param orbitRank largest dimension of the tangent space at a point
 * @param leastOrbitRank smallest dimension of the tangent space at a point
 * @param fieldDimension dimension of the space that the fields span as functions on all points together; nothing where
 *     they are not finite
 */
public record ReferenceSpan(
        int points,
        double meanError,
        double maxError,
        int orbitRank,
        int leastOrbitRank,
        Optional<RankDecision> fieldDimension) {
    /** Number of points in the paper. */
    public static final int POINTS = 24;

    /** Relative rank tolerance in the paper. */
    public static final double RANK_TOLERANCE = 1e-4;

    /**
     * Compares an action with a reference.
     *
     * @param tested the action and where points are drawn
     * @param reference an action on the same parameters, whose fields are the directions expected
     * @param random the stream to draw from; modified
     * @return the comparison
     */
    public static ReferenceSpan of(JudgedAction tested, GroupAction reference, SplittableRandom random) {
        if (reference.parameterCount() != tested.action().parameterCount()) {
            throw new IllegalArgumentException("ReferenceSpan: the reference moves %d parameters, the action %d"
                    .formatted(reference.parameterCount(), tested.action().parameterCount()));
        }
        Matrix points = tested.draw(random, POINTS);
        Matrix[] fields = fields(tested.action(), points);
        Matrix everywhere = Rows.stacked(fields);
        for (int row = 0; row < everywhere.rows(); row++) {
            if (!Rows.isFinite(everywhere, row)) {
                return new ReferenceSpan(POINTS, Double.NaN, Double.NaN, 0, 0, Optional.empty());
            }
        }
        Matrix[] references = fields(reference, points);
        double sum = 0;
        double largest = 0;
        int counted = 0;
        int most = 0;
        int least = Integer.MAX_VALUE;
        for (int point = 0; point < POINTS; point++) {
            Svd tangents = Svd.of(fields[point]);
            int rank = tangents.rank(RANK_TOLERANCE);
            most = Math.max(most, rank);
            least = Math.min(least, rank);
            if (rank > 0) {
                Matrix basis = basis(tangents, rank);
                Matrix outside = basis.minus(projection(references[point], basis));
                double error = outside.frobeniusNorm() / Math.sqrt(rank);
                sum += error;
                largest = Math.max(largest, error);
                counted++;
            }
        }
        return new ReferenceSpan(
                POINTS,
                sum / counted, // NaN where nothing was counted
                counted == 0 ? Double.NaN : largest,
                most,
                least,
                Optional.of(RankDecision.of(everywhere, RANK_TOLERANCE)));
    }

    /**
     * Projects vectors on the span of a reference's fields at one point.
     *
     * @param reference an action
     * @param point theta, length p; not modified
     * @param vectors shape (p, n), one a column; not modified
     * @return their orthogonal projections, shape (p, n)
     */
    public static Matrix projection(GroupAction reference, double[] point, Matrix vectors) {
        return projection(fields(reference, Matrix.of(1, point.length, point))[0], vectors);
    }

    private static Matrix projection(Matrix span, Matrix vectors) {
        Svd svd = Svd.of(span);
        Matrix basis = basis(svd, svd.rank(RANK_TOLERANCE));
        return basis.times(basis.transpose().times(vectors));
    }

    /** An orthonormal basis of the columns that count, shape (p, rank). */
    private static Matrix basis(Svd svd, int rank) {
        return svd.left().transpose().rows(0, rank).transpose();
    }

    /** For each point the fields of all generators, shape (p, r). */
    private static Matrix[] fields(GroupAction action, Matrix points) {
        Generators units = action.generators().normalised();
        int generators = units.count();
        Matrix[] fields = new Matrix[points.rows()];
        for (int point = 0; point < points.rows(); point++) {
            fields[point] = Matrix.zeros(action.parameterCount(), generators);
        }
        for (int generator = 0; generator < generators; generator++) {
            Matrix directions = Rows.repeated(units.get(generator).entries(), points.rows());
            Matrix values = action.field(directions, points);
            for (int point = 0; point < points.rows(); point++) {
                for (int i = 0; i < action.parameterCount(); i++) {
                    fields[point].set(i, generator, values.get(point, i));
                }
            }
        }
        return fields;
    }

    List<String> nonFinite() {
        return Double.isFinite(meanError) ? List.of() : List.of("error against the reference span");
    }
}
