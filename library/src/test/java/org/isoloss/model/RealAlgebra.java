package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/** Real numbers in float64, one operation after the other. */
final class RealAlgebra implements Algebra<Double> {
    @Override
    public Double constant(double value) {
        return value;
    }

    @Override
    public Double plus(Double left, Double right) {
        return left + right;
    }

    @Override
    public Double times(Double left, Double right) {
        return left * right;
    }

    @Override
    public Double apply(Pointwise function, Double argument) {
        return function.value(argument);
    }

    @Override
    public double number(Double element) {
        return element;
    }
}
