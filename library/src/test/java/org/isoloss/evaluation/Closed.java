package org.isoloss.evaluation;

import java.util.function.UnaryOperator;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Target;
import org.isoloss.network.Networks;

/**
 * A function given by its formula.
 *
 * @param parameterCount p
 * @param outputCount m
 * @param formula a point to its outputs
 * @param derivative a point to the Jacobian, row by row
 */
record Closed(int parameterCount, int outputCount, UnaryOperator<double[]> formula, UnaryOperator<double[]> derivative)
        implements Target, OutputJacobian {
    /** The one parameter itself. */
    static final Closed PARAMETER = new Closed(1, 1, double[]::clone, point -> new double[] {1});

    @Override
    public Matrix outputs(Matrix parameters) {
        Matrix outputs = Matrix.zeros(parameters.rows(), outputCount);
        for (int row = 0; row < parameters.rows(); row++) {
            Rows.set(outputs, row, formula.apply(parameters.row(row)));
        }
        return outputs;
    }

    @Override
    public Matrix at(double[] point) {
        return Matrix.over(outputCount, parameterCount, derivative.apply(point));
    }

    /** How far the given derivative is from central differences. */
    double derivativeError(double[] point) {
        return at(point).minus(Networks.differences(formula, point)).largestMagnitude();
    }
}
