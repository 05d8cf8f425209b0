package org.isoloss.evaluation;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.isoloss.action.FlowAction;
import org.isoloss.action.GroupAction;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * A flow that leaves NaN where it cannot go on, and counts how often: one such point must not end a whole evaluation. Curves are
 * followed on all cores, with the same bits on any number.
 */
final class StoppingFlow implements GroupAction {
    private final FlowAction flow;
    private final Runnable followed;
    private int stopped;
    private @Nullable String firstStop;

    /**
     * Wraps a flow.
     *
     * @param followed told of every curve that was followed, by any thread
     */
    StoppingFlow(FlowAction flow, Runnable followed) {
        this.flow = flow;
        this.followed = followed;
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
        String[] stops = new String[parameters.rows()];
        IntStream.range(0, parameters.rows()).parallel().forEach(row -> {
            try {
                double[] values = result.apply(row).entries();
                System.arraycopy(values, 0, results.entries(), row * columns, columns);
            } catch (ArithmeticException stop) {
                Arrays.fill(results.entries(), row * columns, (row + 1) * columns, Double.NaN);
                stops[row] = String.valueOf(stop.getMessage());
            }
            followed.run();
        });
        List<String> all = Arrays.stream(stops).filter(Objects::nonNull).toList();
        stopped += all.size();
        firstStop = firstStop == null && !all.isEmpty() ? all.getFirst() : firstStop;
        return results;
    }
}
