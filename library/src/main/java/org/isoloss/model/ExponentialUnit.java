package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/**
 * Linear above 0, an exponential that levels off below: {@code factor z} and {@code factor alpha (e^(rate z) - 1)}. With a
 * rate of 1 it is ELU, with SELU's two numbers SELU, with a rate of {@code 1 / alpha} CELU.
 *
 * @param alpha how deep it goes
 * @param rate how fast
 * @param factor of both parts
 */
public record ExponentialUnit(double alpha, double rate, double factor) implements Pointwise {
    @Override
    public double value(double z) {
        return factor * (z > 0 ? z : alpha * Math.expm1(rate * z));
    }

    @Override
    public double first(double z) {
        return factor * (z > 0 ? 1 : alpha * rate * Math.exp(rate * z));
    }

    @Override
    public boolean hasKink() {
        return alpha * rate != 1;
    }

    @Override
    public double second(double z) {
        return z > 0 ? 0 : factor * alpha * rate * rate * Math.exp(rate * z);
    }
}
