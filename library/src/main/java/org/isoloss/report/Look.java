package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.HorizontalAlignment;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.RectangleInsets;

/** What every figure looks like: colours that differ in lightness too, dashes and markers, three sizes of type. */
final class Look {
    static final Color INK = new Color(0x22, 0x26, 0x2b);
    static final Color MUTED = new Color(0x6b, 0x72, 0x7a);
    static final Color GRID = new Color(0xe3, 0xe6, 0xe9);
    static final Font TITLE = new PlainFont(Font.BOLD, 15);
    static final Font LABEL = new PlainFont(Font.PLAIN, 13);
    static final Font TICK = new PlainFont(Font.PLAIN, 12);
    static final Stroke HAIRLINE = new BasicStroke(1);
    static final Stroke MARKER = new BasicStroke(1.3f);
    static final Stroke REFERENCE = dashed(1.5f, 5, 4);

    private static final List<Color> LINES = List.of(
            new Color(0x1b, 0x4f, 0x72),
            new Color(0xc8, 0x65, 0x12),
            new Color(0x3f, 0x8f, 0x7f),
            new Color(0x7a, 0x3e, 0x78),
            new Color(0x9a, 0x8a, 0x2a),
            new Color(0xb0, 0x2f, 0x45),
            new Color(0x3f, 0x82, 0xc4),
            new Color(0x76, 0x4b, 0x2b),
            new Color(0xc2, 0x5a, 0x94),
            new Color(0x2f, 0x66, 0x36));
    private static final List<Color> BARS = List.of(
            new Color(0x1b, 0x4f, 0x72),
            new Color(0xb9, 0xcd, 0xdc),
            new Color(0xc8, 0x65, 0x12),
            new Color(0xf0, 0xd6, 0xb8));
    private static final List<Hatch> HATCHES = List.of(Hatch.values());
    private static final List<Stroke> STROKES = List.of(
            new BasicStroke(2, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND),
            dashed(2, 8, 4),
            dashed(2, 2, 4),
            dashed(2, 9, 4, 2, 4),
            dashed(2, 14, 5));
    /** Those of the second half are drawn hollow. */
    private static final List<Shape> MARKERS = List.of(
            new Ellipse2D.Double(-3.5, -3.5, 7, 7),
            new Rectangle2D.Double(-3, -3, 6, 6),
            polygon(0, -4, 4, 3, -4, 3),
            polygon(0, -4.5, 4.5, 0, 0, 4.5, -4.5, 0),
            polygon(0, 4, 4, -3, -4, -3));

    /** Lines, and bars, that are told apart without colour. */
    static final int STYLES = 2 * MARKERS.size();

    private static final int LEGEND_LINE = 20;
    private static final int LEGEND_SIGN = 50;
    private static final int EDGE = 10;
    private static final int[] SHADE_STOPS = {0xf3f6f9, 0x86a9c6, 0x123a5c};

    static {
        // The workaround for a display bug of early JDKs would turn rotated labels into outlines.
        TextUtils.setUseDrawRotatedStringWorkaround(false);
    }

    private Look() {}

    private static Stroke dashed(float width, float... pattern) {
        return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, pattern, 0);
    }

    private static Shape polygon(double... corners) {
        var outline = new Path2D.Double();
        outline.moveTo(corners[0], corners[1]);
        for (int i = 2; i < corners.length; i += 2) {
            outline.lineTo(corners[i], corners[i + 1]);
        }
        outline.closePath();
        return outline;
    }

    static Color line(int index) {
        return LINES.get(index % LINES.size());
    }

    /** Returns the colour of a bar, or of the stripes on it. */
    static Color bar(int index) {
        int style = index % STYLES;
        return style < BARS.size() ? BARS.get(style) : LINES.get(style);
    }

    /** Returns the stripes of a bar with their frame; empty for bars that are filled. */
    static Optional<Shape> hatch(int index, Rectangle2D bar) {
        int style = index % STYLES;
        return style < BARS.size()
                ? Optional.empty()
                : Optional.of(HATCHES.get(style - BARS.size()).on(bar));
    }

    static Stroke stroke(int index) {
        return STROKES.get(index % STROKES.size());
    }

    static Shape marker(int index) {
        return MARKERS.get(index % MARKERS.size());
    }

    /** Says whether a marker is filled, or drawn as its outline. */
    static boolean isMarkerFilled(int index) {
        return index % STYLES < MARKERS.size();
    }

    /** Returns a shade that darkens evenly from 0 to 1. */
    static Color shade(double fraction) {
        double position = Math.clamp(fraction, 0.0, 1.0) * (SHADE_STOPS.length - 1);
        int stop = Math.min((int) position, SHADE_STOPS.length - 2);
        double rest = position - stop;
        return new Color(mix(stop, rest, 16), mix(stop, rest, 8), mix(stop, rest, 0));
    }

    private static int mix(int stop, double rest, int shift) {
        int from = SHADE_STOPS[stop] >> shift & 0xff;
        int to = SHADE_STOPS[stop + 1] >> shift & 0xff;
        return (int) Math.round(from + rest * (to - from));
    }

    /** Returns the ink that reads on a shade. */
    static Color inkOn(double fraction) {
        return fraction > 0.55 ? Color.WHITE : INK;
    }

    /** Clears a canvas and writes the title of the drawing, where it has one. */
    static void begin(Graphics2D canvas, Dimension size, String title) {
        canvas.setPaint(Color.WHITE);
        canvas.fill(new Rectangle2D.Double(0, 0, size.width, size.height));
        canvas.setPaint(INK);
        canvas.setFont(TITLE);
        if (!title.isEmpty()) {
            canvas.drawString(title, 12, 24);
        }
    }

    /** Puts a plot into a chart: title to the left, legend below it where there is more than one name. */
    static JFreeChart chart(String title, Plot plot, boolean legend) {
        plot.setOutlineVisible(false);
        plot.setBackgroundPaint(null);
        plot.setInsets(new RectangleInsets(6, 0, 0, 8));
        var chart = new JFreeChart(null, TITLE, plot, false);
        chart.setBackgroundPaint(Color.WHITE);
        chart.setPadding(new RectangleInsets(10, 10, 8, 10));
        if (!title.isEmpty()) {
            chart.setTitle(title(title));
        }
        if (legend) {
            chart.addSubtitle(legend(plot));
        }
        return chart;
    }

    private static TextTitle title(String words) {
        var title = new TextTitle(words, TITLE);
        title.setPaint(INK);
        title.setHorizontalAlignment(HorizontalAlignment.LEFT);
        title.setPosition(RectangleEdge.TOP);
        title.setPadding(new RectangleInsets(0, 0, 6, 0));
        title.setExpandToFitSpace(true);
        title.setTextAlignment(HorizontalAlignment.LEFT);
        return title;
    }

    /** Returns how many lines of words a legend takes. */
    static int legendLines(Collection<String> names, int width) {
        int lines = 1;
        double used = 0;
        for (String name : names) {
            double item = LEGEND_SIGN + ((PlainFont) LABEL).width(name);
            if (used > 0 && used + item > width - 2 * EDGE) {
                lines++;
                used = 0;
            }
            used += item;
        }
        return names.size() > 1 ? lines : 0;
    }

    /** Returns the size of a chart that is {@code width} wide, with a legend above it. */
    static Dimension size(int width, Collection<String> legend) {
        return new Dimension(width, (int) Math.round(0.46 * width) + 66 + LEGEND_LINE * legendLines(legend, width));
    }

    private static LegendTitle legend(Plot plot) {
        var legend = new LegendTitle(plot);
        legend.setItemFont(LABEL);
        legend.setItemPaint(INK);
        legend.setFrame(BlockBorder.NONE);
        legend.setPosition(RectangleEdge.TOP);
        legend.setHorizontalAlignment(HorizontalAlignment.LEFT);
        legend.setLegendItemGraphicPadding(new RectangleInsets(1, 0, 1, 4));
        legend.setItemLabelPadding(new RectangleInsets(1, 2, 1, 14));
        return legend;
    }

    /** Gives an axis its label, its type and its lines. */
    static <T extends org.jfree.chart.axis.Axis> T axis(T axis, String label) {
        axis.setLabel(label);
        axis.setLabelFont(LABEL);
        axis.setLabelPaint(INK);
        axis.setTickLabelFont(TICK);
        axis.setTickLabelPaint(MUTED);
        axis.setAxisLinePaint(MUTED);
        axis.setTickMarkPaint(MUTED);
        axis.setTickMarkOutsideLength(3);
        axis.setTickMarksVisible(!(axis instanceof CategoryAxis));
        return axis;
    }
}
