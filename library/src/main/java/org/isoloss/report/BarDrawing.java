package org.isoloss.report;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.geom.Rectangle2D;
import java.awt.geom.RectangularShape;
import java.util.Arrays;
import java.util.Optional;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.ui.Layer;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.Range;
import org.jfree.data.category.DefaultCategoryDataset;

/** Draws a {@link BarChart}. */
final class BarDrawing {
    /** The sign of a series in the legend. */
    private static final Rectangle2D SIGN = new Rectangle2D.Double(-7, -5, 14, 11);

    /** What the vertical axis takes from the width of the bars. */
    private static final int BESIDE = 90;

    private BarDrawing() {}

    /** Returns the size of a chart that is {@code width} wide. */
    static Dimension size(BarChart chart, int width) {
        return Look.size(width, chart.series().keySet());
    }

    static JFreeChart of(BarChart chart, String title, Dimension size) {
        var extent = new Extent(chart.value());
        extent.include(0);
        var bars = new DefaultCategoryDataset();
        var renderer = new BarRenderer();
        chart.series().forEach((name, heights) -> {
            int row = bars.getRowCount();
            renderer.setSeriesPaint(row, Look.bar(row));
            Look.hatch(row, SIGN).ifPresent(sign -> renderer.setLegendShape(row, sign));
            for (int j = 0; j < heights.length; j++) {
                bars.addValue(heights[j], name, chart.categories().get(j));
                extent.include(heights[j]);
            }
        });
        renderer.setBarPainter(new Bars());
        renderer.setShadowVisible(false);
        renderer.setDrawBarOutline(false);
        renderer.setItemMargin(0.06);
        renderer.setMaximumBarWidth(0.12);

        var categories = Look.axis(new CategoryAxis(), chart.categoryLabel());
        categories.setCategoryMargin(0.3);
        categories.setLowerMargin(0.015);
        categories.setUpperMargin(0.015);
        categories.setMaximumCategoryLabelLines(2);
        if (isCrowded(chart, size)) {
            categories.setCategoryLabelPositions(CategoryLabelPositions.UP_45);
        }
        categories.setAxisLineVisible(false);
        ValueAxis values = Ticks.axis(chart.value(), room(extent.range()), false, Ticks.up(size.height));
        values.setAxisLineVisible(false);
        values.setTickMarksVisible(false);
        var plot = new CategoryPlot(bars, categories, values, renderer);
        plot.setAxisOffset(new RectangleInsets(0, 0, 4, 4));
        plot.setRangeGridlinePaint(Look.GRID);
        plot.setRangeGridlineStroke(Look.HAIRLINE);
        plot.addRangeMarker(zero(), Layer.FOREGROUND);
        return Look.chart(title, plot, chart.series().size() > 1);
    }

    /** Says whether names side by side would run into one another. */
    private static boolean isCrowded(BarChart chart, Dimension size) {
        double room = (size.width - BESIDE) / (double) chart.categories().size();
        return chart.categories().stream()
                .flatMap(name -> Arrays.stream(name.split(" ", -1)))
                .anyMatch(word -> ((PlainFont) Look.TICK).width(word) > room);
    }

    /** Fills a bar, or draws its stripes. */
    private static final class Bars extends StandardBarPainter {
        private static final long serialVersionUID = 1L;

        @Override
        public void paintBar(
                Graphics2D canvas,
                BarRenderer renderer,
                int row,
                int column,
                RectangularShape bar,
                RectangleEdge base) {
            Optional<Shape> hatch = Look.hatch(row, bar.getBounds2D());
            if (hatch.isPresent()) {
                canvas.setPaint(renderer.getItemPaint(row, column));
                canvas.fill(hatch.get());
            } else {
                super.paintBar(canvas, renderer, row, column, bar, base);
            }
        }
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
