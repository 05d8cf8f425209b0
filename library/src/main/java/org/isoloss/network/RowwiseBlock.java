package org.isoloss.network;

import java.util.Arrays;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;

/**
 * A two-layer block {@code F_X(U, V) = U sigma(V X)} with any row-wise activation, as a function of all its weights: V row by
 * row, then U row by row. A column of ones among the inputs makes a bias of a weight. Outputs flatten input by input: output a
 * of input i is component {@code i m + a}.
 */
public final class RowwiseBlock implements Target {
    private final RowActivation activation;
    private final Matrix inputs;
    private final int units;
    private final int outputWidth;

    private RowwiseBlock(RowActivation activation, Matrix inputs, int units, int outputWidth) {
        this.activation = activation;
        this.inputs = inputs;
        this.units = units;
        this.outputWidth = outputWidth;
    }

    /**
     * Describes a block.
     *
     * @param activation sigma
     * @param inputs the batch, shape (k, n), at least one input, finite; copied
     * @param units H, at least 1
     * @param outputWidth m, at least 1
     * @return the block
     */
    public static RowwiseBlock of(RowActivation activation, Matrix inputs, int units, int outputWidth) {
        if (inputs.rows() < 1 || units < 1 || outputWidth < 1) {
            throw new IllegalArgumentException(
                    "RowwiseBlock: %d inputs, %d units, %d outputs; expected at least 1 of each"
                            .formatted(inputs.rows(), units, outputWidth));
        }
        return new RowwiseBlock(
                activation, inputs.requireFinite("RowwiseBlock: the batch").transpose(), units, outputWidth);
    }

    /** {@return the number of hidden units, H} */
    public int units() {
        return units;
    }

    /** {@return the number of inputs in the batch, k} */
    public int inputCount() {
        return inputs.columns();
    }

    @Override
    public int parameterCount() {
        return units * (inputs.rows() + outputWidth);
    }

    @Override
    public int outputCount() {
        return inputs.columns() * outputWidth;
    }

    @Override
    public Matrix outputs(Matrix parameters) {
        if (parameters.columns() != parameterCount()) {
            throw new IllegalArgumentException("RowwiseBlock: points have %d parameters, expected %d"
                    .formatted(parameters.columns(), parameterCount()));
        }
        int[] all = new int[units];
        Arrays.setAll(all, unit -> unit);
        Matrix outputs = Matrix.zeros(parameters.rows(), outputCount());
        for (int row = 0; row < parameters.rows(); row++) {
            double[] point = parameters.row(row);
            double[] flat =
                    outgoing(point, all).times(features(point, all)).transpose().entries();
            System.arraycopy(flat, 0, outputs.entries(), row * flat.length, flat.length);
        }
        return outputs;
    }

    /**
     * Returns the places of all weights of units in the parameter vector.
     *
     * @param chosen units, from 0
     * @return the incoming weights of each unit in turn, then their outgoing weights, output by output
     */
    public int[] incident(int... chosen) {
        int width = inputs.rows();
        int[] places = new int[chosen.length * (width + outputWidth)];
        for (int i = 0; i < chosen.length; i++) {
            for (int j = 0; j < width; j++) {
                places[i * width + j] = chosen[i] * width + j;
            }
            for (int output = 0; output < outputWidth; output++) {
                places[chosen.length * (width + output) + i] = outgoingIndex(output, chosen[i]);
            }
        }
        return places;
    }

    /**
     * Returns the place of the weight from a unit to an output.
     *
     * @param output from 0
     * @param unit from 0
     * @return its index in the parameter vector
     */
    public int outgoingIndex(int output, int unit) {
        return units * (inputs.rows() + output) + unit;
    }

    /**
     * Returns what units compute.
     *
     * @param point parameters, length p; not modified
     * @param chosen units, from 0
     * @return {@code sigma(V X)}, shape (chosen, k)
     */
    public Matrix features(double[] point, int... chosen) {
        return activation.values(incoming(point, chosen).times(inputs));
    }

    /**
     * Returns the derivative of {@link #features} when the weights change.
     *
     * @param point parameters, length p; not modified
     * @param velocity a change of them, length p; not modified
     * @param chosen units, from 0
     * @return shape (chosen, k)
     */
    public Matrix featuresDerivative(double[] point, double[] velocity, int... chosen) {
        return activation.derivative(
                incoming(point, chosen).times(inputs),
                incoming(velocity, chosen).times(inputs));
    }

    private Matrix incoming(double[] point, int... chosen) {
        int width = inputs.rows();
        Matrix rows = Matrix.zeros(chosen.length, width);
        for (int i = 0; i < chosen.length; i++) {
            System.arraycopy(point, chosen[i] * width, rows.entries(), i * width, width);
        }
        return rows;
    }

    /**
     * Returns what leaves units.
     *
     * @param point parameters, length p; not modified
     * @param chosen units, from 0
     * @return columns of U, shape (m, chosen)
     */
    public Matrix outgoing(double[] point, int... chosen) {
        Matrix columns = Matrix.zeros(outputWidth, chosen.length);
        for (int output = 0; output < outputWidth; output++) {
            for (int i = 0; i < chosen.length; i++) {
                columns.set(output, i, point[outgoingIndex(output, chosen[i])]);
            }
        }
        return columns;
    }
}
