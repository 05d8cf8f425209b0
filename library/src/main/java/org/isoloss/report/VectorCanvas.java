package org.isoloss.report;

import java.awt.Dimension;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.apache.batik.dom.GenericDOMImplementation;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGGraphics2DIOException;
import org.apache.batik.svggen.SVGIDGenerator;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** A drawing surface that becomes SVG: the same strokes give the same bytes. */
final class VectorCanvas extends SVGGraphics2D {
    private static final String NAMESPACE = "http://www.w3.org/2000/svg";
    private static final String FONTS = "Helvetica, Arial, 'Liberation Sans', sans-serif";

    private VectorCanvas(SVGGeneratorContext context) {
        super(context, false);
    }

    private VectorCanvas(VectorCanvas parent) {
        super(parent);
    }

    /**
     * Returns an {@code svg} element with a text alternative.
     *
     * @param id the start of every id inside, so that several drawings fit on one page
     * @param picture what is drawn
     * @param title what the drawing is
     * @param description what it shows, for those who cannot see it
     */
    static String draw(String id, Picture picture, String title, String description) {
        Dimension size = picture.size();
        Document document = GenericDOMImplementation.getDOMImplementation().createDocument(NAMESPACE, "svg", null);
        SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
        context.setComment("");
        context.setPrecision(2);
        context.setIDGenerator(new Ids(id));
        SVGGeneratorContext.GraphicContextDefaults defaults = new SVGGeneratorContext.GraphicContextDefaults();
        defaults.setFont(new PlainFont(Font.PLAIN, 12));
        context.setGraphicContextDefaults(defaults);

        var canvas = new VectorCanvas(context);
        canvas.setSVGCanvasSize(size);
        picture.painter().accept(canvas);

        Element root = canvas.getRoot();
        root.setAttribute("viewBox", "0 0 " + size.width + " " + size.height);
        picture.inches().ifPresent(inches -> {
            root.setAttribute("width", inches + "in");
            root.setAttribute("height", String.format(Locale.ROOT, "%.4fin", inches * size.height / size.width));
        });
        root.setAttribute("role", "img");
        String seen = Symbols.words(description);
        root.setAttribute("aria-label", title + ". " + seen);
        root.insertBefore(text(document, "desc", seen), root.getFirstChild());
        root.insertBefore(text(document, "title", title), root.getFirstChild());
        try {
            var written = new StringWriter();
            canvas.stream(root, written, false, false);
            return tidy(written.toString());
        } catch (SVGGraphics2DIOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Element text(Document document, String name, String content) {
        Element element = document.createElementNS(NAMESPACE, name);
        element.setTextContent(content);
        return element;
    }

    /** Drops the prologue, which has no place inside a page, and names fonts of the same widths. */
    private static String tidy(String document) {
        return document.substring(document.indexOf("<svg"))
                .replace("font-family=\"'Helvetica'\"", "font-family=\"" + FONTS + "\"")
                .replace("<!---->", "")
                .replaceFirst("<defs id=\"genericDefs\"\\s*/>", "")
                .replace("\r\n", "\n");
    }

    @Override
    public Graphics create() {
        return new VectorCanvas(this);
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
    public void drawString(String text, float x, float y) {
        Font font = getFont();
        for (Symbols.Run run : Symbols.runs(text, plain(font))) {
            setFont(run.font());
            super.drawString(run.text(), (float) (x + run.x()), (float) (y - run.rise()));
        }
        setFont(font);
    }

    private static PlainFont plain(Font font) {
        return font instanceof PlainFont plain ? plain : new PlainFont(font.getStyle(), font.getSize2D());
    }

    /** Ids that start with the drawing's own name. */
    private static final class Ids extends SVGIDGenerator {
        private final String start;

        Ids(String start) {
            this.start = start;
        }

        @Override
        public String generateID(String prefix) {
            return super.generateID(start + "-" + prefix);
        }
    }
}
