package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Styles on paper without colour: each pair differs in pixels of grey, by more than a print blurs. */
class LookTest {
    private static final int WIDTH = 60;
    private static final int HEIGHT = 20;

    /** Of 255: the mean difference of two signs over their ink; the closest pair has 17, equal signs have 0. */
    private static final double TELLS_APART = 15;

    /** Of 4.5:1, what WCAG asks of text; lines need 3:1. */
    private static final double CONTRAST = 3;

    @Test
    void tenLinesAreToldApartInGrey() {
        assertThat(closest(LookTest::line, Look.STYLES)).isGreaterThan(TELLS_APART);
    }

    @Test
    void tenMarkersAreToldApartInGrey() {
        assertThat(closest(LookTest::marker, Look.STYLES)).isGreaterThan(TELLS_APART);
    }

    @Test
    void tenBarsAreToldApartInGrey() {
        assertThat(closest(LookTest::bar, Look.STYLES)).isGreaterThan(TELLS_APART);
    }

    @Test
    void theEleventhLineIsTheFirstAgainAndTheCheckSeesIt() {
        assertThat(closest(LookTest::line, Look.STYLES + 1)).isZero();
    }

    @Test
    void linesStandOutFromWhite() {
        for (int i = 0; i < Look.STYLES; i++) {
            assertThat(1.05 / (0.05 + luminance(Look.line(i)))).isGreaterThan(CONTRAST);
        }
    }

    private static double luminance(Color color) {
        return 0.2126 * linear(color.getRed()) + 0.7152 * linear(color.getGreen()) + 0.0722 * linear(color.getBlue());
    }

    private static double linear(int channel) {
        double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
    }

    private static double closest(IntFunction<int[]> sign, int count) {
        List<int[]> signs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            signs.add(sign.apply(i));
        }
        double closest = Double.POSITIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < i; j++) {
                closest = Math.min(closest, difference(signs.get(i), signs.get(j)));
            }
        }
        return closest;
    }

    private static double difference(int[] a, int[] b) {
        double sum = 0;
        double ink = 0;
        for (int i = 0; i < a.length; i++) {
            sum += Math.abs(a[i] - b[i]);
            ink += Math.min(a[i], b[i]) < 250 ? 1 : 0;
        }
        return sum / ink;
    }

    private static int[] line(int index) {
        return grey(canvas -> {
            canvas.setPaint(Look.line(index));
            canvas.setStroke(Look.stroke(index));
            canvas.draw(new Line2D.Double(2, HEIGHT / 2.0, WIDTH - 2, HEIGHT / 2.0));
            mark(canvas, index);
        });
    }

    private static int[] marker(int index) {
        return grey(canvas -> mark(canvas, index));
    }

    private static void mark(Graphics2D canvas, int index) {
        Shape marker = AffineTransform.getTranslateInstance(WIDTH / 2.0, HEIGHT / 2.0)
                .createTransformedShape(Look.marker(index));
        canvas.setPaint(Look.isMarkerFilled(index) ? Look.line(index) : Color.WHITE);
        canvas.fill(marker);
        canvas.setPaint(Look.line(index));
        canvas.setStroke(Look.MARKER);
        canvas.draw(marker);
    }

    private static int[] bar(int index) {
        var bar = new Rectangle2D.Double(10, 2, 20, 16);
        return grey(canvas -> {
            canvas.setPaint(Look.bar(index));
            canvas.fill(Look.hatch(index, bar).orElse(bar));
        });
    }

    private interface Drawing {
        void on(Graphics2D canvas);
    }

    private static int[] grey(Drawing drawing) {
        var image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D canvas = image.createGraphics();
        canvas.setPaint(Color.WHITE);
        canvas.fillRect(0, 0, WIDTH, HEIGHT);
        drawing.on(canvas);
        int[] grey = new int[WIDTH * HEIGHT];
        for (int i = 0; i < grey.length; i++) {
            var color = new Color(image.getRGB(i % WIDTH, i / WIDTH));
            grey[i] = (int) Math.round(0.299 * color.getRed() + 0.587 * color.getGreen() + 0.114 * color.getBlue());
        }
        return grey;
    }
}
