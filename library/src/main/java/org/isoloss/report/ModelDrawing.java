package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.Stroke;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.QuadCurve2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.isoloss.report.ModelGraph.Kind;
import org.isoloss.report.ModelGraph.Layout;
import org.isoloss.report.ModelGraph.Step;
import org.isoloss.report.ModelGraph.Way;

/**
 * Draws a {@link ModelGraph}: a line for each step, in the order of computation, and ways that skip steps as arcs beside
 * them. Styles differ in width and dash, so that they can be told apart without colour.
 */
final class ModelDrawing {
    private static final int TOP = 74;
    private static final int ROW = 26;
    private static final int SPINE = 120;
    private static final int NUMBERS = 500;
    private static final int MOST_LETTERS = 52;
    private static final double RADIUS = 6;
    private static final Color STAYING = new Color(0xa4, 0xab, 0xb2);
    private static final Stroke THICK = new BasicStroke(3, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    private static final Stroke THIN = new BasicStroke(1.5f);

    private final Layout layout;
    private final int width;

    ModelDrawing(ModelGraph graph, int width) {
        this.layout = graph.layout();
        this.width = width;
    }

    private static Stroke dashes(float width, float... pattern) {
        return new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, pattern, 0);
    }

    Dimension size() {
        return new Dimension(width, TOP + ROW * layout.steps().size() + 12);
    }

    void draw(String title, Graphics2D canvas) {
        Look.begin(canvas, size(), title);
        canvas.setFont(Look.TICK);
        legend(canvas);
        List<Way> ways = layout.ways();
        for (Kind kind : List.of(Kind.BEHIND, Kind.MOVES, Kind.LEAKS)) {
            ways.stream().filter(way -> way.kind() == kind).forEach(way -> way(canvas, way));
        }
        for (int i = 0; i < layout.steps().size(); i++) {
            step(canvas, i);
        }
    }

    private void legend(Graphics2D canvas) {
        double x = 14;
        for (Kind kind : Kind.values()) {
            if (layout.kinds().containsValue(kind)) {
                style(canvas, kind);
                canvas.draw(new Line2D.Double(x, 46, x + 30, 46));
                x = words(canvas, x + 36, words(kind));
            }
        }
        mark(canvas, x + 6, 46, true, false);
        x = words(canvas, x + 18, "kept");
        mark(canvas, x + 6, 46, false, true);
        words(canvas, x + 22, "smallest of all");
    }

    private static double words(Graphics2D canvas, double x, String words) {
        canvas.setPaint(Look.INK);
        canvas.drawString(words, (float) x, 50);
        return x + 16 + 6.2 * words.length();
    }

    private static String words(Kind kind) {
        return switch (kind) {
            case MOVES -> "moves";
            case LEAKS -> "sees it otherwise";
            case BEHIND -> "behind what is kept";
        };
    }

    private static void style(Graphics2D canvas, Kind kind) {
        canvas.setStroke(
                switch (kind) {
                    case MOVES -> THICK;
                    case LEAKS -> dashes(3, 10, 4, 2, 4);
                    case BEHIND -> dashes(1, 3, 3);
                });
        canvas.setPaint(
                switch (kind) {
                    case MOVES -> Look.line(0);
                    case LEAKS -> Look.line(1);
                    case BEHIND -> STAYING;
                });
    }

    private static double y(int row) {
        return TOP + ROW * (row + 0.5);
    }

    private static void way(Graphics2D canvas, Way way) {
        style(canvas, way.kind());
        double from = y(way.from());
        double to = y(way.to());
        if (way.to() == way.from() + 1) {
            canvas.draw(new Line2D.Double(SPINE, from, SPINE, to));
        } else {
            double bulge = Math.min(2.0 * SPINE - 24, 24 + 22.0 * (way.to() - way.from() - 1));
            canvas.draw(new QuadCurve2D.Double(SPINE, from, SPINE - bulge, (from + to) / 2, SPINE, to));
        }
    }

    private void step(Graphics2D canvas, int row) {
        Step step = layout.steps().get(row);
        boolean left = step.size() == 0;
        if (!left) {
            mark(canvas, SPINE, y(row), step.kept() > 0, step.smallest() > 0);
        }
        canvas.setPaint(left ? Look.MUTED : Look.INK);
        float base = (float) y(row) + 4;
        String name = step.name();
        canvas.drawString(
                name.length() > MOST_LETTERS ? name.substring(0, MOST_LETTERS - 1) + "\u2026" : name, SPINE + 20, base);
        if (left) {
            return;
        }
        canvas.setPaint(Look.MUTED);
        int kept = Math.max(step.kept(), step.smallest());
        String part = "%d of %d".formatted(step.entries(), step.size());
        canvas.drawString(
                layout.moving().contains(row) ? part + " move" : kept > 0 ? "%d kept".formatted(kept) : part,
                NUMBERS,
                base);
    }

    /** A filled square for what is kept, a square around it for the smallest boundary, a circle for what is neither. */
    private static void mark(Graphics2D canvas, double x, double y, boolean kept, boolean smallest) {
        canvas.setStroke(THIN);
        if (!kept && !smallest) {
            var circle = new Ellipse2D.Double(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS);
            canvas.setPaint(Color.WHITE);
            canvas.fill(circle);
            canvas.setPaint(Look.INK);
            canvas.draw(circle);
            return;
        }
        if (smallest) {
            square(canvas, x, y, RADIUS + 3, false);
        }
        square(canvas, x, y, kept ? RADIUS : RADIUS - 1, kept);
    }

    private static void square(Graphics2D canvas, double x, double y, double half, boolean filled) {
        var square = new Rectangle2D.Double(x - half, y - half, 2 * half, 2 * half);
        canvas.setPaint(filled ? Look.INK : Color.WHITE);
        canvas.fill(square);
        canvas.setPaint(Look.INK);
        canvas.draw(square);
    }
}
