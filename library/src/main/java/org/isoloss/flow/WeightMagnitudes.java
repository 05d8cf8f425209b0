package org.isoloss.flow;

import java.util.Arrays;

/** The sum of the magnitudes of the moving numbers, which leaves few of them large, rounded off near 0. */
public final class WeightMagnitudes implements Objective {
    /** Numbers below this part of the root mean square count as 0. */
    private static final double ROUNDED = 1e-2;

    private final double width;

    private WeightMagnitudes(double width) {
        this.width = width;
    }

    /**
     * Adapts to the size of the numbers.
     *
     * @param origin where the flow begins, not 0; not modified
     * @return {@code sum sqrt(w^2 + e^2)}, e a hundredth of their root mean square
     */
    public static WeightMagnitudes of(double[] origin) {
        return new WeightMagnitudes(ROUNDED * Vectors.norm(origin) / Math.sqrt(origin.length));
    }

    @Override
    public double value(double[] point) {
        return Arrays.stream(point).map(number -> Math.hypot(number, width)).sum();
    }

    @Override
    public double[] gradient(double[] point) {
        return Arrays.stream(point)
                .map(number -> number / Math.hypot(number, width))
                .toArray();
    }

    /**
     * Counts the numbers that are nearly 0.
     *
     * @param point theta; not modified
     * @return how many are at most a hundredth of the root mean square at the beginning
     */
    public long nearZero(double[] point) {
        return Arrays.stream(point).filter(number -> Math.abs(number) <= width).count();
    }
}
