package org.isoloss.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/** Bars side by side: one group for each category, one bar in it for each series. */
public final class BarChart implements Chart {
    private final String categoryLabel;
    private final Axis value;
    private final List<String> categories;
    private final List<String> series;
    private final Matrix heights;

    /**
     * Makes a chart.
     *
     * @param categoryLabel what the categories are
     * @param value the vertical axis; linear, since bars start at zero
     * @param categories at least one
     * @param series name and finite height for each category; at least one, in the order drawn; copied
     * @throws IllegalArgumentException if a length differs, a value is not finite or the axis is logarithmic
     */
    public BarChart(String categoryLabel, Axis value, List<String> categories, Map<String, double[]> series) {
        if (value.scale() == Axis.Scale.LOG) {
            throw new IllegalArgumentException(
                    "BarChart: bars start at zero, which the log axis '%s' has not; use a line chart"
                            .formatted(value.quantity()));
        }
        if (categories.isEmpty() || series.isEmpty()) {
            throw new IllegalArgumentException("BarChart: %d categories and %d series, expected at least one of each"
                    .formatted(categories.size(), series.size()));
        }
        this.categoryLabel = categoryLabel;
        this.value = value;
        this.categories = List.copyOf(categories);
        this.series = List.copyOf(series.keySet());
        this.heights = Matrix.zeros(series.size(), categories.size());
        int row = 0;
        for (Map.Entry<String, double[]> one : series.entrySet()) {
            fill(row++, one.getKey(), one.getValue());
        }
    }

    /**
     * Returns a chart of one series.
     *
     * @param categoryLabel what the categories are
     * @param value the vertical axis
     * @param heights finite height by category, in the order drawn
     * @return the chart, without a legend
     */
    public static BarChart of(String categoryLabel, Axis value, Map<String, Double> heights) {
        Map<String, double[]> only = new LinkedHashMap<>();
        only.put(
                value.quantity(),
                heights.values().stream().mapToDouble(Double::doubleValue).toArray());
        return new BarChart(categoryLabel, value, List.copyOf(heights.keySet()), only);
    }

    private void fill(int row, String name, double[] values) {
        if (values.length != categories.size()) {
            throw new IllegalArgumentException("BarChart: series '%s' has %d values, expected %d, one a category"
                    .formatted(name, values.length, categories.size()));
        }
        for (int i = 0; i < values.length; i++) {
            if (!Double.isFinite(values[i])) {
                throw new IllegalArgumentException("BarChart: series '%s' at '%s' is %s, expected finite numbers"
                        .formatted(name, categories.get(i), values[i]));
            }
            heights.set(row, i, values[i]);
        }
    }

    String categoryLabel() {
        return categoryLabel;
    }

    Axis value() {
        return value;
    }

    List<String> categories() {
        return categories;
    }

    List<String> series() {
        return series;
    }

    double height(int one, int category) {
        return heights.get(one, category);
    }

    @Override
    public Table data(String caption) {
        List<@Nullable Object[]> lines = new ArrayList<>();
        for (int i = 0; i < series.size(); i++) {
            for (int j = 0; j < categories.size(); j++) {
                lines.add(new Object[] {series.get(i), categories.get(j), heights.get(i, j)});
            }
        }
        return Table.of(
                        caption,
                        Column.text("series", "series"),
                        Column.text("category", categoryLabel),
                        Column.scientific("value", value.label(), 3))
                .rows(lines);
    }
}
