package org.isoloss.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Bars side by side: one group for each category, one bar in it for each series.
 *
 * @param categoryLabel what the categories are
 * @param value the vertical axis; linear, since bars start at zero
 * @param categories at least one
 * @param series name and finite height for each category; at least one, in the order drawn
 */
public record BarChart(String categoryLabel, Axis value, List<String> categories, Map<String, double[]> series)
        implements Chart {
    /** Checks that every category has a finite height. */
    public BarChart {
        if (value.scale() == Axis.Scale.LOG) {
            throw new IllegalArgumentException(
                    "BarChart: bars start at zero, which the log axis '%s' has not; use a line chart"
                            .formatted(value.quantity()));
        }
        if (categories.isEmpty() || series.isEmpty()) {
            throw new IllegalArgumentException("BarChart: %d categories and %d series, expected at least one of each"
                    .formatted(categories.size(), series.size()));
        }
        categories = List.copyOf(categories);
        series = Collections.unmodifiableMap(new LinkedHashMap<>(series));
        series.forEach(finite(categories));
    }

    private static BiConsumer<String, double[]> finite(List<String> categories) {
        return (name, values) -> {
            if (values.length != categories.size()) {
                throw new IllegalArgumentException("BarChart: series '%s' has %d values, expected %d, one a category"
                        .formatted(name, values.length, categories.size()));
            }
            for (int i = 0; i < values.length; i++) {
                if (!Double.isFinite(values[i])) {
                    throw new IllegalArgumentException("BarChart: series '%s' at '%s' is %s, expected finite numbers"
                            .formatted(name, categories.get(i), values[i]));
                }
            }
        };
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

    @Override
    public Table data(String caption) {
        List<@Nullable Object[]> lines = new ArrayList<>();
        series.forEach((name, heights) -> {
            for (int j = 0; j < heights.length; j++) {
                lines.add(new Object[] {name, categories.get(j), heights[j]});
            }
        });
        return Table.of(
                        caption,
                        Column.text("series", "series"),
                        Column.text("category", categoryLabel),
                        Column.scientific("value", value.words(), 3))
                .rows(lines);
    }
}
