package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The singular values of the sampled constraints, each over the largest of its block, with multiplicities.
 *
 * @see "label fig:frontier-spectra of the paper"
 */
public final class Spectrum {
    /** Below this a relative singular value is rounding: the gap does not grow by falling further. */
    private static final double FLOOR = 0x1p-52;

    private static final double LEAST_GAP = 100;

    private final NavigableMap<Double, Long> values = new TreeMap<>();

    Spectrum() {}

    void add(double[] relativeValues, long multiplicity) {
        for (double value : relativeValues) {
            values.merge(value, multiplicity, Long::sum);
        }
    }

    /**
     * Returns how many singular values are at most a threshold.
     *
     * @param threshold in (0, 1)
     * @return the dimension of the null space by that threshold
     */
    public long nullity(double threshold) {
        return values.headMap(threshold, true).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /**
     * Returns how clear a threshold separates: the least value above it over the largest at or below it. Values below
     * 2.2e-16 count as 2.2e-16, also where there is none.
     *
     * @param threshold in (0, 1)
     * @return at least 1
     */
    public double gap(double threshold) {
        Map.Entry<Double, Long> below = values.floorEntry(threshold);
        return leastAbove(threshold) / Math.max(FLOOR, below == null ? 0 : below.getKey());
    }

    /**
     * Returns the condition number of the constraints on what they determine.
     *
     * @param threshold in (0, 1)
     * @return 1 over the least relative singular value above the threshold
     */
    public double condition(double threshold) {
        return 1 / leastAbove(threshold);
    }

    /** Why no dimension can be read off, or an empty text. */
    String doubt() {
        double retained = Extraction.RETAINED;
        if (gap(retained) < LEAST_GAP) {
            return "the gap at threshold %.0e is a factor %.1f, less than %.0f"
                    .formatted(retained, gap(retained), LEAST_GAP);
        }
        for (double threshold : Extraction.THRESHOLDS) {
            if (nullity(threshold) != nullity(retained)) {
                return "the null space has dimension %d at threshold %.0e and %d at %.0e"
                        .formatted(nullity(threshold), threshold, nullity(retained), retained);
            }
        }
        return "";
    }

    private double leastAbove(double threshold) {
        Double above = values.higherKey(threshold);
        return above == null ? 1 : above;
    }

    /**
     * Returns the smallest values.
     *
     * @param count how many at most
     * @return ascending
     */
    public double[] smallest(int count) {
        List<Double> smallest = new ArrayList<>();
        for (Map.Entry<Double, Long> entry : values.entrySet()) {
            for (long k = 0; k < entry.getValue() && smallest.size() < count; k++) {
                smallest.add(entry.getKey());
            }
        }
        return smallest.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** {@return the number of singular values, the number of unknowns} */
    public long size() {
        return values.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public String toString() {
        return "Spectrum" + Arrays.toString(smallest(24));
    }
}
