package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.apache.fontbox.ttf.CmapLookup;
import org.apache.fontbox.ttf.TTFParser;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.io.RandomAccessReadBuffer;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType0Font;
import org.apache.pdfbox.pdmodel.graphics.state.PDExtendedGraphicsState;
import org.apache.pdfbox.pdmodel.graphics.state.RenderingMode;
import org.apache.pdfbox.util.Matrix;
import org.jspecify.annotations.Nullable;

/** Writes a drawing as PDF: one page of its size, lines and areas as such, words in an embedded part of Liberation Sans. */
final class PdfInk implements PaperCanvas.Ink {
    /** Has Helvetica's widths; comes with PDFBox. */
    private static final String FONT = "/org/apache/pdfbox/resources/ttf/LiberationSans-Regular.ttf";

    private static final double SLANT = 0.21;
    private static final float BOLD_OUTLINE = 0.035f;
    private static final float BOLD_WIDTH = 106;

    private final PDPageContentStream page;
    private final PDFont font;
    private final CmapLookup signs;
    private @Nullable Rectangle2D clip;
    private int opacity = 255;

    private PdfInk(PDPageContentStream page, PDFont font, CmapLookup signs) {
        this.page = page;
        this.font = font;
        this.signs = signs;
    }

    /**
     * Returns a document; the same strokes give the same bytes.
     *
     * @param title of the document
     * @param paper its size
     * @param painter draws
     */
    static byte[] draw(String title, Paper paper, Consumer<Graphics2D> painter) {
        try (PDDocument document = new PDDocument();
                InputStream file = PdfInk.class.getResourceAsStream(FONT)) {
            if (file == null) {
                throw new IllegalStateException("PdfInk: the font %s of PDFBox is missing".formatted(FONT));
            }
            TrueTypeFont letters = new TTFParser().parse(new RandomAccessReadBuffer(file));
            document.setDocumentId((long) title.hashCode());
            document.getDocumentInformation().setTitle(title);
            document.getDocumentCatalog().setLanguage("en");
            var page = new PDPage(new PDRectangle((float) paper.width(), (float) paper.height()));
            document.addPage(page);
            try (var content = new PDPageContentStream(document, page)) {
                var ink =
                        new PdfInk(content, PDType0Font.load(document, letters, true), letters.getUnicodeCmapLookup());
                painter.accept(new PaperCanvas(ink, paper.height(), paper.unit()));
                ink.clip(null);
            }
            var bytes = new ByteArrayOutputStream();
            document.save(bytes);
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is written to memory cannot fail. */
    private interface Writing {
        void run() throws IOException;
    }

    private static void write(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void clip(@Nullable Rectangle2D area) {
        if (area == null ? clip == null : area.equals(clip)) {
            return;
        }
        write(() -> {
            if (clip != null) {
                page.restoreGraphicsState();
                opacity = 255;
            }
            if (area != null) {
                setOpacity(255);
                page.saveGraphicsState();
                page.addRect(
                        (float) area.getX(), (float) area.getY(), (float) area.getWidth(), (float) area.getHeight());
                page.clip();
            }
        });
        clip = area;
    }

    private void setOpacity(int alpha) throws IOException {
        if (alpha != opacity) {
            var state = new PDExtendedGraphicsState();
            state.setNonStrokingAlphaConstant(alpha / 255f);
            state.setStrokingAlphaConstant(alpha / 255f);
            page.setGraphicsStateParameters(state);
            opacity = alpha;
        }
    }

    @Override
    public void fill(Path2D area, Color color) {
        write(() -> {
            setOpacity(color.getAlpha());
            page.setNonStrokingColor(opaque(color));
            trace(area);
            if (area.getWindingRule() == PathIterator.WIND_EVEN_ODD) {
                page.fillEvenOdd();
            } else {
                page.fill();
            }
        });
    }

    private static Color opaque(Color color) {
        return new Color(color.getRGB());
    }

    @Override
    public void stroke(Path2D line, BasicStroke stroke, Color color) {
        float @Nullable [] dashes = stroke.getDashArray();
        write(() -> {
            setOpacity(color.getAlpha());
            page.setStrokingColor(opaque(color));
            page.setLineWidth(stroke.getLineWidth());
            page.setLineCapStyle(stroke.getEndCap());
            page.setLineJoinStyle(stroke.getLineJoin());
            page.setLineDashPattern(dashes == null ? new float[0] : dashes, 0);
            trace(line);
            page.stroke();
        });
    }

    private void trace(Path2D outline) throws IOException {
        float[] p = new float[6];
        for (PathIterator path = outline.getPathIterator(null); !path.isDone(); path.next()) {
            switch (path.currentSegment(p)) {
                case PathIterator.SEG_MOVETO -> page.moveTo(p[0], p[1]);
                case PathIterator.SEG_LINETO -> page.lineTo(p[0], p[1]);
                case PathIterator.SEG_CUBICTO -> page.curveTo(p[0], p[1], p[2], p[3], p[4], p[5]);
                default -> page.closePath();
            }
        }
    }

    @Override
    public void words(String text, PlainFont plain, Color color, AffineTransform place) {
        for (Symbols.Run run : Symbols.raisedRuns(text, plain)) {
            var at = new AffineTransform(place);
            at.translate(run.x(), run.rise());
            if (run.font().isItalic()) {
                at.shear(SLANT, 0);
            }
            write(() -> word(run.text(), run.font(), color, at));
        }
    }

    private void word(String text, PlainFont plain, Color color, AffineTransform at) throws IOException {
        setOpacity(color.getAlpha());
        page.setNonStrokingColor(opaque(color));
        page.beginText();
        page.setFont(font, plain.getSize2D());
        page.setRenderingMode(plain.isBold() ? RenderingMode.FILL_STROKE : RenderingMode.FILL);
        page.setHorizontalScaling(plain.isBold() ? BOLD_WIDTH : 100);
        if (plain.isBold()) {
            page.setStrokingColor(opaque(color));
            page.setLineDashPattern(new float[0], 0);
            page.setLineWidth(BOLD_OUTLINE * plain.getSize2D());
        }
        page.setTextMatrix(new Matrix(at));
        page.showText(known(text));
        page.endText();
    }

    /** Returns the text with a question mark for each sign that the font has not. */
    private String known(String text) {
        var known = new StringBuilder();
        text.codePoints().forEach(sign -> known.appendCodePoint(signs.getGlyphId(sign) == 0 ? '?' : sign));
        return known.toString();
    }
}
