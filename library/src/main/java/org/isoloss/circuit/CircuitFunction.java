package org.isoloss.circuit;

import java.util.Locale;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.model.Clamp;
import org.isoloss.model.Elementary;
import org.isoloss.model.Power;
import org.isoloss.network.Activation;

/** The functions of one variable of a circuit; all others are sums and products of these. */
public enum CircuitFunction {
    /** {@code max(z, 0)}. */
    RELU,
    /** The hyperbolic tangent. */
    TANH,
    /** The logistic function. */
    SIGMOID,
    /** {@code log(1 + e^z)}. */
    SOFTPLUS,
    /** The exponential. */
    EXP,
    /** The natural logarithm. */
    LOG,
    /** The error function. */
    ERF,
    /** {@code 1 / z}. */
    RECIPROCAL,
    /** The square root. */
    ROOT;

    private Pointwise function() {
        return switch (this) {
            case RELU -> Clamp.RELU;
            case TANH -> Activation.TANH;
            case SIGMOID -> Activation.SIGMOID;
            case SOFTPLUS -> Activation.SOFTPLUS;
            case EXP -> Elementary.EXP;
            case LOG -> Elementary.LOG;
            case ERF -> Elementary.ERF;
            case RECIPROCAL -> Power.RECIPROCAL;
            case ROOT -> Power.ROOT;
        };
    }

    /**
     * Returns the value in float64.
     *
     * @param z where
     * @return f(z)
     */
    public double value(double z) {
        return function().value(z);
    }

    /**
     * Returns the slope in float64.
     *
     * @param z where
     * @return f'(z), at a kink that from the left
     */
    public double slope(double z) {
        return function().first(z);
    }

    /** {@return whether {@code f(-z) = -f(z)}: true for tanh, erf and the reciprocal} */
    public boolean isOdd() {
        return this == TANH || this == ERF || this == RECIPROCAL;
    }

    /** {@return whether it is linear, or flat, where it is very small or large, so that float64 sees no curve there} */
    public boolean levelsOff() {
        return this == TANH || this == SIGMOID || this == SOFTPLUS || this == ERF;
    }

    /** {@return the name in certificates, lower case} */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
