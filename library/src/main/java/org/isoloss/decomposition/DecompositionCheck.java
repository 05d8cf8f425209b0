package org.isoloss.decomposition;

import java.util.List;
import java.util.function.UnaryOperator;
import org.isoloss.linalg.Matrix;

/**
 * What the theorem says of the factors, measured at points: each as the largest violation over all points and factors.
 *
 * @param points number of starting points
 * @param factors number of factors
 * @param productError largest difference of a parameter between the product of the factors and {@code phi_1}
 * @param outputError largest change of an output by a factor
 * @param inverseError largest difference of a parameter after a factor and its inverse
 * @param mostUnits largest number of hidden units of which a factor changes some parameter
 * @param motion largest change of a parameter by {@code phi_1}: what the errors are to be compared with
 */
public record DecompositionCheck(
        int points,
        int factors,
        double productError,
        double outputError,
        double inverseError,
        int mostUnits,
        double motion) {
    /**
     * Measures factors.
     *
     * @param coordinates of the units
     * @param family whose end the product should be
     * @param factors in the order in which they act
     * @param points starting points, shape (n, p); not modified
     * @param outputs what the network computes of parameters, by a way of its own
     * @return the violations; NaN counts as infinite
     */
    public static DecompositionCheck of(
            OutputCoordinates coordinates,
            OutputPreservingFamily family,
            List<? extends ParameterMap> factors,
            Matrix points,
            UnaryOperator<double[]> outputs) {
        double product = 0;
        double output = 0;
        double inverse = 0;
        double motion = 0;
        int units = 0;
        for (int row = 0; row < points.rows(); row++) {
            double[] start = points.row(row);
            double[] at = start;
            double[] before = outputs.apply(at);
            for (ParameterMap factor : factors) {
                double[] next = factor.apply(at);
                double[] after = outputs.apply(next);
                output = Math.max(output, difference(before, after));
                inverse = Math.max(inverse, difference(at, factor.inverse(next)));
                units = Math.max(units, coordinates.changedUnits(at, next).size());
                at = next;
                before = after;
            }
            double[] end = family.carry(0, 1, start);
            product = Math.max(product, difference(at, end));
            motion = Math.max(motion, difference(start, end));
        }
        return new DecompositionCheck(points.rows(), factors.size(), product, output, inverse, units, motion);
    }

    private static double difference(double[] a, double[] b) {
        double largest = 0;
        for (int i = 0; i < a.length; i++) {
            double difference = Math.abs(a[i] - b[i]);
            largest = Double.isNaN(difference) ? Double.POSITIVE_INFINITY : Math.max(largest, difference);
        }
        return largest;
    }
}
