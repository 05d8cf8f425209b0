package org.isoloss.report;

import java.awt.BasicStroke;
import java.awt.Shape;
import java.awt.geom.Area;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.List;

/** Stripes that tell bars apart without colour. */
enum Hatch {
    /** Rising to the right. */
    RISING(1.0),
    /** Falling to the right. */
    FALLING(-1.0),
    /** Both. */
    CROSSED(1.0, -1.0),
    /** From left to right. */
    LEVEL(0.0),
    /** From top to bottom. */
    UPRIGHT(Double.POSITIVE_INFINITY),
    /** From left to right and from top to bottom. */
    GRID(0.0, Double.POSITIVE_INFINITY);

    private static final double APART = 5;
    private static final BasicStroke STRIPE = new BasicStroke(1.3f);

    @SuppressWarnings("ImmutableEnumChecker") // what List.of returns does not change
    private final List<Double> slopes;

    Hatch(Double... slopes) {
        this.slopes = List.of(slopes);
    }

    /** Returns the stripes inside {@code bar} and the frame around it, an area to be filled. */
    Shape on(Rectangle2D bar) {
        var stripes = new Path2D.Double();
        slopes.forEach(slope -> add(stripes, bar, slope));
        var hatch = new Area(STRIPE.createStrokedShape(stripes));
        hatch.intersect(new Area(bar));
        hatch.add(new Area(STRIPE.createStrokedShape(bar)));
        return hatch;
    }

    private static void add(Path2D stripes, Rectangle2D bar, double slope) {
        double x = bar.getMinX();
        double y = bar.getMinY();
        double width = bar.getWidth();
        double height = bar.getHeight();
        if (Double.isInfinite(slope)) {
            for (double at = APART / 2; at < width; at += APART) {
                line(stripes, x + at, y, x + at, y + height);
            }
        } else if (slope == 0) {
            for (double at = APART / 2; at < height; at += APART) {
                line(stripes, x, y + at, x + width, y + at);
            }
        } else {
            for (double at = APART / 2; at < width + height; at += APART * Math.sqrt(2)) {
                double left = slope > 0 ? y + at : y + height - at;
                line(stripes, x, left, x + width, left - slope * width);
            }
        }
    }

    private static void line(Path2D stripes, double x, double y, double toX, double toY) {
        stripes.moveTo(x, y);
        stripes.lineTo(toX, toY);
    }
}
