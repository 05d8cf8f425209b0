package org.isoloss.report;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.jfree.chart.axis.AxisState;
import org.jfree.chart.axis.LogAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTick;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.TickType;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.Range;

/** JFreeChart axes with our ticks, ranges and numbers. */
final class Ticks {
    private static final double MARGIN = 0.04;
    /** Units of the drawing that a label takes from the next one, along a horizontal and a vertical axis. */
    private static final int ACROSS = 80;

    private static final int UP = 48;
    private static final int[] STEPS = {1, 2, 5};

    private Ticks() {}

    /** Returns how many labels an axis has room for that is drawn from left to right in a picture of {@code width}. */
    static int across(int width) {
        return Math.clamp(width / ACROSS, 2, 8);
    }

    /** Returns how many labels an axis has room for that is drawn upwards in a picture of {@code height}. */
    static int up(int height) {
        return Math.clamp(height / UP, 2, 8);
    }

    /** Returns a styled axis over {@code data}, or over its own limits, with at most {@code labels} steps between labels. */
    static ValueAxis axis(Axis axis, Range data, boolean withMargin, int labels) {
        Range range = range(axis, data, withMargin);
        ValueAxis drawn = axis.scale() == Axis.Scale.LOG ? new PowerAxis(labels) : linear(range, labels);
        drawn.setRange(range);
        drawn.setAutoRange(false);
        return Look.axis(drawn, axis.label());
    }

    private static NumberAxis linear(Range range, int labels) {
        var axis = new NumberAxis();
        axis.setAutoRangeIncludesZero(false);
        axis.setTickUnit(new NumberTickUnit(step(range.getLength(), labels), new TickFormat()));
        return axis;
    }

    /** Returns the smallest of 1, 2 and 5 times a power of ten that divides {@code length} into few steps. */
    static double step(double length, int most) {
        int exponent = (int) Math.floor(Math.log10(length / most));
        for (int factor : STEPS) {
            double step = factor * Math.pow(10, exponent);
            if (length / step <= most) {
                return step;
            }
        }
        return Math.pow(10, exponent + 1);
    }

    private static Range range(Axis axis, Range data, boolean withMargin) {
        Axis.Limits limits = axis.limits();
        if (limits != null) {
            return new Range(limits.low(), limits.high());
        }
        if (axis.scale() == Axis.Scale.LOG) {
            double margin = Math.pow(data.getUpperBound() / data.getLowerBound(), MARGIN);
            return margin > 1
                    ? new Range(data.getLowerBound() / margin, data.getUpperBound() * margin)
                    : new Range(data.getLowerBound() / 2, data.getUpperBound() * 2);
        }
        if (data.getLength() == 0) {
            double half = data.getCentralValue() == 0 ? 1 : Math.abs(data.getCentralValue()) / 2;
            return new Range(data.getLowerBound() - half, data.getUpperBound() + half);
        }
        double margin = withMargin ? MARGIN * data.getLength() : 0;
        return new Range(data.getLowerBound() - margin, data.getUpperBound() + margin);
    }

    /** A logarithmic axis with whole powers of ten, and 2 and 5 between them where the range is short. */
    static final class PowerAxis extends LogAxis {
        private static final long serialVersionUID = 1L;

        private final int labels;

        PowerAxis(int labels) {
            this.labels = labels;
        }

        @Override
        public List<NumberTick> refreshTicks(
                Graphics2D canvas, AxisState state, Rectangle2D dataArea, RectangleEdge edge) {
            TextAnchor anchor = RectangleEdge.isTopOrBottom(edge) ? TextAnchor.TOP_CENTER : TextAnchor.CENTER_RIGHT;
            TextAnchor facing = edge.equals(RectangleEdge.RIGHT) ? TextAnchor.CENTER_LEFT : anchor;
            int first = (int) Math.floor(Math.log10(getRange().getLowerBound()));
            int last = (int) Math.ceil(Math.log10(getRange().getUpperBound()));
            int every = Math.ceilDiv(last - first, labels);
            boolean between = Math.log10(getRange().getUpperBound() / getRange().getLowerBound()) < 2;
            boolean plain = first >= -3 && last <= 4;
            List<NumberTick> ticks = new ArrayList<>();
            for (int exponent = first; exponent <= last; exponent++) {
                for (int step = 1; step <= 9; step++) {
                    double value = step * Math.pow(10, exponent);
                    boolean major =
                            step == 1 ? Math.floorMod(exponent, every) == 0 : between && (step == 2 || step == 5);
                    if (getRange().contains(value) && (major || every == 1)) {
                        String label = major ? label(step, exponent, plain) : "";
                        TickType type = major ? TickType.MAJOR : TickType.MINOR;
                        ticks.add(new NumberTick(type, value, label, facing, TextAnchor.CENTER, 0));
                    }
                }
            }
            return ticks;
        }

        private static String label(int step, int exponent, boolean plain) {
            if (plain) {
                return TickFormat.text(step * Math.pow(10, exponent));
            }
            return (step == 1 ? "" : step + "\u00d7") + TickFormat.power(exponent);
        }
    }
}
