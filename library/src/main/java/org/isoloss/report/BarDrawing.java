package org.isoloss.report;

import java.awt.Color;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.Range;
import org.jfree.data.category.DefaultCategoryDataset;

/** Draws a {@link BarChart}. */
final class BarDrawing {
    private BarDrawing() {}

    static JFreeChart of(BarChart chart, String title) {
        var extent = new Extent(chart.value());
        extent.include(0);
        var bars = new DefaultCategoryDataset();
        var renderer = new BarRenderer();
        chart.series().forEach((name, heights) -> {
            renderer.setSeriesPaint(bars.getRowCount(), Look.bar(bars.getRowCount()));
            renderer.setSeriesOutlinePaint(bars.getRowCount(), Look.INK);
            for (int j = 0; j < heights.length; j++) {
                bars.addValue(heights[j], name, chart.categories().get(j));
                extent.include(heights[j]);
            }
        });
        renderer.setBarPainter(new StandardBarPainter());
        renderer.setShadowVisible(false);
        renderer.setDrawBarOutline(false);
        renderer.setItemMargin(0.06);
        renderer.setMaximumBarWidth(0.12);

        var categories = Look.axis(new CategoryAxis(), chart.categoryLabel());
        categories.setCategoryMargin(0.3);
        categories.setLowerMargin(0.015);
        categories.setUpperMargin(0.015);
        categories.setMaximumCategoryLabelLines(2);
        categories.setAxisLineVisible(false);
        ValueAxis values = Ticks.axis(chart.value(), room(extent.range()), false);
        values.setAxisLineVisible(false);
        values.setTickMarksVisible(false);
        var plot = new CategoryPlot(bars, categories, values, renderer);
        plot.setAxisOffset(new RectangleInsets(0, 0, 4, 4));
        plot.setRangeGridlinePaint(Look.GRID);
        plot.setRangeGridlineStroke(Look.HAIRLINE);
        plot.addRangeMarker(zero(), Layer.FOREGROUND);
        return Look.chart(title, plot, chart.series().size() > 1);
    }

    private static ValueMarker zero() {
        var zero = new ValueMarker(0, Look.INK, Look.HAIRLINE);
        zero.setOutlinePaint(new Color(0, 0, 0, 0));
        return zero;
    }

    /** Leaves room beyond the bars, but none below bars that start at the bottom. */
    private static Range room(Range bars) {
        double margin = 0.04 * bars.getLength();
        return new Range(
                bars.getLowerBound() < 0 ? bars.getLowerBound() - margin : 0,
                bars.getUpperBound() > 0 ? bars.getUpperBound() + margin : 0);
    }
}
