package org.isoloss.report;

import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.jfree.chart.JFreeChart;

/**
 * A figure laid out: how large it is and what draws it, whatever it is drawn on. Its letters are 8 points high on paper;
 * a wider figure has more room, not larger letters. Only drawings of networks, which need a page's width, shrink as a whole.
 *
 * @param size in units of the drawing, CSS pixels on a page
 * @param inches width on paper, where it was asked for
 * @param painter draws
 */
record Picture(Dimension size, OptionalDouble inches, Consumer<Graphics2D> painter) {
    private static final int PAGE_WIDTH = 640;
    private static final int PHONE_WIDTH = 350;

    /** Of a point: 12 units are 8 points. */
    private static final double UNIT = 2.0 / 3;

    private static final double POINTS_AN_INCH = 72;

    /** Wider figures span the two columns of a paper. */
    private static final double COLUMN = 4;

    /** What a drawing keeps above it for its title. */
    private static final int TITLE_HEIGHT = 26;

    static Picture onPage(Figure figure) {
        return laidOut(figure, PAGE_WIDTH, OptionalDouble.empty(), false);
    }

    /** Returns the figure as wide as a phone; empty for drawings that need a page's width. */
    static Optional<Picture> onPhone(Figure figure) {
        Picture narrow = laidOut(figure, PHONE_WIDTH, OptionalDouble.empty(), false);
        return narrow.size.width > PHONE_WIDTH ? Optional.empty() : Optional.of(narrow);
    }

    static Picture of(Figure figure, FigureFiles files) {
        int width = (int) Math.round(files.inches().orElse(PAGE_WIDTH * UNIT / POINTS_AN_INCH) * POINTS_AN_INCH / UNIT);
        return laidOut(figure, width, files.inches(), files.isTitled());
    }

    /** Returns the size on paper. */
    Paper paper() {
        double width = inches.isPresent() ? inches.getAsDouble() * POINTS_AN_INCH : size.width * UNIT;
        double unit = width / size.width;
        return new Paper(width, unit * size.height, unit);
    }

    /** Says whether the figure is wider than a column. */
    boolean isWide() {
        return inches.orElse(0) > COLUMN;
    }

    private static Picture laidOut(Figure figure, int width, OptionalDouble inches, boolean isTitled) {
        String title = isTitled ? figure.title() : "";
        int wide = Math.max(width, PAGE_WIDTH);
        return switch (figure.chart()) {
            case LineChart lines -> {
                Dimension size = LineDrawing.size(lines, width);
                yield chart(LineDrawing.of(lines, title, size), size, inches);
            }
            case BarChart bars -> {
                Dimension size = BarDrawing.size(bars, width);
                yield chart(BarDrawing.of(bars, title, size), size, inches);
            }
            case HeatMap map -> {
                Dimension size = HeatDrawing.size(map, width);
                yield chart(HeatDrawing.of(map, title, size), size, inches);
            }
            case GreyImages images -> {
                var drawing = new ImageDrawing(images, width);
                Dimension size = drawing.size(width);
                yield drawn(size, inches, isTitled, canvas -> drawing.draw(title, canvas, size));
            }
            case ModelGraph graph -> {
                var drawing = new ModelDrawing(graph, wide);
                yield drawn(drawing.size(), inches, isTitled, canvas -> drawing.draw(title, canvas));
            }
            case SymmetryGraph graph -> {
                var drawing = new SymmetryDrawing(graph, wide);
                yield drawn(drawing.size(), inches, isTitled, canvas -> drawing.draw(title, canvas));
            }
            case NetworkGraph graph -> {
                var drawing = new NetworkDrawing(graph, wide);
                yield drawn(drawing.size(), inches, isTitled, canvas -> drawing.draw(title, canvas));
            }
        };
    }

    private static Picture chart(JFreeChart chart, Dimension size, OptionalDouble inches) {
        return new Picture(
                size, inches, canvas -> chart.draw(canvas, new Rectangle2D.Double(0, 0, size.width, size.height)));
    }

    /** Cuts off the room for a title that is not drawn. */
    private static Picture drawn(
            Dimension size, OptionalDouble inches, boolean isTitled, Consumer<Graphics2D> painter) {
        if (isTitled) {
            return new Picture(size, inches, painter);
        }
        return new Picture(new Dimension(size.width, size.height - TITLE_HEIGHT), inches, canvas -> {
            canvas.translate(0, -TITLE_HEIGHT);
            painter.accept(canvas);
        });
    }
}
