package org.isoloss.symmetry;

/** A line through points of the plane, or through its origin. */
final class Regression {
    private final boolean free;
    private double count;
    private double x;
    private double y;
    private double xx;
    private double xy;

    Regression(boolean free) {
        this.free = free;
    }

    void add(double abscissa, double ordinate) {
        count++;
        x += abscissa;
        y += ordinate;
        xx += abscissa * abscissa;
        xy += abscissa * ordinate;
    }

    double slope(double otherwise) {
        double square = free ? xx - x * x / count : xx;
        return square <= 1e-20 * xx ? otherwise : (free ? xy - x * y / count : xy) / square;
    }

    double intercept() {
        return (y - slope(0) * x) / count;
    }
}
