package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.awt.geom.Rectangle2D;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes a drawing as a {@code tikzpicture}: lines and areas as paths, words as nodes in the document's sans serif. */
final class TikzInk implements PaperCanvas.Ink {
    private static final int SEGMENTS_A_LINE = 6;

    private final Map<Integer, String> colors = new LinkedHashMap<>();
    private final StringBuilder marks = new StringBuilder();
    private @Nullable Rectangle2D clip;

    private TikzInk() {}

    /**
     * Returns the picture; lines end in {@code \n}.
     *
     * @param paper its size
     * @param painter draws
     */
    static String draw(Paper paper, Consumer<Graphics2D> painter) {
        var ink = new TikzInk();
        painter.accept(new PaperCanvas(ink, paper.height(), paper.unit()));
        ink.clip(null);
        var picture = new StringBuilder("\\begin{tikzpicture}[x=1bp,y=1bp]\n");
        ink.colors.forEach(
                (rgb, name) -> picture.append("\\definecolor{%s}{HTML}{%06X}%n".formatted(name, rgb & 0xffffff)));
        picture.append("\\useasboundingbox (0,0) rectangle %s;%n".formatted(point(paper.width(), paper.height())));
        return picture.append(ink.marks)
                .append("\\end{tikzpicture}\n")
                .toString()
                .replace("\r\n", "\n");
    }

    private static String number(double value) {
        String text = String.format(Locale.ROOT, "%.2f", value);
        return text.replaceFirst("\\.?0+$", "").replaceFirst("^-0$", "0");
    }

    private static String point(double x, double y) {
        return "(" + number(x) + "," + number(y) + ")";
    }

    private String color(Color color) {
        return colors.computeIfAbsent(
                color.getRGB() | 0xff000000,
                rgb -> "isoloss" + (char) ('A' + colors.size() / 26) + (char) ('A' + colors.size() % 26));
    }

    private static String opacity(String what, Color color) {
        return color.getAlpha() == 255 ? "" : ",%s opacity=%s".formatted(what, number(color.getAlpha() / 255.0));
    }

    @Override
    public void clip(@Nullable Rectangle2D area) {
        if (area == null ? clip == null : area.equals(clip)) {
            return;
        }
        if (clip != null) {
            marks.append("\\end{scope}\n");
        }
        if (area != null) {
            marks.append("\\begin{scope}\n\\clip %s rectangle %s;%n"
                    .formatted(point(area.getMinX(), area.getMinY()), point(area.getMaxX(), area.getMaxY())));
        }
        clip = area;
    }

    @Override
    public void fill(Path2D area, Color color) {
        String rule = area.getWindingRule() == PathIterator.WIND_EVEN_ODD ? ",even odd rule" : "";
        mark("\\fill[%s%s%s]".formatted(color(color), opacity("fill", color), rule), area);
    }

    @Override
    public void stroke(Path2D line, BasicStroke stroke, Color color) {
        var style = new StringBuilder(color(color)).append(opacity("draw", color));
        style.append(",line width=").append(number(stroke.getLineWidth())).append("bp");
        if (stroke.getEndCap() != BasicStroke.CAP_BUTT) {
            style.append(",line cap=").append(stroke.getEndCap() == BasicStroke.CAP_ROUND ? "round" : "rect");
        }
        if (stroke.getLineJoin() != BasicStroke.JOIN_MITER) {
            style.append(",line join=").append(stroke.getLineJoin() == BasicStroke.JOIN_ROUND ? "round" : "bevel");
        }
        float @Nullable [] dashes = stroke.getDashArray();
        if (dashes != null) {
            style.append(",dash pattern=");
            for (int i = 0; i < dashes.length; i++) {
                style.append(i % 2 == 0 ? "on " : "off ")
                        .append(number(dashes[i]))
                        .append("bp ");
            }
        }
        mark("\\draw[%s]".formatted(style.toString().strip()), line);
    }

    private void mark(String command, Path2D outline) {
        var drawn = new StringBuilder(command);
        double[] p = new double[6];
        int segments = 0;
        for (PathIterator path = outline.getPathIterator(null); !path.isDone(); path.next()) {
            String between = segments > 0 && segments % SEGMENTS_A_LINE == 0 ? "\n " : " ";
            segments++;
            switch (path.currentSegment(p)) {
                case PathIterator.SEG_MOVETO -> drawn.append(between).append(point(p[0], p[1]));
                case PathIterator.SEG_LINETO ->
                    drawn.append(between).append("-- ").append(point(p[0], p[1]));
                case PathIterator.SEG_CUBICTO ->
                    drawn.append(between)
                            .append(".. controls ")
                            .append(point(p[0], p[1]))
                            .append(" and ")
                            .append(point(p[2], p[3]))
                            .append(" .. ")
                            .append(point(p[4], p[5]));
                default -> drawn.append(" -- cycle");
            }
        }
        if (segments > 0) {
            marks.append(drawn).append(";\n");
        }
    }

    @Override
    public void words(String text, PlainFont font, Color color, AffineTransform place) {
        double size = font.getSize2D();
        double turned = Math.toDegrees(Math.atan2(place.getShearY(), place.getScaleX()));
        marks.append(
                "\\node[anchor=base west,inner sep=0bp,text=%s%s%s,font=\\sffamily%s\\fontsize{%s}{%s}\\selectfont]"
                        .formatted(
                                color(color),
                                opacity("text", color),
                                Math.abs(turned) < 0.01 ? "" : ",rotate=" + number(turned),
                                font.isBold() ? "\\bfseries" : "",
                                number(size),
                                number(1.2 * size)));
        marks.append(
                " at %s {%s};%n".formatted(point(place.getTranslateX(), place.getTranslateY()), LatexText.of(text)));
    }
}
