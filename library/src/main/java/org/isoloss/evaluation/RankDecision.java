package org.isoloss.evaluation;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.isoloss.linalg.Matrix;
import org.isoloss.linalg.Svd;

/**
 * A rank with what it rests on.
 *
 * @param rank number of singular values that count
 * @param tolerance those at most this times the largest count as zero
 * @param spectrum the singular values, largest first
 * @param at1e4 the rank with tolerance 1e-4
 * @param at1e6 the rank with tolerance 1e-6
 * @param at1e8 the rank with tolerance 1e-8
 * @param gap the least value that counts over the largest that does not; nothing where all count, or none, or the others
 *     are exact zeros
 */
public record RankDecision(
        int rank, double tolerance, List<Double> spectrum, int at1e4, int at1e6, int at1e8, Optional<Double> gap) {
    /** Keeps a list of its own. */
    public RankDecision {
        spectrum = List.copyOf(spectrum);
    }

    /** Decides the rank of a finite matrix. */
    static RankDecision of(Matrix matrix, double tolerance) {
        Svd svd = Svd.of(matrix);
        double gap = svd.gap(tolerance);
        return new RankDecision(
                svd.rank(tolerance),
                tolerance,
                Arrays.stream(svd.singularValues()).boxed().toList(),
                svd.rank(1e-4),
                svd.rank(1e-6),
                svd.rank(1e-8),
                Double.isInfinite(gap) ? Optional.empty() : Optional.of(gap));
    }
}
