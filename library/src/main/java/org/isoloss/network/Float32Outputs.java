package org.isoloss.network;

import org.isoloss.linalg.Blas;
import org.isoloss.linalg.Matrix;

/**
 * The outputs of a dense network as a program with float32 weights and numbers computes them: weights, inputs, sums and
 * activations are each rounded to float32. Other programs add up in another order, so their last bits differ.
 */
public final class Float32Outputs {
    private Float32Outputs() {}

    /**
     * Evaluates a network with its own weights.
     *
     * @param network the network; numbers beyond the range of float32 become infinite
     * @param inputs one input a row, shape (k, n), finite; not modified
     * @return shape (k, m), every entry a float32, not finite where one overflowed
     */
    public static Matrix of(DenseNetwork network, Matrix inputs) {
        int rows = inputs.rows();
        float[] values = narrowed(inputs.entries());
        for (int i = 0; i < network.layers().size(); i++) {
            DenseLayer layer = network.layers().get(i);
            float[] sums = new float[rows * layer.out()];
            Blas.gemm(
                            values,
                            0,
                            layer.in(),
                            false,
                            narrowed(layer.weight().entries()),
                            0,
                            layer.in(),
                            true,
                            sums,
                            0,
                            layer.out(),
                            rows,
                            layer.out(),
                            layer.in())
                    .run(1, 0);
            layer.bias().ifPresent(bias -> add(sums, narrowed(bias)));
            if (i < network.layers().size() - 1) {
                activate(network.activation(), sums);
            }
            values = sums;
        }
        Matrix outputs = Matrix.zeros(rows, network.layers().getLast().out());
        for (int i = 0; i < values.length; i++) {
            outputs.entries()[i] = values[i];
        }
        return outputs;
    }

    private static void add(float[] sums, float[] bias) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] += bias[i % bias.length];
        }
    }

    private static void activate(Activation activation, float[] sums) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] = (float) activation.value(sums[i]);
        }
    }

    private static float[] narrowed(double[] numbers) {
        float[] narrowed = new float[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            narrowed[i] = (float) numbers[i];
        }
        return narrowed;
    }
}
