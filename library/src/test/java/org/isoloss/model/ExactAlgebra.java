package org.isoloss.model;

import cc.redberry.rings.Rational;
import cc.redberry.rings.bigint.BigInteger;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.exact.Rationals;

/** The rational numbers: a model without transcendental functions is computed without any rounding. */
final class ExactAlgebra implements Algebra<Rational<BigInteger>> {
    /** The algebra. */
    public static final ExactAlgebra INSTANCE = new ExactAlgebra();

    private ExactAlgebra() {}

    @Override
    public Rational<BigInteger> constant(double value) {
        return Rationals.of(value);
    }

    @Override
    public Rational<BigInteger> plus(Rational<BigInteger> left, Rational<BigInteger> right) {
        return left.add(right);
    }

    @Override
    public Rational<BigInteger> times(Rational<BigInteger> left, Rational<BigInteger> right) {
        return left.multiply(right);
    }

    /** Whole powers, and what is linear on each side of a kink. */
    @Override
    public Rational<BigInteger> apply(Pointwise function, Rational<BigInteger> argument) {
        if (function instanceof Power power
                && power.exponent() == Math.rint(power.exponent())
                && Math.abs(power.exponent()) <= 64) {
            if (power.exponent() < 0 && argument.isZero()) {
                throw new ArithmeticException("%s of 0".formatted(power));
            }
            return argument.pow((int) power.exponent()).multiply(Rationals.of(power.factor()));
        }
        if (function instanceof PiecewiseLinear pieces) {
            double where = number(argument);
            return Rationals.of(pieces.slope(where)).multiply(argument).add(Rationals.of(pieces.offset(where)));
        }
        throw new UnsupportedOperationException("%s has no rational values".formatted(function));
    }

    @Override
    public double number(Rational<BigInteger> element) {
        return Rationals.toDouble(element);
    }
}
