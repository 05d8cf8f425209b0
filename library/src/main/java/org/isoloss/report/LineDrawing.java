package org.isoloss.report;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.geom.Line2D;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.LegendItem;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.DeviationRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.Range;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;
import org.jfree.data.xy.YIntervalSeries;
import org.jfree.data.xy.YIntervalSeriesCollection;

/** Draws a {@link LineChart}. */
final class LineDrawing {
    /** Up to so many points each gets a marker. */
    private static final int FEW = 25;

    private static final int MARKERS_OF_A_LINE = 8;

    private static final float BAND_OPACITY = 0.16f;

    private LineDrawing() {}

    /** Returns the size of a chart that is {@code width} wide. */
    static Dimension size(LineChart chart, int width) {
        return Look.size(width, names(chart));
    }

    private static List<String> names(LineChart chart) {
        return chart.series().stream().map(Series::name).toList();
    }

    static JFreeChart of(LineChart chart, String title, Dimension size) {
        ValueAxis x = Ticks.axis(
                chart.x(),
                range(chart.x(), chart.series(), List.of(Series::x)),
                chart.series().stream().anyMatch(LineDrawing::hasEveryMarker),
                Ticks.across(size.width));
        ValueAxis y = Ticks.axis(
                chart.y(),
                range(chart.y(), chart.series(), List.of(Series::low, Series::high)),
                true,
                Ticks.up(size.height));
        var plot = new XYPlot();
        plot.setDomainAxis(x);
        plot.setRangeAxis(y);
        plot.setAxisOffset(new RectangleInsets(0, 0, 0, 0));
        plot.setDomainGridlinesVisible(false);
        plot.setRangeGridlinePaint(Look.GRID);
        plot.setRangeGridlineStroke(Look.HAIRLINE);
        var bands = new YIntervalSeriesCollection();
        var bandRenderer = new DeviationRenderer(false, false);
        bandRenderer.setAlpha(BAND_OPACITY);
        bandRenderer.setDefaultSeriesVisibleInLegend(false);
        var lines = new XYSeriesCollection();
        var renderer = new Lines(chart.series());
        renderer.setDrawSeriesLineAsPath(true);
        renderer.setLegendLine(new Line2D.Double(-13, 0, 13, 0));
        for (int i = 0; i < chart.series().size(); i++) {
            Series series = chart.series().get(i);
            lines.addSeries(points(chart, series, i));
            renderer.style(i);
            if (series.hasBand()) {
                for (YIntervalSeries band : bands(chart, series, i, y.getLowerBound())) {
                    bandRenderer.setSeriesFillPaint(bands.getSeriesCount(), Look.line(i));
                    bands.addSeries(band);
                }
            }
        }
        plot.setDataset(0, bands);
        plot.setRenderer(0, bandRenderer);
        plot.setDataset(1, lines);
        plot.setRenderer(1, renderer);
        return Look.chart(title, plot, chart.series().size() > 1);
    }

    private static boolean hasEveryMarker(Series series) {
        return switch (series.style()) {
            case LINE -> series.size() <= FEW;
            case POINTS -> true;
            case REFERENCE -> false;
        };
    }

    /** Lines in colours, dashes and markers; of a long line among others a few points are marked, at places of its own. */
    private static final class Lines extends XYLineAndShapeRenderer {
        private static final long serialVersionUID = 1L;

        private final transient List<Series> series;

        Lines(List<Series> series) {
            this.series = series;
            setDrawSeriesLineAsPath(true);
            setLegendLine(new Line2D.Double(-13, 0, 13, 0));
            setUseFillPaint(true);
            setDrawOutlines(true);
        }

        void style(int index) {
            Series.Style style = series.get(index).style();
            boolean isReference = style == Series.Style.REFERENCE;
            setSeriesPaint(index, isReference ? Look.MUTED : Look.line(index));
            setSeriesFillPaint(index, Look.isMarkerFilled(index) ? Look.line(index) : Color.WHITE);
            setSeriesStroke(index, isReference ? Look.REFERENCE : Look.stroke(index));
            setSeriesOutlineStroke(index, Look.MARKER);
            setSeriesShape(index, Look.marker(index));
            setSeriesLinesVisible(index, style != Series.Style.POINTS);
            setSeriesShapesVisible(index, hasEveryMarker(series.get(index)) || (!isReference && series.size() > 1));
        }

        /** The sign in the legend has the marker, whether or not the first point has. */
        @Override
        public LegendItem getLegendItem(int dataset, int index) {
            LegendItem item = super.getLegendItem(dataset, index);
            if (item != null) {
                item.setShapeVisible(super.getItemShapeVisible(index, 0));
            }
            return item;
        }

        @Override
        public boolean getItemShapeVisible(int index, int item) {
            if (!super.getItemShapeVisible(index, item) || hasEveryMarker(series.get(index))) {
                return super.getItemShapeVisible(index, item);
            }
            int apart = Math.ceilDiv(series.get(index).size(), MARKERS_OF_A_LINE);
            return item % apart == (1 + 2 * index) * apart / (2 * series.size());
        }
    }

    /** Keys are numbered because two series may share a name; the legend shows {@link Series#name}. */
    private static XYSeries points(LineChart chart, Series series, int index) {
        var points = new XYSeries(new Key(index, series.name()), false, true);
        for (int i = 0; i < series.size(); i++) {
            boolean shown = chart.x().shows(series.x(i)) && chart.y().shows(series.y(i));
            points.add(shown ? series.x(i) : Double.NaN, shown ? series.y(i) : Double.NaN);
        }
        return points;
    }

    /** One band for each run of points that the axes can show: a point at zero on a log axis is a gap. */
    private static List<YIntervalSeries> bands(LineChart chart, Series series, int index, double floor) {
        DoubleUnaryOperator visible = value -> chart.y().shows(value) ? value : floor;
        List<YIntervalSeries> bands = new ArrayList<>();
        boolean open = false;
        for (int i = 0; i < series.size(); i++) {
            boolean shown = chart.x().shows(series.x(i)) && chart.y().shows(series.high(i));
            if (shown && !open) {
                bands.add(
                        new YIntervalSeries(new Key(index * series.size() + bands.size(), series.name()), false, true));
            }
            if (shown) {
                bands.getLast()
                        .add(
                                series.x(i),
                                visible.applyAsDouble(series.y(i)),
                                visible.applyAsDouble(series.low(i)),
                                visible.applyAsDouble(series.high(i)));
            }
            open = shown;
        }
        return bands;
    }

    private static Range range(Axis axis, List<Series> drawn, List<PointValue> values) {
        var extent = new Extent(axis);
        for (Series series : drawn) {
            for (int i = 0; i < series.size(); i++) {
                for (PointValue value : values) {
                    extent.include(value.of(series, i));
                }
            }
        }
        return extent.range();
    }

    /** A number that a series has at each point. */
    private interface PointValue {
        double of(Series series, int point);
    }

    /** A name in the legend that stays apart from equal names. */
    private record Key(int index, String name) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return Integer.compare(index, other.index);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
