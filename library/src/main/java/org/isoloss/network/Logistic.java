package org.isoloss.network;

/** The logistic function {@code 1 / (1 + exp(-z))}, by exponentials that never overflow. */
final class Logistic {
    private Logistic() {}

    static double value(double z) {
        double tail = Math.exp(-Math.abs(z));
        return (z < 0 ? tail : 1) / (1 + tail);
    }

    static double slope(double z) {
        double tail = Math.exp(-Math.abs(z));
        return tail / ((1 + tail) * (1 + tail));
    }

    /** {@code tanh(z / 2)}, by the exponential that {@link #slope} uses. */
    static double halfTanh(double z) {
        double tail = Math.exp(-Math.abs(z));
        return Math.copySign(-Math.expm1(-Math.abs(z)) / (1 + tail), z);
    }
}
