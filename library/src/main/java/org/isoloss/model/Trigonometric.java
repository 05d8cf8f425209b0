package org.isoloss.model;

import java.util.function.DoubleUnaryOperator;
import org.isoloss.autodiff.Pointwise;

/** Circular and hyperbolic functions of one variable and their inverses. */
public enum Trigonometric implements Pointwise {
    /** The tangent. */
    TAN(Math::tan, z -> 1 + square(Math.tan(z)), z -> 2 * Math.tan(z) * (1 + square(Math.tan(z)))),
    /** The inverse sine. */
    ASIN(Math::asin, z -> 1 / Math.sqrt(1 - z * z), z -> z * Math.pow(1 - z * z, -1.5)),
    /** The inverse cosine. */
    ACOS(Math::acos, z -> -1 / Math.sqrt(1 - z * z), z -> -z * Math.pow(1 - z * z, -1.5)),
    /** The inverse tangent. */
    ATAN(Math::atan, z -> 1 / (1 + z * z), z -> -2 * z / square(1 + z * z)),
    /** The hyperbolic sine. */
    SINH(Math::sinh, Math::cosh, Math::sinh),
    /** The hyperbolic cosine. */
    COSH(Math::cosh, Math::sinh, Math::cosh),
    /** The inverse hyperbolic sine. */
    ASINH(
            z -> Math.copySign(Math.log1p(Math.abs(z) + z * z / (1 + Math.sqrt(1 + z * z))), z),
            z -> 1 / Math.sqrt(1 + z * z),
            z -> -z * Math.pow(1 + z * z, -1.5)),
    /** The inverse hyperbolic cosine, from 1. */
    ACOSH(
            z -> Math.log1p(z - 1 + Math.sqrt((z - 1) * (z + 1))),
            z -> 1 / Math.sqrt((z - 1) * (z + 1)),
            z -> -z * Math.pow((z - 1) * (z + 1), -1.5)),
    /** The inverse hyperbolic tangent, between -1 and 1. */
    ATANH(
            z -> 0.5 * (Math.log1p(z) - Math.log1p(-z)),
            z -> 1 / ((1 - z) * (1 + z)),
            z -> 2 * z / square((1 - z) * (1 + z)));

    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    private final DoubleUnaryOperator value;

    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    private final DoubleUnaryOperator first;

    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    private final DoubleUnaryOperator second;

    Trigonometric(DoubleUnaryOperator value, DoubleUnaryOperator first, DoubleUnaryOperator second) {
        this.value = value;
        this.first = first;
        this.second = second;
    }

    private static double square(double z) {
        return z * z;
    }

    @Override
    public double value(double z) {
        return value.applyAsDouble(z);
    }

    @Override
    public double first(double z) {
        return first.applyAsDouble(z);
    }

    @Override
    public double second(double z) {
        return second.applyAsDouble(z);
    }
}
