package org.isoloss.affine;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.isoloss.network.Activation;

/** What a hidden layer applies to its pre-activations, sorted by how exact arithmetic can treat it. */
public sealed interface HiddenActivation {
    /** No activation. */
    HiddenActivation IDENTITY = new Power(1);

    /** {@code max(z, 0)}. */
    HiddenActivation RELU = new PiecewiseLinear(Activation.RELU);

    /** {@code z} above 0, {@code z / 100} below. */
    HiddenActivation LEAKY_RELU = new PiecewiseLinear(Activation.LEAKY_RELU);

    /**
     * The polynomial {@code z^exponent}; exponent 1 is no activation at all.
     *
     * @param exponent from 1 to 9
     */
    record Power(int exponent) implements HiddenActivation {
        /** Checks the exponent. */
        public Power {
            if (exponent < 1 || exponent > 9) {
                throw new IllegalArgumentException(
                        "activation z^%d: expected an exponent from 1 to 9".formatted(exponent));
            }
        }

        @Override
        public double value(double z) {
            double power = z;
            for (int i = 1; i < exponent; i++) {
                power *= z;
            }
            return power;
        }

        @Override
        public double first(double z) {
            return exponent == 1 ? 1 : exponent * new Power(exponent - 1).value(z);
        }

        @Override
        public int degree() {
            return exponent;
        }

        @Override
        public boolean isOdd() {
            return exponent % 2 == 1;
        }

        @Override
        public String label() {
            return exponent == 1 ? Activation.IDENTITY.label() : "z^" + exponent;
        }
    }

    /**
     * Linear on each side of 0.
     *
     * @param activation {@link Activation#RELU} or {@link Activation#LEAKY_RELU}
     */
    record PiecewiseLinear(Activation activation) implements HiddenActivation {
        /** Checks the kind. */
        public PiecewiseLinear {
            if (activation != Activation.RELU && activation != Activation.LEAKY_RELU) {
                throw new IllegalArgumentException("%s is not piecewise linear".formatted(activation.label()));
            }
        }

        /** {@return the inverse of the slope below 0, 100 for leaky ReLU, 0 for ReLU, whose slope is 0} */
        int inverseSlope() {
            return activation == Activation.RELU ? 0 : 100;
        }

        @Override
        public double value(double z) {
            return activation.value(z);
        }

        @Override
        public double first(double z) {
            return activation.first(z);
        }

        @Override
        public int degree() {
            return 1;
        }

        @Override
        public boolean isOdd() {
            return false;
        }

        @Override
        public String label() {
            return activation.label();
        }
    }

    /**
     * A transcendental function.
     *
     * @param activation none of identity, ReLU and leaky ReLU
     */
    record Smooth(Activation activation) implements HiddenActivation {
        /** Checks the kind. */
        public Smooth {
            if (activation.isHomogeneous()) {
                throw new IllegalArgumentException("%s is not transcendental".formatted(activation.label()));
            }
        }

        @Override
        public double value(double z) {
            return activation.value(z);
        }

        @Override
        public double first(double z) {
            return activation.first(z);
        }

        @Override
        public int degree() {
            return 0;
        }

        @Override
        public boolean isOdd() {
            return activation == Activation.TANH;
        }

        @Override
        public String label() {
            return activation.label();
        }
    }

    /**
     * Finds an activation by name.
     *
     * @param name as {@link Activation#named} reads it, or {@code z^2}, {@code x^3}, ...
     * @return the activation
     */
    static HiddenActivation named(String name) {
        Matcher power = Pattern.compile("[xz]\\^([1-9])").matcher(name.toLowerCase(Locale.ROOT));
        if (power.matches()) {
            return new Power(Integer.parseInt(power.group(1)));
        }
        Activation activation = Activation.named(name);
        return switch (activation) {
            case IDENTITY -> IDENTITY;
            case RELU, LEAKY_RELU -> new PiecewiseLinear(activation);
            default -> new Smooth(activation);
        };
    }

    /**
     * Returns the value.
     *
     * @param z finite
     * @return f(z)
     */
    double value(double z);

    /**
     * Returns the first derivative.
     *
     * @param z finite
     * @return f'(z); at a kink, the derivative from the left
     */
    double first(double z);

    /**
     * {@return the degree d with {@code f(r z) = r^d f(z)} for every positive r, at least 1, or 0 when f is not homogeneous}
     */
    int degree();

    /** {@return whether {@code f(-z) = -f(z)}: true for the hyperbolic tangent and odd powers} */
    boolean isOdd();

    /** {@return the name that {@link #named} reads back, lower case} */
    String label();
}
