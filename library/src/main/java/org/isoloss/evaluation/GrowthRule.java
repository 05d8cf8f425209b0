package org.isoloss.evaluation;

import org.hipparchus.analysis.integration.gauss.GaussIntegrator;
import org.hipparchus.analysis.integration.gauss.GaussIntegratorFactory;

/**
 * Gauss's rule for {@code integral of e^(L(b) - L(s)) f(s) ds} from a to b, where L is the integral of a growth rate from a:
 * the inner integral is that of the polynomial which interpolates the rate at the nodes, exact where the rate is one.
 */
final class GrowthRule {
    private final double[] nodes;
    private final double[] weights;
    private final double[][] remaining;

    /** Makes a rule with as many nodes as asked for. */
    GrowthRule(int count) {
        GaussIntegrator rule = new GaussIntegratorFactory().legendre(count);
        nodes = new double[count];
        weights = new double[count];
        for (int i = 0; i < count; i++) {
            nodes[i] = 0.5 * (1 + rule.getPoint(i));
            weights[i] = 0.5 * rule.getWeight(i);
        }
        remaining = new double[count][count];
        for (int i = 0; i < count; i++) {
            double left = 1 - nodes[i];
            for (int q = 0; q < count; q++) {
                double place = nodes[i] + left * nodes[q];
                for (int j = 0; j < count; j++) {
                    remaining[i][j] += left * weights[q] * interpolation(j, place);
                }
            }
        }
    }

    /** The polynomial that is 1 at node j and 0 at the others. */
    private double interpolation(int j, double place) {
        double product = 1;
        for (int i = 0; i < nodes.length; i++) {
            if (i != j) {
                product *= (place - nodes[i]) / (nodes[j] - nodes[i]);
            }
        }
        return product;
    }

    int count() {
        return nodes.length;
    }

    /** A node of the interval from 0 to 1. */
    double node(int i) {
        return nodes[i];
    }

    /** The value at a place of the polynomial that interpolates numbers at the nodes, which begin at an index of the array. */
    double interpolated(double[] numbers, int from, double place) {
        double sum = 0;
        for (int i = 0; i < nodes.length; i++) {
            sum += numbers[from + i] * interpolation(i, place);
        }
        return sum;
    }

    /** The integral of rates at the nodes of an interval, which begin at an index of the array. */
    double integral(double[] rates, int from, double width) {
        double sum = 0;
        for (int i = 0; i < nodes.length; i++) {
            sum += weights[i] * rates[from + i];
        }
        return width * sum;
    }

    /** The integral of a source that grows on until the end of the interval. */
    double grown(double[] growth, double[] source, int from, double width) {
        double sum = 0;
        for (int i = 0; i < nodes.length; i++) {
            double ahead = 0;
            for (int j = 0; j < nodes.length; j++) {
                ahead += remaining[i][j] * growth[from + j];
            }
            double contribution = source[from + i];
            sum += contribution == 0 ? 0 : weights[i] * contribution * Math.exp(width * ahead);
        }
        return Double.isNaN(sum) ? Double.POSITIVE_INFINITY : width * sum; // an infinite rate, interpolated
    }
}
