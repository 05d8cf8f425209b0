package org.isoloss.task;

import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.DenseNetwork;

/** All outputs of the whole network on a batch, as a function of the coordinates of a setting. */
final class WholeNetwork implements Target {
    private final DenseSetting setting;
    private final Matrix inputs;

    WholeNetwork(DenseSetting setting, Matrix inputs) {
        this.setting = setting;
        this.inputs = inputs;
    }

    @Override
    public int parameterCount() {
        return setting.origin().length;
    }

    @Override
    public int outputCount() {
        return inputs.rows() * setting.network().widths().getLast();
    }

    @Override
    public Matrix outputs(Matrix parameters) {
        Matrix outputs = Matrix.zeros(parameters.rows(), outputCount());
        for (int row = 0; row < parameters.rows(); row++) {
            DenseNetwork moved = setting.networkAt(parameters.row(row));
            double[] values = moved.outputs(moved.parameters(), inputs).entries();
            System.arraycopy(values, 0, outputs.entries(), row * values.length, values.length);
        }
        return outputs;
    }
}
