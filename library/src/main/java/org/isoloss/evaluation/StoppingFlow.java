package org.isoloss.evaluation;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntFunction;
import org.isoloss.action.FlowAction;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/** A flow that leaves NaN where it cannot go on, and counts how often: one such point must not end a whole evaluation. */
final class StoppingFlow implements GroupAction {
    private final FlowAction flow;
    private int stopped;
    private @Nullable String firstStop;

    StoppingFlow(FlowAction flow) {
        this.flow = flow;
    }

    int stopped() {
        return stopped;
    }

    Optional<String> firstStop() {
        return Optional.ofNullable(firstStop);
    }

    @Override
    public Generators generators() {
        return flow.generators();
    }

    @Override
    public int parameterCount() {
        return flow.parameterCount();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        return eachRow(parameters, row -> flow.apply(elements.rows(row, row + 1), parameters.rows(row, row + 1)));
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        return eachRow(
                parameters,
                row -> flow.derivative(
                        elements.rows(row, row + 1), directions.rows(row, row + 1), parameters.rows(row, row + 1)));
    }

    private Matrix eachRow(Matrix parameters, IntFunction<Matrix> result) {
        Matrix results = Matrix.zeros(parameters.rows(), parameters.columns());
        int columns = parameters.columns();
        for (int row = 0; row < parameters.rows(); row++) {
            try {
                double[] values = result.apply(row).entries();
                System.arraycopy(values, 0, results.entries(), row * columns, columns);
            } catch (ArithmeticException stop) {
                Arrays.fill(results.entries(), row * columns, (row + 1) * columns, Double.NaN);
                stopped++;
                firstStop = firstStop == null ? stop.getMessage() : firstStop;
            }
        }
        return results;
    }
}
