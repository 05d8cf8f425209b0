package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.ParameterLayout;

/** One parameter point and one batch: what every layer receives and computes there, and the Jacobian. */
final class PointBatch {
    private final Architecture architecture;
    private final ParameterLayout layout;
    private final double[] theta;
    private final List<Matrix> received = new ArrayList<>();
    private final List<Matrix> sums = new ArrayList<>();
    private final Matrix jacobian;

    /**
     * Runs the network.
     *
     * @param architecture the network
     * @param layout of its parameters, with the names of their tensors
     * @param theta its parameters, finite; not modified
     * @param inputs the batch, one input a row; finite; not modified
     */
    PointBatch(Architecture architecture, ParameterLayout layout, double[] theta, Matrix inputs) {
        if (theta.length != architecture.parameterCount()) {
            throw new IllegalArgumentException("PointSymmetries: %d parameters given, expected %d for %s"
                    .formatted(theta.length, architecture.parameterCount(), architecture.label()));
        }
        if (inputs.rows() < 1 || inputs.columns() != architecture.inputs()) {
            throw new IllegalArgumentException(
                    "PointSymmetries: the batch has shape (%d, %d), expected at least one row of %d, the input width"
                            .formatted(inputs.rows(), inputs.columns(), architecture.inputs()));
        }
        Matrix.over(1, theta.length, theta).requireFinite("PointSymmetries: the parameters");
        inputs.requireFinite("PointSymmetries: the batch");
        this.architecture = architecture;
        this.layout = layout;
        this.theta = theta.clone();
        for (int layer = 0; layer < architecture.layerCount(); layer++) {
            received.add(Matrix.zeros(inputs.rows(), architecture.widths().get(layer)));
            sums.add(Matrix.zeros(inputs.rows(), architecture.widths().get(layer + 1)));
        }
        NetworkJacobian network = new NetworkJacobian(architecture);
        int outputs = architecture.outputs();
        this.jacobian = Matrix.zeros(Math.multiplyExact(inputs.rows(), outputs), theta.length);
        for (int i = 0; i < inputs.rows(); i++) {
            NetworkJacobian.Forward forward = network.forward(theta, inputs.row(i));
            network.fill(theta, forward, jacobian, i * outputs);
            for (int layer = 0; layer < architecture.layerCount(); layer++) {
                put(received.get(layer), i, forward.received(layer));
                put(sums.get(layer), i, forward.sums(layer));
            }
        }
    }

    private static void put(Matrix rows, int row, double[] values) {
        System.arraycopy(values, 0, rows.entries(), row * values.length, values.length);
    }

    Architecture architecture() {
        return architecture;
    }

    ParameterLayout layout() {
        return layout;
    }

    /** The parameters; not to be modified. */
    double[] theta() {
        return theta;
    }

    int layerCount() {
        return architecture.layerCount();
    }

    int inputCount() {
        return received.getFirst().rows();
    }

    /** Whether a layer is the last, which has no activation. */
    boolean isLast(int layer) {
        return layer == layerCount() - 1;
    }

    /** The activation behind a layer that is not the last. */
    HiddenActivation activation(int layer) {
        return architecture.activations().get(layer);
    }

    boolean biased(int layer) {
        return architecture.biased().get(layer);
    }

    /** What a layer computes before its activation, shape (inputs, units). */
    Matrix sums(int layer) {
        return sums.get(layer);
    }

    /** Derivatives of output c of input i in row {@code i m + c}, shape (inputs m, p). */
    Matrix jacobian() {
        return jacobian;
    }

    /** What a layer receives, with a column of ones where it has a bias. */
    Matrix received(int layer) {
        Matrix values = received.get(layer);
        int columns = values.columns() + (biased(layer) ? 1 : 0);
        Matrix augmented = Matrix.zeros(values.rows(), columns);
        for (int i = 0; i < values.rows(); i++) {
            double[] row = Arrays.copyOf(values.row(i), columns);
            if (biased(layer)) {
                row[columns - 1] = 1;
            }
            System.arraycopy(row, 0, augmented.entries(), i * columns, columns);
        }
        return augmented;
    }

    /** The weight by which a unit takes a column of {@link #received}: its bias for the last where there is one. */
    double weight(int layer, int unit, int column) {
        return theta[parameter(layer, unit, column)];
    }

    /** Where that weight stands among the parameters. */
    int parameter(int layer, int unit, int column) {
        ParameterLayout.Entry weight = layout.weight(layer);
        return column < weight.columns()
                ? weight.index(unit, column)
                : layout.bias(layer).orElseThrow().index(unit, 0);
    }

    /**
     * The binary exponent of each parameter's unit, by which its column of the Jacobian is to be multiplied: the usual size
     * of its unit's sum over the usual size of what it multiplies. Rescaled inputs, outputs and homogeneous units change both
     * alike. Usual sizes are geometric means, so that one huge input does not set them.
     */
    int[] units() {
        int[] exponents = new int[theta.length];
        for (int layer = 0; layer < layerCount(); layer++) {
            Matrix values = received(layer);
            int[] taken = new int[values.columns()];
            for (int j = 0; j < taken.length; j++) {
                taken[j] = usualExponent(values.column(j));
            }
            for (int unit = 0; unit < sums(layer).columns(); unit++) {
                double[] largest = new double[values.rows()];
                for (int i = 0; i < largest.length; i++) {
                    for (int j = 0; j < taken.length; j++) {
                        largest[i] = Math.max(largest[i], Math.abs(weight(layer, unit, j) * values.get(i, j)));
                    }
                }
                int sum = usualExponent(largest);
                for (int j = 0; j < taken.length; j++) {
                    exponents[parameter(layer, unit, j)] = sum - taken[j];
                }
            }
        }
        return exponents;
    }

    /** Of the magnitudes that are not 0; 0 where there are none. */
    private static int usualExponent(double[] values) {
        return (int) Math.round(Arrays.stream(values)
                .filter(value -> value != 0)
                .map(value -> Math.log(Math.abs(value)) / Math.log(2))
                .average()
                .orElse(0));
    }

    /** Whether everything computed here is a number: no overflow. */
    boolean isFinite() {
        return Double.isFinite(jacobian.largestMagnitude())
                && sums.stream().allMatch(layer -> Double.isFinite(layer.largestMagnitude()));
    }
}
