package org.isoloss.evaluation;

/**
 * The summary of a sample of magnitudes that should not be small.
 *
 * @param p50 the median
 */
public record Median(double p50) {
    /**
     * Summarises a sample.
     *
     * @param sample at least one number, in any order; not modified
     * @return the median, NaN counting as larger than everything
     */
    public static Median of(double[] sample) {
        return new Median(Quantiles.median(sample));
    }
}
