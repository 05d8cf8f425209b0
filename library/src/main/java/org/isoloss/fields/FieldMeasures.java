package org.isoloss.fields;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.isoloss.action.VectorField;
import org.isoloss.discovery.Problem;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.lie.BracketConstants;
import org.isoloss.lie.MeasuredStructure;
import org.isoloss.linalg.LeastSquares;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * What fields are, measured in float64 at points that training did not see.
 *
 * @param count r
 * @param nullity of the Jacobian of the outputs, the least over the points: most independent directions that fields can have at
 *     a generic point; at others, such as where a unit is dead, there are more
 * @param invariance 95th percentile of {@code |D F v| / (|D F| |v|)} over points and fields
 * @param functions rank of the fields as functions; below r, two of them have collapsed onto one another
 * @param largestRank most dimensions that the fields span at a generic point beyond their errors: singular values above
 *     {@link #RANK_TOLERANCE} of the largest and above the part of the fields that changes outputs
 * @param leastRank fewest
 * @param sizes median over the points of each singular value over the largest, largest first, one for each field
 * @param gap median over the points of the least singular value that counts over the largest that does not; infinite where all count
 * @param constants by least squares over all points
 * @param bracketResidual 95th percentile over points and pairs of {@code |[v_i, v_j] - sum c v|} over the sizes of its terms
 * @param suppliedResidual the same with the constants that were asked for, nothing where none were
 * @param jacobi {@link BracketConstants#jacobiResidual} of the measured constants, over the square of the largest size that
 *     constants of these fields could have
 * @param structure of the measured constants, nothing where the fields do not close
 */
public record FieldMeasures(
        int count,
        int nullity,
        double invariance,
        int functions,
        int largestRank,
        int leastRank,
        List<Double> sizes,
        double gap,
        BracketConstants constants,
        double bracketResidual,
        Optional<Double> suppliedResidual,
        double jacobi,
        Optional<MeasuredStructure> structure) {
    /** Points at which fields are measured. */
    public static final int POINTS = 128;

    /** Singular values of learned fields at most this times the largest count as zero. */
    public static final double RANK_TOLERANCE = 0.02;

    /** Fields close when the residual of their brackets is at most this. */
    public static final double CLOSED = 1e-2;

    private static final double EXACT_RANK = 1e-8;

    /**
     * Measures fields.
     *
     * @param problem what they should preserve
     * @param fields any
     * @param brackets what was asked of them
     * @param random the stream to draw points from; modified
     * @return the measures
     */
    public static FieldMeasures of(Problem problem, LearnedFields fields, Brackets brackets, SplittableRandom random) {
        int p = fields.shape().parameterCount();
        int count = fields.shape().count();
        Matrix points = Matrix.zeros(POINTS, p);
        for (int row = 0; row < POINTS; row++) {
            problem.points().draw(random, points.entries(), row * p);
        }
        Matrix all = fields.at(points);
        all.requireFinite("fields");
        double[] invariance = new double[POINTS * count];
        double[] gaps = new double[POINTS];
        double[][] shares = new double[count][POINTS];
        int[] ranks = new int[POINTS];
        int[] nullities = new int[POINTS];
        for (int row = 0; row < POINTS; row++) {
            Matrix jacobian = problem.target().jacobian(points.row(row));
            Svd seen = Svd.of(jacobian);
            int outputs = seen.rank(EXACT_RANK);
            Matrix span = Matrix.over(count, p, all.row(row)).transpose();
            double error = outputs == 0
                    ? 0
                    : Svd.valuesOf(seen.right().transpose().rows(0, outputs).times(span))[0];
            double[] sizes = Svd.valuesOf(span);
            for (int i = 0; i < count; i++) {
                shares[i][row] = i >= sizes.length || sizes[0] == 0 ? 0 : sizes[i] / sizes[0];
            }
            int rank = rank(sizes, error);
            ranks[row] = rank;
            nullities[row] = p - outputs;
            gaps[row] = rank == 0 || rank == sizes.length ? Double.POSITIVE_INFINITY : sizes[rank - 1] / sizes[rank];
            Matrix changes = jacobian.times(span);
            for (int i = 0; i < count; i++) {
                invariance[row * count + i] =
                        norm(changes.column(i)) / (jacobian.frobeniusNorm() * norm(span.column(i)));
            }
        }
        int nullity = Arrays.stream(nullities).min().orElseThrow();
        int[] generic = IntStream.range(0, POINTS)
                .filter(row -> nullities[row] == nullity)
                .map(row -> ranks[row])
                .toArray();
        Matrix functions = Matrix.zeros(POINTS * p, count);
        for (int i = 0; i < count; i++) {
            double[] entries = fields.field(all, i).entries();
            for (int a = 0; a < entries.length; a++) {
                functions.set(a, i, entries[a]);
            }
        }
        Residuals residuals = new Residuals(fields, points, functions);
        BracketConstants constants = residuals.fitted();
        double size = residuals.sizePerField();
        double residual = Quantiles.of(residuals.against(constants)).p95();
        return new FieldMeasures(
                count,
                nullity,
                Quantiles.of(invariance).p95(),
                Svd.of(functions).rank(RANK_TOLERANCE),
                Arrays.stream(generic).max().orElseThrow(),
                Arrays.stream(generic).min().orElseThrow(),
                Arrays.stream(shares).map(share -> Quantiles.of(share).p50()).toList(),
                Quantiles.of(gaps).p50(),
                constants,
                residual,
                brackets instanceof Brackets.Supplied supplied
                        ? Optional.of(Quantiles.of(residuals.against(supplied.constants()))
                                .p95())
                        : Optional.empty(),
                size == 0 ? 0 : constants.jacobiResidual() / (size * size),
                residual <= CLOSED ? Optional.of(MeasuredStructure.of(constants, size * CLOSED)) : Optional.empty());
    }

    /** {@return whether the brackets are combinations of the fields, up to {@value #CLOSED}} */
    public boolean closes() {
        return structure.isPresent();
    }

    /** {@return whether fewer fields are independent at each point than were asked for} */
    public boolean tooMany() {
        return largestRank < count;
    }

    /**
     * Compares the spans of learned and reference fields at points: {@code |(I - P) Q|_F / sqrt(rank)}, Q an orthonormal basis of
     * the learned and P the projection on the reference's.
     *
     * @param problem says where points are drawn
     * @param fields any
     * @param reference exact fields, at least one
     * @param random the stream to draw points from; modified
     * @return the mean over {@value #POINTS} points
     */
    public static double spanError(
            Problem problem, LearnedFields fields, List<VectorField> reference, SplittableRandom random) {
        int p = fields.shape().parameterCount();
        double sum = 0;
        for (int n = 0; n < POINTS; n++) {
            double[] point = new double[p];
            problem.points().draw(random, point, 0);
            Matrix learned = basis(
                    Matrix.over(
                                    fields.shape().count(),
                                    p,
                                    fields.at(Matrix.over(1, p, point)).entries())
                            .transpose(),
                    RANK_TOLERANCE);
            Matrix rows = Matrix.zeros(reference.size(), p);
            for (int i = 0; i < reference.size(); i++) {
                System.arraycopy(reference.get(i).at(point), 0, rows.entries(), i * p, p);
            }
            Matrix exact = basis(rows.transpose(), EXACT_RANK);
            Matrix outside = learned.minus(exact.times(exact.transpose().times(learned)));
            sum += outside.frobeniusNorm() / Math.sqrt(learned.columns());
        }
        return sum / POINTS;
    }

    /**
     * Singular values above {@link #RANK_TOLERANCE} of the largest and above the part of the fields that changes outputs: then as
     * many dimensions are left without that part (Weyl's inequality), so that errors never count as symmetries.
     */
    private static int rank(double[] sizes, double error) {
        int rank = 0;
        while (rank < sizes.length && sizes[rank] > Math.max(RANK_TOLERANCE * sizes[0], error)) {
            rank++;
        }
        return rank;
    }

    private static Matrix basis(Matrix columns, double tolerance) {
        Svd svd = Svd.of(columns);
        return svd.left().transpose().rows(0, svd.rank(tolerance)).transpose();
    }

    private static double norm(double[] vector) {
        return Matrix.over(1, vector.length, vector).frobeniusNorm();
    }

    /** Brackets at points, to be compared with combinations of the fields. */
    private static final class Residuals {
        private final int count;
        private final Matrix functions;
        private final Matrix brackets;
        private final double[][] sizes;
        private final int points;

        Residuals(LearnedFields fields, Matrix points, Matrix functions) {
            count = fields.shape().count();
            this.points = points.rows();
            this.functions = functions;
            int pairs = BracketConstants.pairs(count);
            brackets = Matrix.zeros(functions.rows(), pairs);
            sizes = new double[pairs][points.rows()];
            for (int i = 0; i < count; i++) {
                for (int j = i + 1; j < count; j++) {
                    int pair = BracketConstants.pair(count, i, j);
                    Matrix left = fields.changeAlong(points, i, j);
                    Matrix right = fields.changeAlong(points, j, i);
                    for (int a = 0; a < functions.rows(); a++) {
                        brackets.set(a, pair, left.entries()[a] - right.entries()[a]);
                    }
                    for (int row = 0; row < points.rows(); row++) {
                        sizes[pair][row] = norm(left.row(row)) + norm(right.row(row));
                    }
                }
            }
        }

        BracketConstants fitted() {
            if (brackets.columns() == 0) {
                return BracketConstants.ofPairs(count, Matrix.zeros(1, count));
            }
            return BracketConstants.ofPairs(
                    count,
                    LeastSquares.of(functions, brackets, RANK_TOLERANCE)
                            .solution()
                            .transpose());
        }

        double[] against(BracketConstants constants) {
            int pairs = brackets.columns();
            if (pairs == 0) {
                return new double[1]; // one field closes
            }
            int p = functions.rows() / points;
            Matrix expected = functions.times(constants.pairRows().transpose());
            Matrix apart = brackets.minus(expected);
            double[] residuals = new double[pairs * points];
            for (int pair = 0; pair < pairs; pair++) {
                double[] gap = apart.column(pair);
                double[] combination = expected.column(pair);
                for (int row = 0; row < points; row++) {
                    double size = sizes[pair][row] + norm(Arrays.copyOfRange(combination, row * p, (row + 1) * p));
                    double distance = norm(Arrays.copyOfRange(gap, row * p, (row + 1) * p));
                    residuals[pair * points + row] = distance == 0 ? 0 : distance / size;
                }
            }
            return residuals;
        }

        /** How large a constant could be: the mean size of what the brackets subtract, over that of the fields. */
        double sizePerField() {
            double sum = 0;
            for (double[] pair : sizes) {
                sum += Arrays.stream(pair).average().orElse(0) / Math.max(1, sizes.length);
            }
            return sum / (functions.frobeniusNorm() / Math.sqrt((double) count * points));
        }
    }
}
