package org.isoloss.affine;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import java.util.Optional;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.exact.ModularRank;
import org.isoloss.exact.Rationals;
import org.isoloss.model.Algebra;
import org.isoloss.model.PiecewiseLinear;
import org.isoloss.model.Power;
import org.isoloss.model.Slope;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/**
 * Power series in one variable up to a fixed order, with coefficients modulo {@link ModularRank#PRIME}; of length 1, residues.
 * A number in decimal digits, as 0.01, is the decimal fraction that it says.
 */
final class ModularSeries implements Algebra<ModularSeries.Series> {
    private static final long PRIME = ModularRank.PRIME;

    /** Stands for the root of 2/pi: a transcendental number may be replaced by anything, which can only lower a rank. */
    private static final long ROOT_TWO_OVER_PI = 1_234_567_891;

    /** Stands for the logarithm of 2. */
    private static final long LOG_TWO = 1_618_033_988;

    private final int length;
    private boolean metKink;

    ModularSeries(int length) {
        this.length = length;
    }

    /** A series and, where sides of kinks depend on it, the number whose residue it is. */
    static final class Series {
        private final long[] coefficients;
        private final @Nullable Rational<BigInteger> exact;

        private Series(long[] coefficients, @Nullable Rational<BigInteger> exact) {
            this.coefficients = coefficients;
            this.exact = exact;
        }

        /** Residues, not to be modified. */
        long[] coefficients() {
            return coefficients;
        }
    }

    /** Whether a function was asked for its value at a kink, so that slopes mean nothing. */
    boolean metKink() {
        return metKink;
    }

    /** An integer times a power of the variable, known exactly or as a residue alone. */
    Series of(long number, int order, boolean exactly) {
        long[] coefficients = new long[length];
        coefficients[order] = Math.floorMod(number, PRIME);
        return new Series(coefficients, exactly ? Rationals.of(number) : null);
    }

    @Override
    public Series constant(double value) {
        Rational<BigInteger> fraction = Rationals.ofDecimal(value);
        BigInteger prime = BigInteger.valueOf(PRIME);
        long[] coefficients = new long[length];
        coefficients[0] = ModularRank.residue(
                fraction.numerator().mod(prime).longValueExact(),
                fraction.denominator().mod(prime).longValueExact());
        return new Series(coefficients, fraction);
    }

    @Override
    public Series plus(Series left, Series right) {
        long[] sum = new long[length];
        for (int k = 0; k < length; k++) {
            sum[k] = (left.coefficients[k] + right.coefficients[k]) % PRIME;
        }
        Rational<BigInteger> exact = left.exact == null || right.exact == null ? null : left.exact.add(right.exact);
        return new Series(sum, exact);
    }

    @Override
    public Series times(Series left, Series right) {
        Rational<BigInteger> exact =
                left.exact == null || right.exact == null ? null : left.exact.multiply(right.exact);
        return new Series(product(left.coefficients, right.coefficients), exact);
    }

    @Override
    public Series apply(Pointwise function, Series argument) {
        return switch (function) {
            case Power(double exponent, double factor)
            when exponent >= 0 && exponent == Math.rint(exponent) -> {
                Series value = constant(factor);
                for (int i = 0; i < exponent; i++) {
                    value = times(value, argument);
                }
                yield value;
            }
            case PiecewiseLinear pieces -> {
                double where = number(argument);
                metKink |= pieces.slope(Math.nextUp(where)) != pieces.slope(Math.nextDown(where));
                yield plus(times(constant(pieces.slope(where)), argument), constant(pieces.offset(where)));
            }
            case Slope(PiecewiseLinear pieces, int order) -> constant(order == 1 ? pieces.slope(number(argument)) : 0);
            case Slope(Activation activation, int order) -> composed(activation, order, argument);
            case Activation activation -> composed(activation, 0, argument);
            default -> throw new UnsupportedOperationException("%s has no power series".formatted(function));
        };
    }

    /** A derivative of a transcendental function at a series without constant term. */
    private Series composed(Activation activation, int order, Series argument) {
        if (argument.coefficients[0] != 0) {
            throw new UnsupportedOperationException("%s is expanded at 0 alone".formatted(activation.label()));
        }
        long[] taylor = taylor(activation, length - 1 + order);
        for (int i = 0; i < order; i++) {
            taylor = derivative(taylor);
        }
        return new Series(composed(taylor, argument.coefficients), null);
    }

    @Override
    public double number(Series element) {
        if (element.exact == null) {
            throw new UnsupportedOperationException(
                    "the side of a kink is decided by a number known only by its residue");
        }
        return Rationals.toDouble(element.exact);
    }

    private static long[] scaled(long factor, long[] series) {
        long[] scaled = new long[series.length];
        for (int k = 0; k < scaled.length; k++) {
            scaled[k] = factor * series[k] % PRIME;
        }
        return scaled;
    }

    private static long[] product(long[] left, long[] right) {
        long[] product = new long[left.length];
        for (int i = 0; i < left.length; i++) {
            for (int j = 0; i + j < left.length && left[i] != 0; j++) {
                product[i + j] = (product[i + j] + left[i] * right[j]) % PRIME;
            }
        }
        return product;
    }

    /** Multiplies by the variable. */
    private static long[] shifted(long[] series) {
        long[] shifted = new long[series.length];
        System.arraycopy(series, 0, shifted, 1, series.length - 1);
        return shifted;
    }

    /** Inserts a series without constant term into a function given by its Taylor coefficients. */
    private static long[] composed(long[] taylor, long[] inner) {
        long[] value = new long[inner.length];
        for (int k = taylor.length - 1; k >= 0; k--) {
            value = product(value, inner);
            value[0] = (value[0] + taylor[k]) % PRIME;
        }
        return value;
    }

    private static long[] derivative(long[] taylor) {
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
