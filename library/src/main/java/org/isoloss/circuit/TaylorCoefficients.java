package org.isoloss.circuit;

import java.util.ArrayList;
import java.util.List;

/** The first Taylor coefficients of smooth functions, in any ring: at 1 for logarithm and root, at 0 for all others. */
final class TaylorCoefficients {
    private TaylorCoefficients() {}

    /** The place of expansion. */
    static int centre(CircuitFunction function) {
        return function == CircuitFunction.LOG || function == CircuitFunction.ROOT ? 1 : 0;
    }

    /** Coefficients of {@code z^0} to {@code z^(length - 1)}. */
    static <T> List<T> of(CircuitFunction function, int length, Ring<T> ring) {
        return switch (function) {
            case TANH -> riccati(ring.of(0, 1), ring.of(1, 1), ring.of(0, 1), length, ring);
            case SIGMOID -> riccati(ring.of(1, 2), ring.of(0, 1), ring.of(1, 1), length, ring);
            case SOFTPLUS -> integral(of(CircuitFunction.SIGMOID, length, ring), ring.logTwo(), length, ring);
            case EXP -> {
                List<T> series = new ArrayList<>(List.of(ring.of(1, 1)));
                for (int k = 1; k < length; k++) {
                    series.add(ring.times(series.getLast(), ring.of(1, k)));
                }
                yield series;
            }
            case ERF -> { // the integral of 2 / sqrt(pi) exp(-z^2)
                List<T> density = new ArrayList<>();
                for (int k = 0; k < length; k++) {
                    density.add(
                            k == 0
                                    ? ring.twoOverRootPi()
                                    : k == 1 ? ring.of(0, 1) : ring.times(density.get(k - 2), ring.of(-2, k)));
                }
                yield integral(density, ring.of(0, 1), length, ring);
            }
            case LOG -> {
                List<T> series = new ArrayList<>();
                for (int k = 0; k < length; k++) {
                    series.add(k == 0 ? ring.of(0, 1) : ring.of(k % 2 == 0 ? -1 : 1, k));
                }
                yield series;
            }
            case ROOT -> { // the next binomial coefficient is (1/2 - k) / (k + 1) times the last
                List<T> series = new ArrayList<>(List.of(ring.of(1, 1)));
                for (int k = 0; k + 1 < length; k++) {
                    series.add(ring.times(series.getLast(), ring.of(1 - 2L * k, 2L * (k + 1))));
                }
                yield series;
            }
            case RELU, RECIPROCAL -> throw new IllegalArgumentException(function + " has no Taylor series at 0");
        };
    }

    /** The solution of {@code f' = constant + linear f - f^2}. */
    private static <T> List<T> riccati(T start, T constant, T linear, int length, Ring<T> ring) {
        List<T> series = new ArrayList<>(List.of(start));
        for (int k = 0; k + 1 < length; k++) {
            T slope = ring.times(linear, series.get(k));
            if (k == 0) {
                slope = ring.plus(slope, constant);
            }
            for (int i = 0; i <= k; i++) {
                slope = ring.plus(slope, ring.times(ring.of(-1, 1), ring.times(series.get(i), series.get(k - i))));
            }
            series.add(ring.times(slope, ring.of(1, k + 1L)));
        }
        return series;
    }

    private static <T> List<T> integral(List<T> slope, T constant, int length, Ring<T> ring) {
        List<T> series = new ArrayList<>(List.of(constant));
        for (int k = 1; k < length; k++) {
            series.add(ring.times(slope.get(k - 1), ring.of(1, k)));
        }
        return series;
    }
}
