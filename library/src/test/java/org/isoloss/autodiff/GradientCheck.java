package org.isoloss.autodiff;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.isoloss.linalg.Matrix;

/** Compares the gradients of a float64 program with central differences of its loss. */
public final class GradientCheck {
    /**
     * What gradients and differences may differ by, relative to the largest derivative of a tensor. A difference errs by
     * h^4 / 30 = 3e-14 of the fifth derivative and by about 1e-13 of the loss, whatever the size of the derivative.
     */
    public static final double TOLERANCE = 1e-7;

    private GradientCheck() {}

    /**
     * Returns the largest error of a gradient, relative to the largest derivative in its tensor.
     *
     * @param program float64, with all numbers set; run, and left as it was but for rounding
     * @param loss the last recorded result
     * @param leaves parameters and inputs, each of which the loss must depend on
     */
    public static double worstError(Program program, Tensor loss, List<Tensor> leaves) {
        program.forward();
        program.backward(loss);
        double worst = 0;
        for (Tensor leaf : leaves) {
            Matrix gradient = program.gradient(leaf);
            Matrix differences = Matrix.zeros(leaf.rows(), leaf.columns());
            for (int i = 0; i < leaf.size(); i++) {
                differences.entries()[i] = difference(program, loss, leaf, i);
            }
            double scale = differences.largestMagnitude();
            if (!(scale > 1e-6)) {
                throw new IllegalStateException("the loss does not depend on " + leaf + ", so nothing is checked");
            }
            worst = Math.max(worst, gradient.minus(differences).largestMagnitude() / scale);
        }
        return worst;
    }

    private static double difference(Program program, Tensor loss, Tensor leaf, int index) {
        double at = program.get(leaf, index);
        double slope = derivative(
                x -> {
                    program.set(leaf, index, x);
                    program.forward();
                    return program.get(loss, 0);
                },
                at);
        program.set(leaf, index, at);
        return slope;
    }

    /** Returns the derivative by the central difference of five points. */
    public static double derivative(DoubleUnaryOperator function, double at) {
        double h = 1e-3 * Math.max(1, Math.abs(at));
        double near = function.applyAsDouble(at + h) - function.applyAsDouble(at - h);
        double far = function.applyAsDouble(at + 2 * h) - function.applyAsDouble(at - 2 * h);
        return (8 * near - far) / (12 * h);
    }
}
