package org.isoloss.affine;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * The null space of the constraints {@code J [A b] (theta, 1) = 0} on one block of unknowns.
 *
 * <p>Rows have norm 1. Columns whose size is far from 1 are first multiplied by a power of 1024, so that the units of
 * weights and inputs change no decision; with the paper's sampling no column is, and the matrix is the paper's.
 */
final class BlockSolution {
    private static final double UNIT = 1024;

    /** Four rows an unknown are as many numbers as an array holds. */
    static final int LARGEST_BLOCK = 23_000;

    private static final int ENOUGH_FRESH = 128;

    /** Between rounding, about 1e-13 here, and what a wrong vector misses, about 1. */
    private static final double CONFIRMED = 1e-6;

    private final Grading.Block block;
    private final double[] relativeValues;
    private final List<FieldEstimate> nullVectors;
    private final double[] scales;
    private final Matrix scaledBasis;
    private final int rows;
    private int points;
    private boolean confirmed;

    private BlockSolution(Grading.Block block, double[] relativeValues, double[] scales, Matrix scaledBasis, int rows) {
        this.block = block;
        this.relativeValues = relativeValues;
        this.scales = scales;
        this.scaledBasis = scaledBasis;
        this.rows = rows;
        this.nullVectors = new ArrayList<>();
        for (int k = 0; k < scaledBasis.columns(); k++) {
            double[] vector = scaledBasis.column(k);
            for (int j = 0; j < vector.length; j++) {
                vector[j] *= scales[j];
            }
            nullVectors.add(FieldEstimate.normalising(block, vector));
        }
    }

    /**
     * Solves the constraints of sampled points, of which there are at least {@code minimumPoints} and enough for twice as
     * many nonzero rows as unknowns. Then as many fresh points, at most 128, must confirm the null space; where they do not,
     * as many as before join them and the block is solved again.
     *
     * @param threshold singular values at most this times the largest count as zero
     */
    static BlockSolution of(Grading.Block block, SampledConstraints samples, int minimumPoints, double threshold) {
        if (block.size() > LARGEST_BLOCK) {
            throw new IllegalArgumentException(
                    "a block of %d unknown coefficients cannot be held, expected at most %d; narrow the network"
                            .formatted(block.size(), LARGEST_BLOCK));
        }
        int wanted = 2 * block.size();
        int limit = Math.max(4 * minimumPoints, 256 + 40 * wanted / samples.rowsPerPoint());
        List<double[]> rows = new ArrayList<>();
        int points = 0;
        while (points < limit && (points < minimumPoints || rows.size() < wanted)) {
            addRows(block, samples, points++, rows);
        }
        while (true) {
            BlockSolution solution = decompose(block, rows, threshold);
            List<double[]> fresh = new ArrayList<>();
            int more = Math.min(points, ENOUGH_FRESH);
            for (int point = points; point < points + more && !solution.nullVectors.isEmpty(); point++) {
                addRows(block, samples, point, fresh);
            }
            solution.points = points;
            solution.confirmed = solution.confirmedBy(fresh);
            if (points >= limit || solution.confirmed) {
                return solution;
            }
            rows.addAll(fresh);
            for (int point = points + more; point < 2 * points; point++) {
                addRows(block, samples, point, rows);
            }
            points *= 2;
        }
    }

    /** Whether every null vector satisfies fresh constraints; one that only the samples allowed misses them by far. */
    private boolean confirmedBy(List<double[]> fresh) {
        for (double[] row : fresh) {
            double squares = 0;
            double[] sums = new double[scaledBasis.columns()];
            for (int j = 0; j < row.length; j++) {
                double entry = row[j] * scales[j];
                squares += entry * entry;
                for (int k = 0; k < sums.length && entry != 0; k++) {
                    sums[k] += entry * scaledBasis.get(j, k);
                }
            }
            for (double sum : sums) {
                if (Math.abs(sum) > CONFIRMED * Math.sqrt(squares)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void addRows(Grading.Block block, SampledConstraints samples, int point, List<double[]> rows) {
        double[] theta = samples.point(point);
        Matrix jacobian = samples.jacobian(point);
        int stride = theta.length + 1;
        int[] moving = new int[block.size()];
        double[] by = new double[block.size()];
        for (int j = 0; j < moving.length; j++) {
            moving[j] = block.unknown(j) / stride;
            int b = block.unknown(j) % stride;
            by[j] = b < theta.length ? theta[b] : 1;
        }
        for (int i = 0; i < jacobian.rows(); i++) {
            double[] slopes = jacobian.row(i);
            double[] row = new double[moving.length];
            double largest = 0;
            for (int j = 0; j < row.length; j++) {
                double entry = slopes[moving[j]] * by[j];
                row[j] = entry;
                largest = Math.max(largest, Math.abs(entry));
            }
            if (largest > 0) {
                for (int j = 0; j < row.length; j++) {
                    row[j] /= largest;
                }
                rows.add(row);
            }
        }
    }

    /** The power of 1024 that brings the root mean square of each column nearest to that of a unit row's entries. */
    private static double[] scales(List<double[]> rows, int n) {
        double[] squares = new double[n];
        for (double[] row : rows) {
            double norm = 0;
            for (double entry : row) {
                norm += entry * entry;
            }
            for (int j = 0; j < n; j++) {
                squares[j] += row[j] * row[j] / norm;
            }
        }
        double[] scales = new double[n];
        for (int j = 0; j < n; j++) {
            double size = Math.sqrt(squares[j] * n / Math.max(1, rows.size()));
            scales[j] = size == 0 ? 1 : Math.pow(UNIT, Math.rint(-Math.log(size) / Math.log(UNIT)));
        }
        return scales;
    }

    private static BlockSolution decompose(Grading.Block block, List<double[]> rows, double threshold) {
        int n = block.size();
        double[] scales = scales(rows, n);
        Matrix matrix = Matrix.zeros(Math.max(rows.size(), 1), n);
        for (int i = 0; i < rows.size(); i++) {
            double[] row = rows.get(i);
            double squares = 0;
            for (int j = 0; j < n; j++) {
                double entry = row[j] * scales[j];
                squares += entry * entry;
            }
            double norm = Math.sqrt(squares);
            for (int j = 0; j < n; j++) {
                matrix.entries()[i * n + j] = row[j] * scales[j] / norm;
            }
        }
        Svd svd = Svd.of(RowReduction.of(matrix));
        double[] values = svd.singularValues();
        double[] relative = new double[n];
        for (int k = 0; k < values.length && values[0] > 0; k++) {
            relative[k] = values[k] / values[0];
        }
        int rank = 0;
        while (rank < n && relative[rank] > threshold) {
            rank++;
        }
        Matrix basis = rank == n ? Matrix.zeros(n, 0) : values[0] > 0 ? svd.nullSpace(threshold) : Matrix.identity(n);
        return new BlockSolution(block, relative, scales, basis, rows.size());
    }

    Grading.Block block() {
        return block;
    }

    /** Singular values over the largest, largest first, one for each unknown. */
    double[] relativeValues() {
        return relativeValues;
    }

    List<FieldEstimate> nullVectors() {
        return nullVectors;
    }

    /** Points whose rows were decomposed. */
    int points() {
        return points;
    }

    /** Whether fresh points agreed. */
    boolean confirmed() {
        return confirmed;
    }

    /** Rows that were not zero. */
    int rows() {
        return rows;
    }
}
