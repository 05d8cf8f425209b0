package org.isoloss.autodiff;

import java.util.List;
import org.isoloss.linalg.BoundGemm;
import org.isoloss.linalg.Placement;

/**
 * The kernels of one precision over the two arrays of a program: values and gradients, which share their offsets.
 * {@link Float32} is written by hand; {@code Float64} is generated from it when the library is built.
 *
 * <p>Every {@code ...Back} kernel adds to the gradient of its inputs; {@link #clearGradient} comes first where a region
 * has no contribution yet. Kernels that may also overwrite say so.
 */
sealed interface Arithmetic permits Float32, Float64 {
    /** One matrix product, bound to its regions: {@code C = A B + beta C}. */
    interface Product {
        void run(boolean accumulate);
    }

    /**
     * Where a matrix lies.
     *
     * @param gradient whether in the gradients, or in the values
     * @param place where there
     */
    record Operand(boolean gradient, Placement place) {
        static Operand value(Tensor tensor) {
            return new Operand(false, new Placement(tensor.offset(), tensor.columns(), false));
        }

        static Operand gradient(Tensor tensor) {
            return new Operand(true, new Placement(tensor.offset(), tensor.columns(), false));
        }

        Operand transpose() {
            return new Operand(gradient, place.transpose());
        }

        Operand part(int row, int column) {
            return new Operand(gradient, place.part(row, column));
        }
    }

    /** The precision of all numbers. */
    default Precision precision() {
        return this instanceof Float32 ? Precision.FLOAT32 : Precision.FLOAT64;
    }

    /** Binds {@code C = op(A) op(B)}, where op(A) is (m, k), op(B) is (k, n) and C is (m, n). */
    Product product(Operand a, Operand b, Operand c, int m, int n, int k);

    /** From now on, keeps each product that runs and none from before, or no longer. */
    void recordProducts(boolean record);

    List<BoundGemm> recordedProducts();

    double value(int at);

    void setValue(int at, double value);

    /** Sets consecutive values to numbers from {@code from} on. */
    void setValues(int at, double[] numbers, int from, int count);

    /** Copies consecutive values to {@code numbers}, from {@code to} on. */
    void copyValues(int at, double[] numbers, int to, int count);

    double gradient(int at);

    /** Copies consecutive gradients to {@code numbers}, from {@code to} on. */
    void copyGradients(int at, double[] numbers, int to, int count);

    /** Adds numbers from {@code from} on to consecutive gradients. */
    void addGradients(int at, double[] numbers, int from, int count);

    void setGradient(int at, double value);

    void clearGradient(int at, int count);

    void clearValue(int at, int count);

    void copyValue(int from, int to, int count);

    /** {@code values[to ..] += factor * values[from ..]}, in the forward pass of what lies at {@code to}. */
    void addScaledValue(double factor, int from, int to, int count);

    /** {@code gradients[to ..] += factor * gradients[from ..]}, in the backward pass of what lies at {@code from}. */
    void addScaledGradient(double factor, int from, int to, int count);

    /** Replaces the values z by f(z), and keeps f'(z) and f''(z). */
    void pointwise(Pointwise function, int at, int count);

    /** Replaces the tangents dz at {@code at} by f'(z) dz, with the derivatives kept at {@code value}. */
    void pointwiseTangent(int value, int at, int count);

    /** Replaces the values z by f(z) where no derivative will be asked for. */
    void pointwiseValues(Pointwise function, int at, int count);

    /** Turns the gradient of f(z) into that of z. */
    void pointwiseBack(int at, int count);

    /**
     * Turns the gradient of f'(z) dz into that of dz, and adds its part to the gradient of z, which
     * {@link #pointwiseBack} has left. Uses up what the forward pass kept.
     */
    void pointwiseTangentBack(int value, int at, int count);

    /** {@code gradients[to ..] (+)= gradients[from ..]}; overwrites unless accumulating. */
    void passGradient(int from, int to, int count, boolean accumulate);

    /** {@code values[to ..] = values[a ..] * values[b ..]}. */
    void multiply(int a, int b, int to, int count);

    /** {@code gradients[to ..] (+)= gradients[upstream ..] * values[factor ..]}; overwrites unless accumulating. */
    void multiplyBack(int upstream, int factor, int to, int count, boolean accumulate);

    /** Copies values of columns of one tensor to columns of another of the same height. */
    void copyColumns(Tensor source, int[] from, Tensor target, int[] to);

    /** Adds the gradients of columns of one tensor to those of columns of another of the same height. */
    void addColumnsGradient(Tensor source, int[] from, Tensor target, int[] to);

    /** The inner product of two stretches of values. */
    double innerProduct(int a, int b, int count);

    /** Adds {@code factor} times each of the rows that begin at {@code from} to the one row at {@code to}. */
    void addScaledRowsGradient(double factor, int from, int rows, int columns, int to);

    /** {@code gradients[to ..] += factor * values[from ..]}. */
    void addScaledValueToGradient(double factor, int from, int to, int count);

    /** The sum of squared gradients; not finite when one of them is not. */
    double squaredGradientNorm(int from, int count);

    void scaleValues(int at, int count, double factor);

    void scaleGradients(int at, int count, double factor);

    /** Makes moments, zero, for the first {@code count} values, unless they are there. */
    void prepareMoments(int count);

    /**
     * One Adam update of values, given the factor on the gradient, the corrected rate and the correction of the second
     * moment; moments are kept by the arithmetic.
     */
    void adam(int at, int count, double gradientScale, double rate, double secondCorrection);

    /**
     * As {@link #adam} with another decay of the second moment, but leaves what is to be added to the values in the place
     * of their gradients.
     */
    void adamSteps(int at, int count, double rate, double secondDecay, double secondCorrection);

    /** Length of the moments that {@link #adam} keeps, and access to them for checkpoints. */
    double[] moments(int count, boolean second);

    void setMoments(double[] moments, boolean second);
}
