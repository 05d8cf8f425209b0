package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines, points and bands over two axes.
 *
 * <p>Points that a log axis cannot show (zero or below) are left out of the drawing and kept in the data.
 *
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param series at least one
 */
public record LineChart(Axis x, Axis y, List<Series> series) implements Chart {
    /** Copies the list and checks that there is something to draw. */
    public LineChart {
        series = List.copyOf(series);
        if (series.isEmpty()) {
            throw new IllegalArgumentException("LineChart: no series, expected at least one");
        }
    }

    /**
     * Returns a chart.
     *
     * @param x the horizontal axis
     * @param y the vertical axis
     * @param series at least one
     * @return the chart
     */
    public static LineChart of(Axis x, Axis y, Series... series) {
        return new LineChart(x, y, List.of(series));
    }

    @Override
    public Table data(String caption) {
        boolean bands = series.stream().anyMatch(Series::hasBand);
        List<Column> columns = new ArrayList<>(List.of(
                Column.text("series", "series"),
                Column.scientific("x", x.words(), 3),
                Column.scientific("y", y.words(), 3)));
        if (bands) {
            columns.add(Column.scientific("low", "low", 3));
            columns.add(Column.scientific("high", "high", 3));
        }
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (Series one : series) {
            for (int i = 0; i < one.size(); i++) {
                rows.add(row(one, i, bands));
            }
        }
        return Table.of(caption, columns.toArray(Column[]::new)).rows(rows);
    }

    private static @Nullable Object[] row(Series one, int point, boolean bands) {
        if (!bands) {
            return new Object[] {one.name(), one.x(point), one.y(point)};
        }
        return one.hasBand()
                ? new Object[] {one.name(), one.x(point), one.y(point), one.low(point), one.high(point)}
                : new @Nullable Object[] {one.name(), one.x(point), one.y(point), null, null};
    }
}
