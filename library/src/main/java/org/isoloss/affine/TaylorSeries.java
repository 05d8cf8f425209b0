package org.isoloss.affine;

import java.util.Set;

/** Taylor coefficients at 0 of transcendental activations modulo the verifier's prime, and truncated series. */
final class TaylorSeries {
    private static final long PRIME = PrimeElimination.PRIME;
    private static final Set<String> TRANSCENDENTAL =
            Set.of("tanh", "sigmoid", "silu", "softplus", "gelu", "gelu_tanh");

    /** Stand for the root of 2/pi and for log 2, one of which may occur in a network. */
    private static final long ROOT_TWO_OVER_PI = 987_654_321;

    private static final long LOG_TWO = 1_111_111_111;

    private static final long TWO_OVER_ROOT_PI = 555_555_557;

    private TaylorSeries() {}

    static boolean isTranscendental(String activation) {
        return TRANSCENDENTAL.contains(activation);
    }

    static long[] product(long[] left, long[] right) {
        long[] product = new long[left.length];
        for (int k = 0; k < product.length; k++) {
            for (int i = 0; i <= k; i++) {
                product[k] = (product[k] + left[i] * right[k - i]) % PRIME;
            }
        }
        return product;
    }

    static long[] timesVariable(long[] series) {
        long[] shifted = new long[series.length];
        System.arraycopy(series, 0, shifted, 1, series.length - 1);
        return shifted;
    }

    /** The sum of {@code coefficient_k inner^k}; {@code inner} has no constant term. */
    static long[] insert(long[] coefficients, long[] inner) {
        long[] sum = new long[inner.length];
        long[] power = new long[inner.length];
        power[0] = 1;
        for (long coefficient : coefficients) {
            for (int k = 0; k < sum.length; k++) {
                sum[k] = (sum[k] + coefficient * power[k]) % PRIME;
            }
            power = product(power, inner);
        }
        return sum;
    }

    static long[] slopeOf(String activation, int length) {
        long[] longer = of(activation, length + 1);
        long[] slope = new long[length];
        for (int k = 0; k < length; k++) {
            slope[k] = (k + 1) * longer[k + 1] % PRIME;
        }
        return slope;
    }

    static long[] of(String activation, int length) {
        return switch (activation) {
            case "sigmoid" -> sigmoid(length);
            case "silu" -> timesVariable(sigmoid(length));
            case "softplus" -> {
                long[] sigmoid = sigmoid(length);
                long[] series = new long[length];
                series[0] = LOG_TWO;
                for (int k = 1; k < length; k++) {
                    series[k] = sigmoid[k - 1] * PrimeElimination.inverse(k) % PRIME;
                }
                yield series;
            }
            case "tanh" -> tanh(length);
            case "exp" -> {
                long[] series = new long[length];
                long factorial = 1;
                for (int k = 0; k < length; k++) {
                    series[k] = PrimeElimination.inverse(factorial);
                    factorial = factorial * (k + 1) % PRIME;
                }
                yield series;
            }
            case "erf" -> { // 2 / sqrt(pi) times the sum of (-1)^n z^(2n+1) / (n! (2n+1))
                long[] series = new long[length];
                long term = TWO_OVER_ROOT_PI;
                for (int n = 0; 2 * n + 1 < length; n++) {
                    series[2 * n + 1] = term * PrimeElimination.inverse(2L * n + 1) % PRIME;
                    term = (PRIME - term) * PrimeElimination.inverse(n + 1L) % PRIME;
                }
                yield series;
            }
            case "log" -> { // of 1 + z
                long[] series = new long[length];
                for (int k = 1; k < length; k++) {
                    long inverse = PrimeElimination.inverse(k);
                    series[k] = k % 2 == 1 ? inverse : PRIME - inverse;
                }
                yield series;
            }
            case "root" -> { // of 1 + z, the series whose square it is
                long[] series = new long[length];
                series[0] = 1;
                for (int k = 1; k < length; k++) {
                    long rest = k == 1 ? 1 : 0;
                    for (int i = 1; i < k; i++) {
                        rest = (rest + (PRIME - series[i]) * series[k - i]) % PRIME;
                    }
                    series[k] = rest * PrimeElimination.inverse(2) % PRIME;
                }
                yield series;
            }
            case "gelu" -> { // z (1/2 + (2 pi)^(-1/2) sum of (-1)^n z^(2n+1) / (2^n n! (2n+1)))
                long[] series = new long[length];
                series[1 % length] = PrimeElimination.inverse(2);
                long term = ROOT_TWO_OVER_PI * PrimeElimination.inverse(2) % PRIME;
                for (int n = 0; 2 * n + 2 < length; n++) {
                    series[2 * n + 2] = term * PrimeElimination.inverse(2L * n + 1) % PRIME;
                    term = (PRIME - term) * PrimeElimination.inverse(2L * n + 2) % PRIME;
                }
                yield series;
            }
            case "gelu_tanh" -> { // z (1 + tanh(r (z + 0.044715 z^3))) / 2
                long[] inner = new long[length];
                inner[1] = ROOT_TWO_OVER_PI;
                inner[3] = ROOT_TWO_OVER_PI * 44_715 % PRIME * PrimeElimination.inverse(1_000_000) % PRIME;
                long[] series = insert(tanh(length), inner);
                series[0] = (series[0] + 1) % PRIME;
                for (int k = 0; k < length; k++) {
                    series[k] = series[k] * PrimeElimination.inverse(2) % PRIME;
                }
                yield timesVariable(series);
            }
            default -> throw new IllegalArgumentException("no series for " + activation);
        };
    }

    /** 2 s(2 z) - 1 with the logistic function s. */
    private static long[] tanh(int length) {
        long[] series = sigmoid(length);
        long power = 2;
        for (int k = 0; k < length; k++) {
            series[k] = series[k] * power % PRIME;
            power = power * 2 % PRIME;
        }
        series[0] = 0;
        return series;
    }

    /** The inverse of 1 + exp(-z), by long division. */
    private static long[] sigmoid(int length) {
        long[] divisor = new long[length];
        long factorial = 1;
        for (int k = 0; k < length; k++) {
            long inverse = PrimeElimination.inverse(factorial);
            divisor[k] = k == 0 ? 2 : k % 2 == 0 ? inverse : PRIME - inverse;
            factorial = factorial * (k + 1) % PRIME;
        }
        long[] series = new long[length];
        for (int k = 0; k < length; k++) {
            long rest = k == 0 ? 1 : 0;
            for (int i = 1; i <= k; i++) {
                rest = (rest + (PRIME - divisor[i]) * series[k - i]) % PRIME;
            }
            series[k] = rest * PrimeElimination.inverse(2) % PRIME;
        }
        return series;
    }
}
