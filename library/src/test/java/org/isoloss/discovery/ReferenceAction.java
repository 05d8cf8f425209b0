package org.isoloss.discovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.network.Activation;

/**
 * The action {@code a(g, theta) = theta + b(g, theta) - b(I, theta)} of given weights and generators, one argument at a
 * time, in plain loops. Matrices are flattened row by row.
 */
final class ReferenceAction {
    private final List<double[]> weights;
    private final int size;
    private final int parameterCount;
    private final Activation activation;

    /**
     * Takes the numbers of an action.
     *
     * @param weights first layer, its bias, each further hidden layer with its bias, last layer, generators that are not
     *     yet normalised; a layer is (inputs, outputs) row by row; kept
     * @param size s
     * @param parameterCount p
     */
    ReferenceAction(List<double[]> weights, int size, int parameterCount, Activation activation) {
        this.weights = weights;
        this.size = size;
        this.parameterCount = parameterCount;
        this.activation = activation;
    }

    /** The action with one number changed. */
    ReferenceAction with(int tensor, int index, double number) {
        List<double[]> changed = new ArrayList<>(weights);
        changed.set(tensor, weights.get(tensor).clone());
        changed.get(tensor)[index] = number;
        return new ReferenceAction(changed, size, parameterCount, activation);
    }

    double[] apply(double[] g, double[] theta) {
        double[] moved = theta.clone();
        double[] at = network(g, new double[g.length], theta)[0];
        double[] still = network(identity(), new double[g.length], theta)[0];
        for (int i = 0; i < moved.length; i++) {
            moved[i] += at[i] - still[i];
        }
        return moved;
    }

    /** Returns {@code D_g a at (g, theta) [direction]}. */
    double[] derivative(double[] g, double[] direction, double[] theta) {
        return network(g, direction, theta)[1];
    }

    /** Returns the field {@code v_h(theta) = D_g a at (I, theta) [h]}. */
    double[] field(double[] h, double[] theta) {
        return derivative(identity(), h, theta);
    }

    /** Returns {@code b(g, theta)} without its last bias, which cancels, and its derivative in g. */
    private double[][] network(double[] g, double[] direction, double[] theta) {
        double[] value = Arrays.copyOf(g, g.length + theta.length);
        System.arraycopy(theta, 0, value, g.length, theta.length);
        double[] tangent = Arrays.copyOf(direction, value.length);
        int layers = (weights.size() - 2) / 2;
        for (int layer = 0; layer < layers; layer++) {
            double[] bias = weights.get(2 * layer + 1);
            value = times(value, weights.get(2 * layer), bias.length);
            tangent = times(tangent, weights.get(2 * layer), bias.length);
            for (int i = 0; i < bias.length; i++) {
                value[i] += bias[i];
            }
            ReferenceTarget.activate(activation, value, tangent);
        }
        double[] last = weights.get(weights.size() - 2);
        return new double[][] {times(value, last, parameterCount), times(tangent, last, parameterCount)};
    }

    private static double[] times(double[] row, double[] matrix, int columns) {
        double[] product = new double[columns];
        for (int i = 0; i < row.length; i++) {
            for (int j = 0; j < columns; j++) {
                product[j] += row[i] * matrix[i * columns + j];
            }
        }
        return product;
    }

    int generatorCount() {
        return weights.getLast().length / (size * size);
    }

    /** Returns h_i with Frobenius norm 1. */
    double[] generator(int index) {
        double[] raw = Arrays.copyOfRange(weights.getLast(), index * size * size, (index + 1) * size * size);
        double square = 0;
        for (double entry : raw) {
            square += entry * entry;
        }
        for (int i = 0; i < raw.length; i++) {
            raw[i] /= Math.sqrt(square);
        }
        return raw;
    }

    /** Returns {@code exp(t_m h_(i_m)) ... exp(t_1 h_(i_1))}. */
    double[] word(double[] coefficients, int[] indices) {
        double[] product = identity();
        for (int factor = 0; factor < coefficients.length; factor++) {
            double[] exponent = generator(indices[factor]);
            for (int i = 0; i < exponent.length; i++) {
                exponent[i] *= coefficients[factor];
            }
            product = matrixProduct(exponential(exponent), product);
        }
        return product;
    }

    /** The Taylor series of the exponent over 16, squared four times; for norms up to 1 the rest is below 1e-20. */
    private double[] exponential(double[] exponent) {
        double[] sixteenth = exponent.clone();
        for (int i = 0; i < sixteenth.length; i++) {
            sixteenth[i] /= 16;
        }
        double[] sum = identity();
        double[] term = identity();
        for (int k = 1; k <= 10; k++) {
            term = matrixProduct(term, sixteenth);
            for (int i = 0; i < sum.length; i++) {
                term[i] /= k;
                sum[i] += term[i];
            }
        }
        for (int squaring = 0; squaring < 4; squaring++) {
            sum = matrixProduct(sum, sum);
        }
        return sum;
    }

    double[] matrixProduct(double[] left, double[] right) {
        double[] product = new double[size * size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                for (int k = 0; k < size; k++) {
                    product[i * size + j] += left[i * size + k] * right[k * size + j];
                }
            }
        }
        return product;
    }

    private double[] identity() {
        double[] identity = new double[size * size];
        for (int i = 0; i < size; i++) {
            identity[i * size + i] = 1;
        }
        return identity;
    }
}
