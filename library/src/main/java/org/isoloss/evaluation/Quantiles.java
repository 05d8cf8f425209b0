package org.isoloss.evaluation;

import java.util.Arrays;

/**
 * What a sample of errors is summarised by. A sample that holds a NaN or an infinity has it as its largest value, so
 * that none is overlooked.
 *
 * @param p50 the median
 * @param p95 the 95th percentile
 * @param max the largest
 */
public record Quantiles(double p50, double p95, double max) {
    /**
     * Summarises a sample. Percentiles between two values are interpolated linearly, as NumPy's default does.
     *
     * @param sample at least one number, in any order; not modified
     * @return the percentiles, NaN counting as larger than everything
     */
    public static Quantiles of(double[] sample) {
        double[] sorted = sorted(sample);
        return new Quantiles(at(sorted, 0.5), at(sorted, 0.95), sorted[sorted.length - 1]);
    }

    /**
     * Returns the median of a sample.
     *
     * @param sample at least one number, in any order; not modified
     * @return the median, NaN counting as larger than everything
     */
    static double median(double[] sample) {
        return at(sorted(sample), 0.5);
    }

    private static double[] sorted(double[] sample) {
        if (sample.length == 0) {
            throw new IllegalArgumentException("Quantiles: the sample is empty, expected at least one number");
        }
        double[] sorted = sample.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    private static double at(double[] sorted, double share) {
        double place = share * (sorted.length - 1);
        int below = (int) place;
        double fraction = place - below;
        if (fraction == 0 || sorted[below] == sorted[below + 1]) {
            return sorted[below];
        }
        return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
    }

    /** Whether every number of the sample was finite. */
    boolean allFinite() {
        return Double.isFinite(max);
    }
}
