package org.isoloss.network;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.isoloss.autodiff.Exponential;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Power;

/**
 * The activations of the supported networks, applied entry by entry.
 *
 * <p>Value and derivatives are within {@code 2e-15 max(|exact|, 1)} of the exact ones for every finite argument, and
 * none overflows to a NaN. Away from the zeros of a smooth activation they are also within {@code 2e-15} relative down
 * to the underflow, except {@link #GELU_TANH}, whose far left tail loses {@code |2u| 2e-16} relative to the rounding of
 * the argument u of its hyperbolic tangent. At a kink the first derivative is the one from the left, the second is 0.
 */
public enum Activation implements Pointwise, RowActivation {
    /** No activation: {@code z}. */
    IDENTITY("identity linear") {
        @Override
        public double value(double z) {
            return z;
        }

        @Override
        public double first(double z) {
            return 1;
        }

        @Override
        public double second(double z) {
            return 0;
        }
    },

    /** {@code max(z, 0)}. */
    RELU("relu") {
        @Override
        public double value(double z) {
            return Math.max(z, 0);
        }

        @Override
        public double first(double z) {
            return z > 0 ? 1 : 0;
        }

        @Override
        public double second(double z) {
            return 0;
        }
    },

    /** {@code z} above 0 and {@code z / 100} below: PyTorch's default slope of 0.01. */
    LEAKY_RELU("leaky_relu leakyrelu") {
        @Override
        public double value(double z) {
            return z > 0 ? z : LEAKY_SLOPE * z;
        }

        @Override
        public double first(double z) {
            return z > 0 ? 1 : LEAKY_SLOPE;
        }

        @Override
        public double second(double z) {
            return 0;
        }
    },

    /** The logistic function {@code 1 / (1 + exp(-z))}. */
    SIGMOID("sigmoid logistic") {
        @Override
        public double value(double z) {
            return Logistic.value(z);
        }

        @Override
        public double first(double z) {
            return Logistic.slope(z);
        }

        @Override
        public double second(double z) {
            return -Logistic.slope(z) * Logistic.halfTanh(z);
        }
    },

    /** The hyperbolic tangent. */
    TANH("tanh") {
        @Override
        public double value(double z) {
            return Math.tanh(z);
        }

        @Override
        public double first(double z) {
            return 4 * Logistic.slope(2 * z);
        }

        @Override
        public double second(double z) {
            return -2 * Math.tanh(z) * first(z);
        }
    },

    /** {@code z Phi(z)} with the normal distribution Phi: the exact GELU, by the error function. */
    GELU("gelu gelu_python") {
        @Override
        public double value(double z) {
            return z * NormalDistribution.value(z);
        }

        @Override
        public double first(double z) {
            double density = NormalDistribution.density(z);
            return density == 0 ? NormalDistribution.value(z) : NormalDistribution.value(z) + z * density;
        }

        @Override
        public double second(double z) {
            double density = NormalDistribution.density(z);
            return density == 0 ? 0 : density * (2 - z * z);
        }
    },

    /**
     * The hyperbolic-tangent form of GELU: {@code z (1 + tanh u) / 2} with {@code u = sqrt(2 / pi) (z + 0.044715 z^3)}.
     */
    GELU_TANH("gelu_tanh gelu_new gelu_pytorch_tanh gelu_fast") {
        @Override
        public double value(double z) {
            return z * Logistic.value(2 * tanhArgument(z));
        }

        @Override
        public double first(double z) {
            double argument = 2 * tanhArgument(z);
            double slope = Logistic.slope(argument);
            return slope == 0
                    ? Logistic.value(argument)
                    : Logistic.value(argument) + z * slope * 2 * tanhArgumentSlope(z);
        }

        @Override
        public double second(double z) {
            double argument = 2 * tanhArgument(z);
            double slope = Logistic.slope(argument);
            if (slope == 0) {
                return 0;
            }
            double inner = 2 * tanhArgumentSlope(z);
            double innerSlope = 12 * TANH_SCALE * TANH_CUBIC * z;
            // d2/dz2 of z s(w(z)) = 2 s' w' + z (s'' w'^2 + s' w''), with s'' = -s' tanh(w / 2)
            return slope * (2 * inner + z * (innerSlope - Logistic.halfTanh(argument) * inner * inner));
        }
    },

    /** {@code z / (1 + exp(-z))}, also called swish. */
    SILU("silu swish") {
        @Override
        public double value(double z) {
            return z * Logistic.value(z);
        }

        @Override
        public double first(double z) {
            return Logistic.value(z) * (1 + z * Logistic.value(-z));
        }

        @Override
        public double second(double z) {
            return Logistic.slope(z) * (2 - z * Logistic.halfTanh(z));
        }
    },

    /** {@code log(1 + exp(z))}, without the cut at z = 20 by which PyTorch replaces it by z, 2e-9 away. */
    SOFTPLUS("softplus") {
        @Override
        public double value(double z) {
            return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
        }

        @Override
        public double first(double z) {
            return Logistic.value(z);
        }

        @Override
        public double second(double z) {
            return Logistic.slope(z);
        }
    };

    private static final double LEAKY_SLOPE = 0.01;
    private static final double TANH_SCALE = Math.sqrt(2 / Math.PI);
    private static final double TANH_CUBIC = 0.044715;

    /** Separated by spaces; the first is the label. */
    private final String names;

    Activation(String names) {
        this.names = names;
    }

    /**
     * Finds an activation by the name that PyTorch and Hugging Face configurations give it. {@code gelu_fast} differs
     * from {@link #GELU_TANH} only by the rounding of its constant, 4e-11 relative.
     *
     * @param name for example {@code gelu}, {@code gelu_new}, {@code silu}, {@code swish}, {@code linear}; in any case
     * @return the activation
     */
    public static Activation named(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        for (Activation activation : values()) {
            if (activation.names().contains(wanted)) {
                return activation;
            }
        }
        String known = Arrays.stream(values())
                .flatMap(activation -> activation.names().stream())
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException("activation \"%s\" is not known; use one of %s".formatted(name, known));
    }

    /**
     * Finds a function by name: an activation, or a power.
     *
     * @param name as {@link #named} takes it, or {@code z^1} to {@code z^9}, also with an x
     * @return an activation, or a {@link Power}
     */
    public static Pointwise function(String name) {
        return name.matches("[xzXZ]\\^[1-9]") ? new Power(name.charAt(2) - '0', 1) : named(name);
    }

    /** {@return the name that is written to files; {@link #named} reads it back; lower case, words joined by underscores} */
    public String label() {
        return names().getFirst();
    }

    /**
     * {@return whether {@code f(a z) = a f(z)} for every positive a, so that hidden units may be rescaled: true for identity,
     * ReLU and leaky ReLU}
     */
    public boolean isHomogeneous() {
        return this == IDENTITY || this == RELU || this == LEAKY_RELU;
    }

    @Override
    public boolean hasKink() {
        return this == RELU || this == LEAKY_RELU;
    }

    /**
     * Applies the activation to every entry.
     *
     * @param sums pre-activations, any shape; not modified
     * @return the same shape
     */
    @Override
    public Matrix values(Matrix sums) {
        Matrix values = sums.copy();
        for (int i = 0; i < values.entries().length; i++) {
            values.entries()[i] = value(values.entries()[i]);
        }
        return values;
    }

    /** The change of every entry times the first derivative there. */
    @Override
    public Matrix derivative(Matrix sums, Matrix change) {
        Matrix derivative = change.copy();
        for (int i = 0; i < derivative.entries().length; i++) {
            derivative.entries()[i] *= first(sums.entries()[i]);
        }
        return derivative;
    }

    private List<String> names() {
        return List.of(names.split(" "));
    }

    private static double tanhArgument(double z) {
        return TANH_SCALE * z * (1 + TANH_CUBIC * z * z);
    }

    private static double tanhArgumentSlope(double z) {
        return TANH_SCALE * (1 + 3 * TANH_CUBIC * z * z);
    }

    @Override
    public void evaluate(double[] numbers, double[] first, double[] second, int from, int to) {
        switch (this) {
            case SILU -> silu(numbers, first, second, from, to);
            case TANH -> tanh(numbers, first, second, from, to);
            case GELU -> gelu(numbers, first, second, from, to);
            default -> Pointwise.super.evaluate(numbers, first, second, from, to);
        }
    }

    /** Learned actions spend their time here: one exponential for all three. */
    private static void silu(double[] numbers, double[] first, double[] second, int from, int to) {
        for (int i = from; i < to; i++) {
            second[i] = -Math.abs(numbers[i]);
        }
        Exponential.replace(second, first, from, to);
        for (int i = from; i < to; i++) {
            double x = numbers[i];
            double tail = second[i];
            double positive = positive(x);
            double negative = 1 - positive;
            double larger = 1 / (1 + tail);
            double logistic = (positive + negative * tail) * larger;
            double rest = (negative + positive * tail) * larger;
            numbers[i] = x * logistic;
            first[i] = logistic * (1 + x * rest);
            second[i] = logistic * rest * (2 - x * (logistic - rest));
        }
    }

    private static void tanh(double[] numbers, double[] first, double[] second, int from, int to) {
        for (int i = from; i < to; i++) {
            double tangent = Math.tanh(numbers[i]);
            double slope = TANH.first(numbers[i]);
            numbers[i] = tangent;
            first[i] = slope;
            second[i] = -2 * tangent * slope;
        }
    }

    private static void gelu(double[] numbers, double[] first, double[] second, int from, int to) {
        for (int i = from; i < to; i++) {
            double z = numbers[i];
            double normal = NormalDistribution.value(z);
            double density = NormalDistribution.density(z);
            numbers[i] = z * normal;
            first[i] = density == 0 ? normal : normal + z * density;
            second[i] = density == 0 ? 0 : density * (2 - z * z);
        }
    }

    @Override
    public void values(double[] numbers, double[] tails, double[] scratch, int from, int to) {
        if (this != SILU) {
            Pointwise.super.values(numbers, tails, scratch, from, to);
            return;
        }
        for (int i = from; i < to; i++) {
            tails[i] = -Math.abs(numbers[i]);
        }
        Exponential.replace(tails, scratch, from, to);
        for (int i = from; i < to; i++) {
            double x = numbers[i];
            double positive = positive(x);
            numbers[i] = x * ((positive + (1 - positive) * tails[i]) * (1 / (1 + tails[i])));
        }
    }

    /** 1 for positive numbers, 0 for negative ones: a choice that the compiler vectorises. */
    private static double positive(double x) {
        return 0.5 + 0.5 * Math.signum(x);
    }

    @Override
    public void evaluate(float[] numbers, float[] first, float[] second, int from, int to) {
        switch (this) {
            case SILU -> FastActivation.silu(numbers, first, second, from, to);
            case SIGMOID -> FastActivation.sigmoid(numbers, first, second, from, to);
            case TANH -> FastActivation.tanh(numbers, first, second, from, to);
            case GELU -> FastActivation.gelu(numbers, first, second, from, to);
            default -> Pointwise.super.evaluate(numbers, first, second, from, to);
        }
    }
}
