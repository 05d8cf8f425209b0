package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Dimension;
import java.awt.Paint;
import java.awt.Stroke;
import java.awt.geom.Rectangle2D;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.annotations.XYAnnotation;
import org.jfree.chart.annotations.XYShapeAnnotation;
import org.jfree.chart.annotations.XYTextAnnotation;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.PaintScale;
import org.jfree.chart.renderer.xy.XYBlockRenderer;
import org.jfree.chart.title.PaintScaleLegend;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.Range;
import org.jfree.data.xy.DefaultXYZDataset;

/** Draws a {@link HeatMap}; a log scale is drawn linearly over the exponents. */
final class HeatDrawing {
    /** Beyond so many cells the numbers would not fit. */
    private static final int CELLS_WITH_NUMBERS = 80;

    private static final int CELL_WITH_NUMBER = 42;

    /** What names and scale take from the width of the cells. */
    private static final int BESIDE = 150;

    private static final Stroke MARK = new BasicStroke(3);

    private HeatDrawing() {}

    /** Returns the size of a map that is {@code width} wide. */
    static Dimension size(HeatMap map, int width) {
        return new Dimension(width, Math.min(540, 115 + 34 * map.rows().size()));
    }

    static JFreeChart of(HeatMap map, String title, Dimension size) {
        int count = map.rows().size() * map.columns().size();
        double[][] cells = new double[3][count];
        var extent = new Extent(Axis.linear("", ""));
        for (int i = 0; i < count; i++) {
            int row = i / map.columns().size();
            int column = i % map.columns().size();
            cells[0][i] = column;
            cells[1][i] = row;
            cells[2][i] = height(map, map.cell(row, column));
            extent.include(cells[2][i]);
        }
        var scale = new Shades(widened(extent.range()));
        var renderer = new XYBlockRenderer();
        renderer.setPaintScale(scale);
        var dataset = new DefaultXYZDataset();
        dataset.addSeries("cells", cells);
        SymbolAxis rows = names(map.rows(), map.rowLabel());
        rows.setInverted(true);
        var plot = new XYPlot(dataset, names(map.columns(), map.columnLabel()), rows, renderer);
        plot.setAxisOffset(new RectangleInsets(0, 0, 0, 0));
        plot.setDomainGridlinesVisible(false);
        plot.setRangeGridlinesVisible(false);
        if (count <= CELLS_WITH_NUMBERS
                && size.width - BESIDE >= CELL_WITH_NUMBER * map.columns().size()) {
            for (int i = 0; i < count; i++) {
                plot.addAnnotation(number(map, cells, i, scale));
            }
        }
        HeatMap.Cell mark = map.mark();
        if (mark != null) {
            plot.addAnnotation(frame(mark));
        }
        JFreeChart chart = Look.chart(title, plot, false);
        chart.addSubtitle(legend(map, scale, size.height));
        return chart;
    }

    /** A frame just inside the cell, in a colour that no shade has. */
    private static XYAnnotation frame(HeatMap.Cell mark) {
        return new XYShapeAnnotation(
                new Rectangle2D.Double(mark.column() - 0.47, mark.row() - 0.44, 0.94, 0.88), MARK, Look.line(1));
    }

    /** Equal cells are shown in the middle shade. */
    private static Range widened(Range range) {
        return range.getLength() > 0 ? range : new Range(range.getLowerBound() - 0.5, range.getUpperBound() + 0.5);
    }

    private static double height(HeatMap map, double value) {
        return map.value().scale() == Axis.Scale.LOG ? Math.log10(value) : value;
    }

    private static SymbolAxis names(List<String> names, String label) {
        var axis = Look.axis(new SymbolAxis(label, names.toArray(String[]::new)), label);
        axis.setGridBandsVisible(false);
        axis.setRange(-0.5, names.size() - 0.5);
        axis.setTickMarksVisible(false);
        axis.setAxisLineVisible(false);
        axis.setTickUnit(new NumberTickUnit(1));
        return axis;
    }

    private static XYTextAnnotation number(HeatMap map, double[][] cells, int cell, Shades scale) {
        double value = map.cell((int) cells[1][cell], (int) cells[0][cell]);
        double size = Math.abs(value);
        String text = value == 0 || (size >= 0.01 && size < 1000)
                ? TickFormat.text(rounded(value))
                : Cells.scientific(value, 1);
        var number = new XYTextAnnotation(text, cells[0][cell], cells[1][cell]);
        number.setFont(Look.TICK);
        number.setPaint(Look.inkOn(scale.fraction(cells[2][cell])));
        return number;
    }

    private static double rounded(double value) {
        return new BigDecimal(value).round(new MathContext(3)).doubleValue();
    }

    private static PaintScaleLegend legend(HeatMap map, Shades scale, int height) {
        ValueAxis axis = Ticks.axis(
                Axis.linear(map.value().quantity(), map.value().unit()), scale.range(), false, Ticks.up(height));
        if (map.value().scale() == Axis.Scale.LOG && axis instanceof NumberAxis exponents) {
            double step = Math.max(1, Ticks.step(scale.range().getLength(), Ticks.up(height)));
            exponents.setTickUnit(
                    new NumberTickUnit(scale.range().getLength() < 1 ? step / 5 : step, TickFormat.ofExponents()));
        }
        axis.setAxisLineVisible(false);
        var legend = new PaintScaleLegend(scale, axis);
        legend.setPosition(RectangleEdge.RIGHT);
        legend.setAxisLocation(AxisLocation.BOTTOM_OR_RIGHT);
        legend.setStripWidth(12);
        legend.setStripOutlineVisible(false);
        legend.setSubdivisionCount(64);
        legend.setPadding(new RectangleInsets(6, 14, 34, 0));
        legend.setFrame(BlockBorder.NONE);
        legend.setBackgroundPaint(null);
        return legend;
    }

    /** Shades over a range of heights. */
    private record Shades(Range range) implements PaintScale {
        double fraction(double height) {
            return (height - range.getLowerBound()) / range.getLength();
        }

        @Override
        public double getLowerBound() {
            return range.getLowerBound();
        }

        @Override
        public double getUpperBound() {
            return range.getUpperBound();
        }

        @Override
        public Paint getPaint(double height) {
            return Look.shade(fraction(height));
        }
    }
}
