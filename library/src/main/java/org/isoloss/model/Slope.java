package org.isoloss.model;

import org.isoloss.autodiff.Pointwise;

/**
 * The first or second derivative of a function, as a function.
 *
 * @param function what is differentiated
 * @param order 1 or 2
 */
public record Slope(Pointwise function, int order) implements Pointwise {
    /**
     * Differentiates once more.
     *
     * @param function what is differentiated
     * @return its derivative
     * @throws UnsupportedOperationException when the function has no derivative, or none of this order is known
     */
    static Pointwise of(Pointwise function) {
        return switch (function) {
            case Differentiable known -> known.derivative();
            case Slope slope when slope.order == 1 -> new Slope(slope.function, 2);
            case Slope slope ->
                throw new UnsupportedOperationException(
                        "the third derivative of %s is not known".formatted(slope.function));
            default -> new Slope(function, 1);
        };
    }

    @Override
    public double value(double z) {
        return order == 1 ? function.first(z) : function.second(z);
    }

    @Override
    public double first(double z) {
        return order == 1 ? function.second(z) : Double.NaN;
    }

    @Override
    public double second(double z) {
        return Double.NaN;
    }

    @Override
    public void values(double[] numbers, double[] scratch, double[] more, int from, int to) {
        function.evaluate(numbers, scratch, more, from, to);
        System.arraycopy(order == 1 ? scratch : more, from, numbers, from, to - from);
    }

    @Override
    public void evaluate(float[] numbers, float[] first, float[] second, int from, int to) {
        function.evaluate(numbers, first, second, from, to);
        System.arraycopy(order == 1 ? first : second, from, numbers, from, to - from);
    }

    @Override
    public String toString() {
        return "%s derivative of %s".formatted(order == 1 ? "first" : "second", function);
    }
}
