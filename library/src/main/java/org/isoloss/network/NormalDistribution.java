package org.isoloss.network;

import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.Erfcx;

/** The standard normal distribution, to rounding relative to its value. */
final class NormalDistribution {
    private static final double ROOT_TWO_PI = Math.sqrt(2 * Math.PI);

    private NormalDistribution() {}

    /** The distribution function; its left tail by the scaled erfc, which keeps the relative accuracy. */
    static double value(double z) {
        if (z >= 0) {
            return 0.5 * Erfc.value(-z * Math.sqrt(0.5));
        }
        double bell = bell(z);
        return bell == 0 ? 0 : 0.5 * Erfcx.value(-z * Math.sqrt(0.5)) * bell;
    }

    static double density(double z) {
        return bell(z) / ROOT_TWO_PI;
    }

    /** {@code exp(-z^2 / 2)}; the part that rounding the square cuts off is put back. */
    private static double bell(double z) {
        double square = z * z;
        double value = Math.exp(-0.5 * square);
        return value == 0 ? 0 : value * (1 - 0.5 * Math.fma(z, z, -square));
    }
}
