package org.isoloss.affine;

import java.util.Optional;
import org.isoloss.exact.ModularRank;
import org.isoloss.network.Activation;

/** Power series in one variable up to a fixed order, with coefficients modulo {@link ModularRank#PRIME}. */
final class ModularSeries {
    private static final long PRIME = ModularRank.PRIME;

    /** Stands for the root of 2/pi: a transcendental number may be replaced by anything, which can only lower a rank. */
    private static final long ROOT_TWO_OVER_PI = 1_234_567_891;

    /** Stands for the logarithm of 2. */
    private static final long LOG_TWO = 1_618_033_988;

    private ModularSeries() {}

    static long[] sum(long[] left, long[] right) {
        long[] sum = new long[left.length];
        for (int k = 0; k < sum.length; k++) {
            sum[k] = (left[k] + right[k]) % PRIME;
        }
        return sum;
    }

    static long[] scaled(long factor, long[] series) {
        long[] scaled = new long[series.length];
        for (int k = 0; k < scaled.length; k++) {
            scaled[k] = factor * series[k] % PRIME;
        }
        return scaled;
    }

    static long[] product(long[] left, long[] right) {
        long[] product = new long[left.length];
        for (int i = 0; i < left.length; i++) {
            for (int j = 0; i + j < left.length && left[i] != 0; j++) {
                product[i + j] = (product[i + j] + left[i] * right[j]) % PRIME;
            }
        }
        return product;
    }

    /** Multiplies by the variable. */
    static long[] shifted(long[] series) {
        long[] shifted = new long[series.length];
        System.arraycopy(series, 0, shifted, 1, series.length - 1);
        return shifted;
    }

    /** Inserts a series without constant term into a function given by its Taylor coefficients. */
    static long[] composed(long[] taylor, long[] inner) {
        long[] value = new long[inner.length];
        for (int k = taylor.length - 1; k >= 0; k--) {
            value = product(value, inner);
            value[0] = (value[0] + taylor[k]) % PRIME;
        }
        return value;
    }

    static long[] derivative(long[] taylor) {
        long[] derivative = new long[taylor.length - 1];
        for (int k = 1; k < taylor.length; k++) {
            derivative[k - 1] = k * taylor[k] % PRIME;
        }
        return derivative;
    }

    /** The transcendental number in the Taylor coefficients at 0 of an activation; none when they are rational. */
    static Optional<String> transcendental(Activation activation) {
        return switch (activation) {
            case GELU, GELU_TANH -> Optional.of("the root of 2/pi");
            case SOFTPLUS -> Optional.of("log 2");
            default -> Optional.empty();
        };
    }

    /** Taylor coefficients at 0 up to {@code z^order}. */
    static long[] taylor(Activation activation, int order) {
        long[] identity = new long[order + 1];
        identity[1] = 1;
        return switch (activation) {
            case TANH -> tanh(order);
            case SIGMOID -> logistic(order);
            case SILU -> shifted(logistic(order));
            case SOFTPLUS -> integral(logistic(order), LOG_TWO);
            case GELU -> shifted(normal(order));
            case GELU_TANH -> { // z s(2 u), u = sqrt(2/pi) (z + 0.044715 z^3)
                long[] argument = scaled(2 * ROOT_TWO_OVER_PI % PRIME, identity);
                if (order >= 3) {
                    argument[3] = argument[1] * ModularRank.residue(44_715, 1_000_000) % PRIME;
                }
                yield shifted(composed(logistic(order), argument));
            }
            case IDENTITY, RELU, LEAKY_RELU ->
                throw new IllegalArgumentException("ModularSeries: " + activation.label() + " is not transcendental");
        };
    }

    /** s' = s - s^2, s(0) = 1/2. */
    private static long[] logistic(int order) {
        long[] taylor = new long[order + 1];
        taylor[0] = ModularRank.residue(1, 2);
        for (int k = 0; k < order; k++) {
            taylor[k + 1] = (taylor[k] + PRIME - square(taylor, k)) % PRIME * ModularRank.residue(1, k + 1) % PRIME;
        }
        return taylor;
    }

    /** t' = 1 - t^2, t(0) = 0. */
    private static long[] tanh(int order) {
        long[] taylor = new long[order + 1];
        for (int k = 0; k < order; k++) {
            long constant = k == 0 ? 1 : 0;
            taylor[k + 1] = (constant + PRIME - square(taylor, k)) % PRIME * ModularRank.residue(1, k + 1) % PRIME;
        }
        return taylor;
    }

    /** The normal distribution function: its density is (2 pi)^(-1/2) exp(-z^2 / 2). */
    private static long[] normal(int order) {
        long[] density = new long[order + 1];
        density[0] = ROOT_TWO_OVER_PI * ModularRank.residue(1, 2) % PRIME;
        for (int k = 2; k <= order; k += 2) {
            density[k] = density[k - 2] * ModularRank.residue(-1, k) % PRIME;
        }
        return integral(density, ModularRank.residue(1, 2));
    }

    private static long[] integral(long[] taylor, long constant) {
        long[] integral = new long[taylor.length];
        integral[0] = constant;
        for (int k = 1; k < taylor.length; k++) {
            integral[k] = taylor[k - 1] * ModularRank.residue(1, k) % PRIME;
        }
        return integral;
    }

    private static long square(long[] series, int k) {
        long sum = 0;
        for (int i = 0; i <= k; i++) {
            sum = (sum + series[i] * series[k - i]) % PRIME;
        }
        return sum;
    }
}
