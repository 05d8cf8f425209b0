package org.isoloss.exact;

import cc.redberry.rings.Rational;
import cc.redberry.rings.Rings;
import cc.redberry.rings.bigint.BigInteger;
import cc.redberry.rings.poly.multivar.MultivariatePolynomial;
import java.util.Optional;

/**
 * A polynomial with rational coefficients together with its derivative along a vector field: forward-mode
 * differentiation without rounding. A derivative that {@link #isConstantAlongField vanishes} does so at every point, not
 * only at sampled ones. Immutable.
 */
public final class DualPolynomial {
    private final MultivariatePolynomial<Rational<BigInteger>> value;
    private final MultivariatePolynomial<Rational<BigInteger>> tangent;

    private DualPolynomial(
            MultivariatePolynomial<Rational<BigInteger>> value, MultivariatePolynomial<Rational<BigInteger>> tangent) {
        this.value = value;
        this.tangent = tangent;
    }

    /**
     * Returns a constant.
     *
     * @param variables the number of variables of the ring, at least 1
     * @param constant any
     * @return the constant, with derivative 0
     */
    public static DualPolynomial constant(int variables, Rational<BigInteger> constant) {
        var zero = Rings.MultivariateRingQ(variables).getZero();
        return new DualPolynomial(zero.createConstant(constant), zero);
    }

    /**
     * Returns a variable that the field does not move.
     *
     * @param variables the number of variables of the ring
     * @param index which variable, from 0
     * @return the variable, with derivative 0
     */
    public static DualPolynomial variable(int variables, int index) {
        var ring = Rings.MultivariateRingQ(variables);
        return new DualPolynomial(ring.variable(index), ring.getZero());
    }

    /**
     * Returns a variable that the field moves affinely.
     *
     * @param variables the number of variables of the ring
     * @param index which variable, from 0
     * @param coefficients the derivative: the coefficient of variable i at i, and the constant after the last of them;
     *     at most {@code variables + 1} long, at least 1
     * @return the variable with this derivative
     */
    public static DualPolynomial variable(int variables, int index, RationalVector coefficients) {
        var ring = Rings.MultivariateRingQ(variables);
        var tangent = ring.getZero().copy();
        for (int k = 0; k < coefficients.count(); k++) {
            boolean constant = coefficients.index(k) == coefficients.size() - 1;
            var term = constant ? ring.getOne() : ring.variable(coefficients.index(k));
            tangent = tangent.add(term.multiply(coefficients.value(k)));
        }
        return new DualPolynomial(ring.variable(index), tangent);
    }

    /**
     * Returns {@code this + other}.
     *
     * @param other of the same ring
     * @return the sum
     */
    public DualPolynomial plus(DualPolynomial other) {
        return new DualPolynomial(value.copy().add(other.value), tangent.copy().add(other.tangent));
    }

    /**
     * Returns {@code this * other}, by the product rule.
     *
     * @param other of the same ring
     * @return the product
     */
    public DualPolynomial times(DualPolynomial other) {
        var product = value.copy().multiply(other.value);
        var slope = tangent.copy().multiply(other.value).add(value.copy().multiply(other.tangent));
        return new DualPolynomial(product, slope);
    }

    /**
     * Returns a power.
     *
     * @param exponent at least 1
     * @return this polynomial times itself
     */
    public DualPolynomial power(int exponent) {
        DualPolynomial power = this;
        for (int i = 1; i < exponent; i++) {
            power = power.times(this);
        }
        return power;
    }

    /**
     * Returns the given value with the derivative of this polynomial times a slope: the chain rule for a function that is
     * known only by symbols for its value and its slope.
     *
     * @param functionValue stands for f(this)
     * @param functionSlope stands for f'(this)
     * @return f(this), with derivative f'(this) times that of this polynomial
     */
    public DualPolynomial through(DualPolynomial functionValue, DualPolynomial functionSlope) {
        return new DualPolynomial(functionValue.value, tangent.copy().multiply(functionSlope.value));
    }

    /**
     * {@return whether the derivative along the field is the zero polynomial: true when every coefficient of the derivative is
     * 0}
     */
    public boolean isConstantAlongField() {
        return tangent.isZero();
    }

    /**
     * {@return the number c for which the derivative along the field is c times this: 0 where it vanishes, nothing where there is
     * no such number}
     */
    public Optional<Rational<BigInteger>> rate() {
        if (tangent.isZero() || value.isZero()) {
            return tangent.isZero() ? Optional.of(Rationals.ZERO) : Optional.empty();
        }
        Rational<BigInteger> rate = tangent.lc().divide(value.lc());
        return tangent.copy().subtract(value.copy().multiply(rate)).isZero() ? Optional.of(rate) : Optional.empty();
    }

    /** {@return the number of terms of value and derivative, a measure of cost: at least 0} */
    public int termCount() {
        return value.size() + tangent.size();
    }

    @Override
    public String toString() {
        return value + " moving by " + tangent;
    }
}
