package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/** Dual numbers: a value and its slope along one direction. */
final class DualAlgebra implements Algebra<DualAlgebra.Dual> {
    record Dual(double value, double slope) {}

    @Override
    public Dual constant(double value) {
        return new Dual(value, 0);
    }

    @Override
    public Dual plus(Dual left, Dual right) {
        return new Dual(left.value + right.value, left.slope + right.slope);
    }

    @Override
    public Dual times(Dual left, Dual right) {
        return new Dual(left.value * right.value, left.value * right.slope + left.slope * right.value);
    }

    @Override
    public Dual apply(Pointwise function, Dual argument) {
        return new Dual(function.value(argument.value), function.first(argument.value) * argument.slope);
    }

    @Override
    public double number(Dual element) {
        return element.value;
    }
}
