package org.isoloss.network;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.isoloss.linalg.Matrix;

/** Random networks and batches for tests, and derivatives by central differences. */
public final class Networks {
    private Networks() {}

    /** Weights are normal with variance 1 / in, biases normal with deviation 0.3. */
    public static DenseNetwork random(SplittableRandom random, Activation activation, boolean biased, int... widths) {
        List<DenseLayer> layers = new ArrayList<>();
        for (int layer = 1; layer < widths.length; layer++) {
            int in = widths[layer - 1];
            Matrix weight = gaussian(random, widths[layer], in).scaled(1 / Math.sqrt(in));
            layers.add(
                    biased
                            ? DenseLayer.of(
                                    weight,
                                    gaussian(random, 1, widths[layer])
                                            .scaled(0.3)
                                            .entries())
                            : DenseLayer.of(weight));
        }
        return new DenseNetwork(activation, layers);
    }

    public static Matrix gaussian(SplittableRandom random, int rows, int columns) {
        Matrix matrix = Matrix.zeros(rows, columns);
        for (int i = 0; i < rows * columns; i++) {
            matrix.entries()[i] = random.nextGaussian();
        }
        return matrix;
    }

    /** The Jacobian by central differences, with error about 1e-10 for functions of unit scale. */
    public static Matrix differences(UnaryOperator<double[]> function, double[] point) {
        Matrix transpose = Matrix.zeros(point.length, function.apply(point).length);
        for (int i = 0; i < point.length; i++) {
            double h = Math.cbrt(Math.ulp(1.0)) * Math.max(1, Math.abs(point[i]));
            double[] up = point.clone();
            double[] down = point.clone();
            up[i] += h;
            down[i] -= h;
            double[] above = function.apply(up);
            double[] below = function.apply(down);
            for (int j = 0; j < above.length; j++) {
                transpose.set(i, j, (above[j] - below[j]) / (up[i] - down[i]));
            }
        }
        return transpose.transpose();
    }
}
