package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.JetFunction;
import org.isoloss.autodiff.Precision;
import org.isoloss.linalg.Matrix;

/**
 * What any model computes on a fixed batch, as a function of the parameters that move. The components are the entries of the
 * outputs, row-major, one output after the other.
 */
public final class ModelTarget implements DifferentiableTarget, JetFunction {
    private final Moving moving;
    private final Slice slice;
    private final double[] origin;
    private final Map<List<Integer>, Recorded> recorded = new HashMap<>();

    private ModelTarget(Moving moving, Slice slice) {
        this.moving = moving;
        this.slice = slice;
        this.origin = moving.origin();
    }

    /**
     * Takes outputs of a model.
     *
     * @param moving the parameters that move
     * @param inputs the numbers of every input, row-major; not modified
     * @param outputs names of outputs; all of them where none is named
     * @return the target
     */
    public static ModelTarget of(Moving moving, Map<String, double[]> inputs, String... outputs) {
        return of(moving, List.of(inputs), outputs);
    }

    /**
     * Takes outputs of a model on several batches, of a model whose batch has a size of its own.
     *
     * @param moving the parameters that move
     * @param batches at least one, each with the numbers of every input, row-major; not modified
     * @param outputs names of outputs; all of them where none is named
     * @return the target; the components of one batch after those of the one before
     */
    public static ModelTarget of(Moving moving, List<Map<String, double[]>> batches, String... outputs) {
        Model model = moving.model();
        List<Value> wanted = outputs.length == 0
                ? List.copyOf(model.outputs().values())
                : Arrays.stream(outputs).map(model::output).toList();
        return new ModelTarget(moving, Slice.of(moving, batches, wanted));
    }

    /** {@return the parameters that move} */
    public Moving moving() {
        return moving;
    }

    /** {@return the moving parameters as the model has them, length p} */
    public double[] origin() {
        return origin.clone();
    }

    @Override
    public int parameterCount() {
        return moving.count();
    }

    @Override
    public int inputCount() {
        return moving.count();
    }

    @Override
    public int outputCount() {
        return slice.results().shape().count();
    }

    @Override
    public Matrix outputs(Matrix parameters) {
        if (parameters.columns() != parameterCount()) {
            throw new IllegalArgumentException("ModelTarget: %d moving parameters given, expected %d"
                    .formatted(parameters.columns(), parameterCount()));
        }
        Execution execution = Execution.of(Precision.FLOAT64, List.of(slice.results()));
        Matrix outputs = Matrix.zeros(parameters.rows(), outputCount());
        for (int row = 0; row < parameters.rows(); row++) {
            execution.set(slice.vector(), parameters.entries(), row * parameterCount());
            execution.run();
            execution.copy(slice.results(), outputs.entries(), row * outputCount());
        }
        return outputs;
    }

    /** By reverse mode, a row at a time, or forward, a column at a time, whichever is less. */
    @Override
    public Matrix jacobian(double[] point) {
        return outputCount() <= parameterCount() ? byRows(point) : byColumns(point);
    }

    private Matrix byRows(double[] point) {
        Value cotangent;
        Value gradient;
        synchronized (slice) {
            cotangent = slice.builder().input("cotangent" + slice.builder().count(), outputCount());
            gradient = Differentiation.gradients(
                            slice.builder(), List.of(slice.results()), List.of(cotangent), List.of(slice.vector()))
                    .getFirst();
        }
        Matrix jacobian = Matrix.zeros(outputCount(), parameterCount());
        Execution execution = Execution.of(Precision.FLOAT64, List.of(gradient));
        setWherever(execution, slice.vector(), point);
        double[] unit = new double[outputCount()];
        for (int row = 0; row < outputCount(); row++) {
            unit[row] = 1;
            setWherever(execution, cotangent, unit);
            execution.run();
            execution.copy(gradient, jacobian.entries(), row * parameterCount());
            unit[row] = 0;
        }
        return jacobian;
    }

    private Matrix byColumns(double[] point) {
        int[] next = new int[1];
        return products(point, parameterCount(), direction -> {
            Arrays.fill(direction, 0);
            direction[next[0]++] = 1;
        });
    }

    /**
     * Multiplies the Jacobian by directions, which it takes as many forward passes to do and no room for the Jacobian.
     *
     * @param point theta, length p; not modified
     * @param count how many directions
     * @param directions fills one direction after the other, length p, which holds the one before
     * @return one product a column, shape (m, count)
     */
    public Matrix products(double[] point, int count, Consumer<double[]> directions) {
        Value direction;
        Value tangent;
        synchronized (slice) {
            direction = slice.builder().input("direction" + slice.builder().count(), parameterCount());
            tangent = slice.tangents(List.of(direction)).getFirst();
        }
        Matrix products = Matrix.zeros(outputCount(), count);
        Execution execution = Execution.of(Precision.FLOAT64, List.of(tangent));
        setWherever(execution, slice.vector(), point);
        double[] along = new double[parameterCount()];
        double[] change = new double[outputCount()];
        for (int column = 0; column < count; column++) {
            directions.accept(along);
            setWherever(execution, direction, along);
            execution.run();
            execution.copy(tangent, change, 0);
            for (int row = 0; row < change.length; row++) {
                products.set(row, column, change[row]);
            }
        }
        return products;
    }

    /** Where the function is linear the derivative does not depend on the point. */
    private static void setWherever(Execution execution, Value value, double[] numbers) {
        if (execution.reads(value)) {
            execution.set(value, numbers);
        }
    }

    @Override
    public Jet record(Graph graph, Jet parameters) {
        return graph.apply(this, parameters);
    }

    @Override
    public Evaluator evaluator(Precision precision, int tangents, int vectors) {
        synchronized (slice) {
            return new SliceEvaluator(
                    precision,
                    recorded.computeIfAbsent(List.of(tangents, vectors), _ -> new Recorded(tangents, vectors)));
        }
    }

    /** The values and derivatives along some directions for a batch of vectors, and the gradients of both, as values. */
    private final class Recorded {
        private final List<Value> rows = new ArrayList<>();
        private final List<Value> results = new ArrayList<>();
        private final List<Value> upstream = new ArrayList<>();
        private final List<Value> gradients;

        Recorded(int tangents, int vectors) {
            ModelBuilder builder = slice.builder();
            int first = builder.count();
            Value vector = builder.input("vectors" + first, vectors, parameterCount());
            Value values = Batching.of(builder, List.of(slice.results()), Map.of(slice.vector(), vector), vectors)
                    .getFirst();
            rows.add(vector);
            results.add(values);
            for (int i = 0; i < tangents; i++) {
                Value direction = builder.input("direction" + first + "." + i, vectors, parameterCount());
                rows.add(direction);
                results.add(Differentiation.tangents(builder, List.of(values), Map.of(vector, direction))
                        .getFirst());
            }
            for (int i = 0; i < results.size(); i++) {
                upstream.add(builder.input("upstream" + first + "." + i, vectors, outputCount()));
            }
            gradients = Differentiation.gradients(builder, results, upstream, rows);
        }
    }

    private static final class SliceEvaluator implements Evaluator {
        private final Recorded recorded;
        private final Execution execution;

        SliceEvaluator(Precision precision, Recorded recorded) {
            this.recorded = recorded;
            this.execution = Execution.inTwoParts(precision, recorded.results, recorded.gradients);
        }

        private void set(List<Value> values, double[] numbers) {
            int at = 0;
            for (Value value : values) {
                if (execution.reads(value)) {
                    execution.set(value, numbers, at);
                }
                at += value.shape().count();
            }
        }

        private void copy(List<Value> values, double[] numbers) {
            int at = 0;
            for (Value value : values) {
                execution.copy(value, numbers, at);
                at += value.shape().count();
            }
        }

        @Override
        public void evaluate(double[] in, double[] out) {
            set(recorded.rows, in);
            execution.runFirst();
            copy(recorded.results, out);
        }

        @Override
        public void gradients(double[] up, double[] out) {
            set(recorded.upstream, up);
            execution.runSecond();
            copy(recorded.gradients, out);
        }
    }
}
