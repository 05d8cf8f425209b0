package org.isoloss.report;

import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.isoloss.checkpoint.AtomicFile;
import org.jfree.chart.JFreeChart;

/**
 * A chart with its name and its words: vector SVG for readers, CSV for programs. The same figure has the same bytes on
 * every machine.
 *
 * @param name file name without its ending, and the start of every id inside: small letters, digits and hyphens
 * @param title what the figure is, drawn above it
 * @param description what can be seen in it, for those who cannot see it; also the caption on a page
 * @param chart what it shows
 */
public record Figure(String name, String title, String description, Chart chart) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
    private static final int WIDTH = 640;
    private static final Dimension LINES = new Dimension(WIDTH, 400);
    private static final Dimension BARS = new Dimension(WIDTH, 340);

    /** Checks the name and that no words are missing. */
    public Figure {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "Figure: name '%s', expected small letters, digits and hyphens after a first letter"
                            .formatted(name));
        }
        if (title.isBlank() || description.isBlank()) {
            throw new IllegalArgumentException(
                    "Figure %s: title or description is empty, expected words for both".formatted(name));
        }
    }

    /**
     * {@return the drawing, an {@code svg} element with {@code title}, {@code desc} and {@code aria-label}, to stand alone or
     * in a page}
     */
    public String svg() {
        return switch (chart) {
            case LineChart lines -> draw(lines, LineDrawing::of, LINES);
            case BarChart bars -> draw(bars, BarDrawing::of, BARS);
            case HeatMap map ->
                draw(
                        map,
                        HeatDrawing::of,
                        new Dimension(WIDTH, Math.min(560, 140 + 34 * map.rows().size())));
            case GreyImages images -> {
                var drawing = new ImageDrawing(images, WIDTH);
                Dimension size = drawing.size(WIDTH);
                yield VectorCanvas.draw(name, size, title, description, canvas -> drawing.draw(title, canvas, size));
            }
            case ModelGraph graph -> {
                var drawing = new ModelDrawing(graph, WIDTH);
                yield VectorCanvas.draw(
                        name, drawing.size(), title, description, canvas -> drawing.draw(title, canvas));
            }
            case SymmetryGraph graph -> {
                var drawing = new SymmetryDrawing(graph, WIDTH);
                yield VectorCanvas.draw(
                        name, drawing.size(), title, description, canvas -> drawing.draw(title, canvas));
            }
            case NetworkGraph graph -> {
                var drawing = new NetworkDrawing(graph, WIDTH);
                yield VectorCanvas.draw(
                        name, drawing.size(), title, description, canvas -> drawing.draw(title, canvas));
            }
        };
    }

    private <C extends Chart> String draw(C drawn, BiFunction<C, String, JFreeChart> drawing, Dimension size) {
        return VectorCanvas.draw(
                name, size, title, description, canvas -> paint(drawing.apply(drawn, title), canvas, size));
    }

    private static void paint(JFreeChart drawn, Graphics2D canvas, Dimension size) {
        drawn.draw(canvas, new Rectangle2D.Double(0, 0, size.width, size.height));
    }

    /** {@return the numbers behind the drawing, every number, whether or not an axis can show it} */
    public Table data() {
        return chart.data(title);
    }

    /**
     * Writes {@code name.svg} and {@code name.csv}, each at once or not at all.
     *
     * @param folder made where it is missing
     * @throws IOException if a file cannot be written
     */
    public void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        AtomicFile.writeText(folder.resolve(name + ".svg"), svg());
        AtomicFile.writeText(folder.resolve(name + ".csv"), data().toCsv());
    }
}
