package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/**
 * What a function of one variable does to scales and signs of its argument: f(s z) = s^degree f(z) for s &gt; 0, and f(-z) is -f(z), f(z) or
 * neither. Told from values at a few points.
 *
 * @param isHomogeneous whether scales go through
 * @param degree by which power; 1 where they do not
 * @param parity what becomes of signs
 */
record Homogeneity(boolean isHomogeneous, double degree, Parity parity) {
    private static final double SAME = 1e-13;
    private static final double[] POINTS = {0.3779, 1.0613, 2.2171};
    private static final double[] SCALES = {0.5, 1.7, 3};

    /** What becomes of signs. */
    enum Parity {
        ODD,
        EVEN,
        NONE
    }

    /** Asks a function. */
    static Homogeneity of(Pointwise function) {
        boolean isOdd = true;
        boolean isEven = true;
        for (double z : POINTS) {
            double there = function.value(z);
            double back = function.value(-z);
            isOdd &= Math.abs(there + back) <= SAME * Math.abs(there); // false where one is no number
            isEven &= Math.abs(there - back) <= SAME * Math.abs(there);
        }
        Parity parity = isOdd ? Parity.ODD : isEven ? Parity.EVEN : Parity.NONE;
        double degree = Math.log(function.value(2 * POINTS[0]) / function.value(POINTS[0])) / Math.log(2);
        double rounded = Math.rint(12 * degree) / 12;
        boolean isHomogeneous = Math.abs(degree - rounded) < SAME * 100;
        for (double point : POINTS) {
            for (double sign : new double[] {1, -1}) {
                for (double scale : SCALES) {
                    double scaled = function.value(sign * scale * point);
                    double expected = Math.pow(scale, rounded) * function.value(sign * point);
                    boolean isDefined = sign > 0 || !Double.isNaN(expected);
                    isHomogeneous &= !isDefined || Math.abs(scaled - expected) <= SAME * 10 * Math.abs(expected);
                }
            }
        }
        return new Homogeneity(isHomogeneous, isHomogeneous ? rounded : 1, parity);
    }
}
