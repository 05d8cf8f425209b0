package org.isoloss.report;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A named sequence of points of a {@link LineChart}, with or without a band around it. */
public final class Series {
    /** How the points are drawn. */
    public enum Style {
        /** A line; short series also get markers. */
        LINE,
        /** Markers only. */
        POINTS,
        /** A thin grey dashed line: something to compare with. */
        REFERENCE
    }

    private final String name;
    private final Style style;
    private final double[] x;
    private final double[] y;
    private final double @Nullable [] low;
    private final double @Nullable [] high;

    private Series(
            String name, Style style, double[] x, double[] y, double @Nullable [] low, double @Nullable [] high) {
        this.name = name;
        this.style = style;
        this.x = x;
        this.y = y;
        this.low = low;
        this.high = high;
    }

    /**
     * Returns a series.
     *
     * @param name what the legend says
     * @param style how it is drawn
     * @param x abscissas, finite, at least one; copied
     * @param y ordinates, finite, as many; copied
     * @return the series without a band
     * @throws IllegalArgumentException if the lengths differ or a value is not finite
     */
    public static Series of(String name, Style style, double[] x, double[] y) {
        if (x.length == 0) {
            throw new IllegalArgumentException("Series '%s': no points, expected at least one".formatted(name));
        }
        return new Series(name, style, finite(name, "x", x, x.length), finite(name, "y", y, x.length), null, null);
    }

    /**
     * Returns the line over items, those of them whose ordinate is a finite number.
     *
     * @param <T> what is drawn
     * @param name what the legend says
     * @param items in the order of the line
     * @param x abscissa of an item, finite
     * @param y ordinate of an item
     * @return empty where no item is left
     */
    public static <T> Optional<Series> over(
            String name, List<? extends T> items, ToDoubleFunction<? super T> x, ToDoubleFunction<? super T> y) {
        List<? extends T> shown = items.stream()
                .filter(item -> Double.isFinite(y.applyAsDouble(item)))
                .toList();
        return shown.isEmpty()
                ? Optional.empty()
                : Optional.of(of(
                        name,
                        Style.LINE,
                        shown.stream().mapToDouble(x).toArray(),
                        shown.stream().mapToDouble(y).toArray()));
    }

    /**
     * Returns the line through points.
     *
     * @param name what the legend says
     * @param x abscissas, finite, at least one
     * @param y ordinates, finite, as many
     * @return the series
     */
    public static Series line(String name, List<Double> x, List<Double> y) {
        return of(name, Style.LINE, array(x), array(y));
    }

    private static double[] array(List<Double> numbers) {
        return numbers.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** Returns the series that there are. */
    static List<Series> present(List<Optional<Series>> series) {
        return series.stream().flatMap(Optional::stream).toList();
    }

    /**
     * Returns this series with a shaded band.
     *
     * @param low lower edge at each x, finite; copied
     * @param high upper edge at each x, finite, not below the lower; copied
     * @return the series with the band
     * @throws IllegalArgumentException if a length differs, a value is not finite or the edges cross
     */
    public Series withBand(double[] low, double[] high) {
        double[] lower = finite(name, "low", low, x.length);
        double[] upper = finite(name, "high", high, x.length);
        for (int i = 0; i < lower.length; i++) {
            if (lower[i] > upper[i]) {
                throw new IllegalArgumentException("Series '%s': band at %d goes from %s to %s, expected low <= high"
                        .formatted(name, i, lower[i], upper[i]));
            }
        }
        return new Series(name, style, x, y, lower, upper);
    }

    private static double[] finite(String name, String what, double[] values, int length) {
        if (values.length != length) {
            throw new IllegalArgumentException(
                    "Series '%s': %d %s values, expected %d, one a point".formatted(name, values.length, what, length));
        }
        for (int i = 0; i < length; i++) {
            if (!Double.isFinite(values[i])) {
                throw new IllegalArgumentException(
                        "Series '%s': %s value %d is %s, expected finite numbers".formatted(name, what, i, values[i]));
            }
        }
        return values.clone();
    }

    /** {@return the name, what the legend says} */
    public String name() {
        return name;
    }

    Style style() {
        return style;
    }

    int size() {
        return x.length;
    }

    boolean hasBand() {
        return low != null;
    }

    double x(int point) {
        return x[point];
    }

    double y(int point) {
        return y[point];
    }

    /** Returns the lower edge of the band, or the point itself where there is none. */
    double low(int point) {
        return low == null ? y[point] : low[point];
    }

    /** Returns the upper edge of the band, or the point itself where there is none. */
    double high(int point) {
        return high == null ? y[point] : high[point];
    }

    @Override
    public String toString() {
        return "Series " + name + " " + Arrays.toString(y);
    }
}
