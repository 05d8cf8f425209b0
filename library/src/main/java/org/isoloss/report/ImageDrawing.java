package org.isoloss.report;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Rectangle2D;

/** Draws {@link GreyImages}: rows of pictures of one width, each pixel a square. */
final class ImageDrawing {
    private static final int MARGIN = 12;
    private static final int TITLE = 30;
    private static final int CAPTION = 20;
    private static final int GAP = 16;
    private static final int MOST_IN_A_ROW = 8;
    private static final int WIDEST = 112;

    private final GreyImages images;
    private final int inRow;
    private final int side;
    private final int height;

    ImageDrawing(GreyImages images, int width) {
        this.images = images;
        this.inRow = Math.min(images.pictures().size(), MOST_IN_A_ROW);
        this.side = Math.min(WIDEST, (width - 2 * MARGIN - (inRow - 1) * GAP) / inRow);
        this.height = images.pictures().stream()
                .mapToInt(picture -> Math.ceilDiv(
                        side * picture.pixels().rows(), picture.pixels().columns()))
                .max()
                .orElse(side);
    }

    Dimension size(int width) {
        int rows = Math.ceilDiv(images.pictures().size(), inRow);
        return new Dimension(width, TITLE + MARGIN + rows * (height + CAPTION + GAP));
    }

    void draw(String title, Graphics2D canvas, Dimension size) {
        Look.begin(canvas, size, title);
        for (int i = 0; i < images.pictures().size(); i++) {
            int left = MARGIN + i % inRow * (side + GAP);
            int top = TITLE + MARGIN + i / inRow * (height + CAPTION + GAP);
            draw(images.pictures().get(i), canvas, left, top);
        }
    }

    private void draw(GreyImages.Picture picture, Graphics2D canvas, int left, int top) {
        double pixel = (double) side / picture.pixels().columns();
        canvas.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_OFF);
        for (int row = 0; row < picture.pixels().rows(); row++) {
            for (int column = 0; column < picture.pixels().columns(); column++) {
                int grey =
                        (int) Math.round(255 * images.lightness(picture.pixels().get(row, column)));
                if (grey < 255) {
                    canvas.setPaint(new Color(grey, grey, grey));
                    canvas.fill(new Rectangle2D.Double(left + column * pixel, top + row * pixel, pixel, pixel));
                }
            }
        }
        canvas.setPaint(Look.GRID);
        canvas.setStroke(Look.HAIRLINE);
        canvas.draw(new Rectangle2D.Double(left, top, side, picture.pixels().rows() * pixel));
        canvas.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        Font font = Look.TICK;
        canvas.setFont(font);
        canvas.setPaint(Look.INK);
        double width = font instanceof PlainFont plain ? plain.width(picture.caption()) : 0;
        canvas.drawString(picture.caption(), (float) (left + (side - width) / 2), (float)
                (top + picture.pixels().rows() * pixel + 16));
    }
}
