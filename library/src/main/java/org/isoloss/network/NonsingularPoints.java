package org.isoloss.network;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws again while a square factor among the parameters is numerically singular: hidden-basis changes act freely only on
 * invertible factors (appendix {@code app:one-generator-setup} of the paper).
 */
public final class NonsingularPoints implements PointSampler {
    /** Smallest accepted magnitude of a determinant; that of the identity is 1. */
    private static final double SMALLEST_DETERMINANT = 0.05;

    private static final int MOST_DRAWS = 10_000;

    private final PointSampler points;
    private final List<Factor> factors;

    /**
     * A square matrix of size 1 to 8, row by row, among the parameters.
     *
     * @param offset of its first entry
     * @param size rows and columns
     */
    public record Factor(int offset, int size) {
        /** Refuses sizes for which the determinant is not a usable measure. */
        public Factor {
            if (offset < 0 || size < 1 || size > 8) {
                throw new IllegalArgumentException(
                        "NonsingularPoints: a factor of size %d at %d, expected sizes 1 to 8".formatted(size, offset));
            }
        }
    }

    /**
     * Wraps a distribution.
     *
     * @param points the distribution to draw from
     * @param factors the matrices that must be invertible
     */
    public NonsingularPoints(PointSampler points, List<Factor> factors) {
        this.points = points;
        this.factors = List.copyOf(factors);
    }

    @Override
    public int parameterCount() {
        return points.parameterCount();
    }

    @Override
    public void draw(SplittableRandom random, double[] vectors, int offset) {
        for (int attempt = 0; attempt < MOST_DRAWS; attempt++) {
            points.draw(random, vectors, offset);
            boolean regular = true;
            for (int i = 0; i < factors.size(); i++) {
                Factor factor = factors.get(i);
                regular &= Math.abs(determinant(vectors, offset + factor.offset, factor.size)) >= SMALLEST_DETERMINANT;
            }
            if (regular) {
                return;
            }
        }
        throw new IllegalArgumentException(
                "NonsingularPoints: %d draws in a row were singular; lower the deviation or move the centre"
                        .formatted(MOST_DRAWS));
    }

    @Override
    public PointSampler widened(double factor) {
        return new NonsingularPoints(points.widened(factor), factors);
    }

    /** By Gaussian elimination with row pivoting on a copy. */
    private static double determinant(double[] entries, int offset, int size) {
        if (size == 1) {
            return entries[offset];
        }
        if (size == 2) {
            return entries[offset] * entries[offset + 3] - entries[offset + 1] * entries[offset + 2];
        }
        double[] a = Arrays.copyOfRange(entries, offset, offset + size * size);
        double determinant = 1;
        for (int k = 0; k < size; k++) {
            int pivot = k;
            for (int i = k + 1; i < size; i++) {
                if (Math.abs(a[i * size + k]) > Math.abs(a[pivot * size + k])) {
                    pivot = i;
                }
            }
            if (a[pivot * size + k] == 0) {
                return 0;
            }
            if (pivot != k) {
                determinant = -determinant;
                for (int j = k; j < size; j++) {
                    double swapped = a[k * size + j];
                    a[k * size + j] = a[pivot * size + j];
                    a[pivot * size + j] = swapped;
                }
            }
            determinant *= a[k * size + k];
            for (int i = k + 1; i < size; i++) {
                double factor = a[i * size + k] / a[k * size + k];
                for (int j = k; j < size; j++) {
                    a[i * size + j] -= factor * a[k * size + j];
                }
            }
        }
        return determinant;
    }
}
