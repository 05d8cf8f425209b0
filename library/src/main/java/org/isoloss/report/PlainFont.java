package org.isoloss.report;

import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.awt.font.FontRenderContext;
import java.awt.font.LineMetrics;
import java.awt.geom.AffineTransform;
import java.awt.geom.Rectangle2D;
import java.text.AttributedCharacterIterator.Attribute;
import java.util.Locale;
import java.util.Map;

/**
 * Helvetica with its metrics built in, so that a figure has the same bytes on every machine and needs no installed font.
 *
 * <p>Arial and Liberation Sans have the same widths, so what is laid out here fits where it is shown.
 */
final class PlainFont extends Font {
    private static final long serialVersionUID = 1L;

    private static final String FAMILY = "Helvetica";

    /** Advance widths of the characters 32 to 126 in thousandths of the size: Adobe's font metrics of Helvetica. */
    private static final String WIDTHS = "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 "
            + "556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 "
            + "1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 "
            + "667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 "
            + "333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 "
            + "556 556 333 500 278 556 500 722 500 500 500 334 260 334 584";

    private static final int[] WIDTH = widths();
    /** Minus and the digits as superscripts. */
    static final String SUPERSCRIPTS = "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

    private static final int SUPERSCRIPT_WIDTH = 420;
    private static final int OTHER_WIDTH = 584;
    private static final double BOLD = 1.06;
    private static final float ASCENT = 0.905f;
    private static final float DESCENT = 0.212f;

    PlainFont(int style, float size) {
        super(FAMILY, style, Math.round(size));
        this.pointSize = size;
    }

    private static int[] widths() {
        return java.util.Arrays.stream(WIDTHS.split(" ", -1))
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    /** Returns the width of {@code text}, with the symbols in it, in the units of the size. */
    double width(String text) {
        return text.isEmpty() ? 0 : Symbols.runs(text, this).getLast().end();
    }

    /** Returns the width of {@code text} as it stands, whatever signs are in it. */
    double plainWidth(String text) {
        double thousandths = text.chars().mapToDouble(PlainFont::width).sum();
        return thousandths / 1000 * getSize2D() * (isBold() ? BOLD : 1);
    }

    private static int width(int character) {
        if (character >= 32 && character <= 126) {
            return WIDTH[character - 32];
        }
        return SUPERSCRIPTS.indexOf(character) >= 0 ? SUPERSCRIPT_WIDTH : OTHER_WIDTH;
    }

    /** Returns this font, slanted. */
    PlainFont slanted() {
        return new PlainFont(getStyle() | ITALIC, getSize2D());
    }

    /** Returns this font at {@code share} of its size. */
    PlainFont scaled(double share) {
        return new PlainFont(getStyle(), (float) (share * getSize2D()));
    }

    FontMetrics metrics() {
        return new Metrics(this);
    }

    private LineMetrics line(int characters) {
        return new Line(getSize2D(), characters);
    }

    @Override
    public String getFamily() {
        return FAMILY;
    }

    @Override
    public String getFamily(Locale locale) {
        return FAMILY;
    }

    @Override
    public Font deriveFont(Map<? extends Attribute, ?> attributes) {
        return this;
    }

    @Override
    public Font deriveFont(int newStyle, float newSize) {
        return new PlainFont(newStyle, newSize);
    }

    @Override
    public Font deriveFont(float newSize) {
        return new PlainFont(getStyle(), newSize);
    }

    @Override
    public Font deriveFont(int newStyle) {
        return new PlainFont(newStyle, getSize2D());
    }

    @Override
    public Font deriveFont(int newStyle, AffineTransform transform) {
        return new PlainFont(newStyle, getSize2D());
    }

    @Override
    public Font deriveFont(AffineTransform transform) {
        return this;
    }

    @Override
    public LineMetrics getLineMetrics(String text, FontRenderContext context) {
        return line(text.length());
    }

    @Override
    public LineMetrics getLineMetrics(String text, int begin, int limit, FontRenderContext context) {
        return line(limit - begin);
    }

    @Override
    public Rectangle2D getStringBounds(String text, FontRenderContext context) {
        float size = getSize2D();
        return new Rectangle2D.Double(0, -ASCENT * size, width(text), (ASCENT + DESCENT) * size);
    }

    /** The metrics of a whole font, in whole units as AWT has them. */
    private static final class Metrics extends FontMetrics {
        private static final long serialVersionUID = 1L;

        private final PlainFont plain;

        Metrics(PlainFont plain) {
            super(plain);
            this.plain = plain;
        }

        @Override
        public int getAscent() {
            return Math.round(ASCENT * plain.getSize2D());
        }

        @Override
        public int getDescent() {
            return Math.round(DESCENT * plain.getSize2D());
        }

        @Override
        public int getLeading() {
            return 0;
        }

        @Override
        public int charWidth(char character) {
            return stringWidth(String.valueOf(character));
        }

        @Override
        public int charsWidth(char[] characters, int offset, int length) {
            return stringWidth(new String(characters, offset, length));
        }

        @Override
        public int stringWidth(String text) {
            return (int) Math.round(plain.width(text));
        }

        @Override
        public Rectangle2D getStringBounds(String text, Graphics context) {
            return plain.getStringBounds(text, new FontRenderContext(null, true, true));
        }

        @Override
        public LineMetrics getLineMetrics(String text, Graphics context) {
            return plain.line(text.length());
        }
    }

    /** The metrics of one line. */
    private static final class Line extends LineMetrics {
        private final float size;
        private final int characters;

        Line(float size, int characters) {
            this.size = size;
            this.characters = characters;
        }

        @Override
        public int getNumChars() {
            return characters;
        }

        @Override
        public float getAscent() {
            return ASCENT * size;
        }

        @Override
        public float getDescent() {
            return DESCENT * size;
        }

        @Override
        public float getLeading() {
            return 0;
        }

        @Override
        public float getHeight() {
            return getAscent() + getDescent();
        }

        @Override
        public int getBaselineIndex() {
            return Font.ROMAN_BASELINE;
        }

        @Override
        public float[] getBaselineOffsets() {
            return new float[3];
        }

        @Override
        public float getStrikethroughOffset() {
            return -ASCENT * size / 3;
        }

        @Override
        public float getStrikethroughThickness() {
            return size / 20;
        }

        @Override
        public float getUnderlineOffset() {
            return DESCENT * size / 2;
        }

        @Override
        public float getUnderlineThickness() {
            return size / 20;
        }
    }
}
