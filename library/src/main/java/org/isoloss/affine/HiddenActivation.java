package org.isoloss.affine;

import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Clamp;
import org.isoloss.model.Power;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;

/**
 * What a hidden layer applies to its pre-activations: a power, a function that is linear on each side of 0, or a
 * transcendental one.
 *
 * @param base the function, {@link Activation#IDENTITY} for powers
 * @param exponent from 1 to 9, 1 for all but powers
 */
public record HiddenActivation(Activation base, int exponent) {
    /** No activation. */
    public static final HiddenActivation IDENTITY = new HiddenActivation(Activation.IDENTITY, 1);

    /** {@code max(z, 0)}. */
    public static final HiddenActivation RELU = new HiddenActivation(Activation.RELU, 1);

    /** {@code z} above 0, {@code z / 100} below. */
    public static final HiddenActivation LEAKY_RELU = new HiddenActivation(Activation.LEAKY_RELU, 1);

    private static final int MOST = 9;

    /** Checks the exponent. */
    public HiddenActivation {
        if (exponent < 1 || exponent > MOST || (exponent > 1 && base != Activation.IDENTITY)) {
            throw new IllegalArgumentException("activation %s^%d: expected z^1 to z^%d"
                    .formatted(base == Activation.IDENTITY ? "z" : base.label(), exponent, MOST));
        }
    }

    /**
     * Finds an activation by name.
     *
     * @param name as {@link Activation#function} reads it
     * @return the activation
     */
    public static HiddenActivation named(String name) {
        return of(Activation.function(name)).orElseThrow();
    }

    /** Finds the activation that is a function of a model, null for none, where there is one. */
    static Optional<HiddenActivation> of(@Nullable Pointwise function) {
        if (function == null) {
            return Optional.of(IDENTITY);
        }
        return Stream.concat(
                        Stream.of(Activation.values()).map(base -> new HiddenActivation(base, 1)),
                        IntStream.rangeClosed(2, MOST)
                                .mapToObj(exponent -> new HiddenActivation(Activation.IDENTITY, exponent)))
                .filter(activation -> activation.function().equals(function) || activation.base.equals(function))
                .findFirst();
    }

    /** {@return the same as a model computes it} */
    public Pointwise function() {
        return switch (base) {
            case IDENTITY -> new Power(exponent, 1);
            case RELU -> Clamp.RELU;
            case LEAKY_RELU -> new Clamp(0, Double.POSITIVE_INFINITY, 0.01);
            default -> base;
        };
    }

    /**
     * {@return the degree d with {@code f(r z) = r^d f(z)} for every positive r, at least 1, or 0 when f is not homogeneous}
     */
    public int degree() {
        return base.isHomogeneous() ? exponent : 0;
    }

    /** {@return whether {@code f(-z) = -f(z)}: true for the hyperbolic tangent and odd powers} */
    public boolean isOdd() {
        return base == Activation.TANH || (base == Activation.IDENTITY && exponent % 2 == 1);
    }

    /** {@return whether it is a power, of exponent 1 for no activation at all} */
    public boolean isPower() {
        return base == Activation.IDENTITY;
    }

    /** {@return whether it has a kink: true for ReLU and leaky ReLU} */
    public boolean isPiecewiseLinear() {
        return base.hasKink();
    }

    /** {@return whether it is transcendental: true for all that are not homogeneous} */
    public boolean isTranscendental() {
        return !base.isHomogeneous();
    }

    /** {@return the name that {@link #named} reads back, lower case} */
    public String label() {
        return exponent == 1 ? base.label() : "z^" + exponent;
    }
}
