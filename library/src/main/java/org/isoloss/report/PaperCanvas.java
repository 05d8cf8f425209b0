package org.isoloss.report;

import java.awt.AlphaComposite;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.awt.GraphicsConfiguration;
import java.awt.Image;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.ImageObserver;
import java.awt.image.RenderedImage;
import java.awt.image.renderable.RenderableImage;
import java.text.AttributedCharacterIterator;
import org.apache.batik.ext.awt.g2d.AbstractGraphics2D;
import org.apache.batik.ext.awt.g2d.GraphicContext;
import org.jspecify.annotations.Nullable;

/**
 * A drawing surface for paper: what is drawn becomes lines, areas and words in points from the lower left corner, which an
 * {@link Ink} writes. Clips are rectangles, as those of all drawings here.
 */
final class PaperCanvas extends AbstractGraphics2D {
    /** Writes one file format; lengths are in points of 1/72 inch, heights grow upwards, curves are cubic. */
    interface Ink {
        /** Shows of what follows the part inside {@code area}, or all of it. */
        void clip(@Nullable Rectangle2D area);

        /** Fills an area; the colour may let light through. */
        void fill(Path2D area, Color color);

        /** Draws along a line. */
        void stroke(Path2D line, BasicStroke stroke, Color color);

        /** Writes words from {@code place}'s origin along its first axis. */
        void words(String text, PlainFont font, Color color, AffineTransform place);
    }

    private final Ink ink;
    private final AffineTransform paper;

    /**
     * Makes a surface.
     *
     * @param ink writes what is drawn
     * @param height of the paper in points
     * @param unit length of a unit of the drawing, in points
     */
    PaperCanvas(Ink ink, double height, double unit) {
        super(false);
        this.ink = ink;
        this.paper = new AffineTransform(unit, 0, 0, -unit, 0, height);
        this.gc = new GraphicContext(new AffineTransform());
        gc.setFont(new PlainFont(Font.PLAIN, 12));
    }

    private PaperCanvas(PaperCanvas parent) {
        super(parent);
        this.ink = parent.ink;
        this.paper = parent.paper;
    }

    @Override
    public Graphics create() {
        return new PaperCanvas(this);
    }

    private AffineTransform toPaper() {
        var whole = new AffineTransform(paper);
        whole.concatenate(gc.getTransform());
        return whole;
    }

    private void clip() {
        Shape clip = getClip();
        ink.clip(clip == null ? null : toPaper().createTransformedShape(clip).getBounds2D());
    }

    private Color color() {
        Color color = getPaint() instanceof Color paint ? paint : Color.BLACK;
        float opacity = getComposite() instanceof AlphaComposite composite ? composite.getAlpha() : 1;
        return new Color(color.getRed(), color.getGreen(), color.getBlue(), Math.round(opacity * color.getAlpha()));
    }

    @Override
    public void fill(Shape area) {
        if (color().getAlpha() > 0) {
            clip();
            ink.fill(outline(area, toPaper()), color());
        }
    }

    @Override
    public void draw(Shape line) {
        if (!(getStroke() instanceof BasicStroke stroke)) {
            fill(getStroke().createStrokedShape(line));
        } else if (color().getAlpha() > 0) {
            AffineTransform place = toPaper();
            clip();
            ink.stroke(outline(line, place), scaled(stroke, scale(place)), color());
        }
    }

    private static double scale(AffineTransform transform) {
        return Math.sqrt(Math.abs(transform.getDeterminant()));
    }

    private static BasicStroke scaled(BasicStroke stroke, double scale) {
        float @Nullable [] dashes = stroke.getDashArray();
        if (dashes != null) {
            for (int i = 0; i < dashes.length; i++) {
                dashes[i] *= (float) scale;
            }
        }
        return new BasicStroke(
                (float) (scale * stroke.getLineWidth()),
                stroke.getEndCap(),
                stroke.getLineJoin(),
                stroke.getMiterLimit(),
                dashes,
                0);
    }

    /** Returns an outline on paper, made of lines and cubic curves alone. */
    private static Path2D outline(Shape shape, AffineTransform place) {
        PathIterator from = shape.getPathIterator(place);
        var outline = new Path2D.Double(from.getWindingRule());
        double[] p = new double[6];
        for (; !from.isDone(); from.next()) {
            switch (from.currentSegment(p)) {
                case PathIterator.SEG_MOVETO -> outline.moveTo(p[0], p[1]);
                case PathIterator.SEG_LINETO -> outline.lineTo(p[0], p[1]);
                case PathIterator.SEG_QUADTO -> {
                    Point2D at = outline.getCurrentPoint();
                    outline.curveTo(
                            at.getX() + (p[0] - at.getX()) * 2 / 3,
                            at.getY() + (p[1] - at.getY()) * 2 / 3,
                            p[2] + (p[0] - p[2]) * 2 / 3,
                            p[3] + (p[1] - p[3]) * 2 / 3,
                            p[2],
                            p[3]);
                }
                case PathIterator.SEG_CUBICTO -> outline.curveTo(p[0], p[1], p[2], p[3], p[4], p[5]);
                default -> outline.closePath();
            }
        }
        return outline;
    }

    @Override
    public void drawString(String text, float x, float y) {
        AffineTransform place = toPaper();
        place.translate(x, y);
        double size = scale(place);
        place.scale(1 / size, -1 / size);
        clip();
        ink.words(text, plain(getFont()).scaled(size), color(), place);
    }

    @Override
    public void drawString(AttributedCharacterIterator text, float x, float y) {
        var words = new StringBuilder();
        for (char c = text.first(); c != AttributedCharacterIterator.DONE; c = text.next()) {
            words.append(c);
        }
        drawString(words.toString(), x, y);
    }

    private static PlainFont plain(Font font) {
        return font instanceof PlainFont plain ? plain : new PlainFont(font.getStyle(), font.getSize2D());
    }

    @Override
    public FontMetrics getFontMetrics(Font font) {
        return plain(font).metrics();
    }

    @Override
    public void setFont(Font font) {
        super.setFont(plain(font));
    }

    @Override
    public void dispose() {
        // what is drawn is written at once
    }

    @Override
    public GraphicsConfiguration getDeviceConfiguration() {
        throw new UnsupportedOperationException("PaperCanvas is no screen");
    }

    @Override
    public void setXORMode(Color other) {
        throw new UnsupportedOperationException("PaperCanvas has no pixels to invert");
    }

    @Override
    public void copyArea(int x, int y, int width, int height, int dx, int dy) {
        throw new UnsupportedOperationException("PaperCanvas has no pixels to copy");
    }

    @Override
    public boolean drawImage(Image image, int x, int y, ImageObserver observer) {
        throw new UnsupportedOperationException("PaperCanvas draws no pixels");
    }

    @Override
    public boolean drawImage(Image image, int x, int y, int width, int height, ImageObserver observer) {
        throw new UnsupportedOperationException("PaperCanvas draws no pixels");
    }

    @Override
    public void drawRenderedImage(RenderedImage image, AffineTransform transform) {
        throw new UnsupportedOperationException("PaperCanvas draws no pixels");
    }

    @Override
    public void drawRenderableImage(RenderableImage image, AffineTransform transform) {
        throw new UnsupportedOperationException("PaperCanvas draws no pixels");
    }
}
