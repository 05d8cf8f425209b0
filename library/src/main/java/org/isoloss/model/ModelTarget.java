package org.isoloss.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
    private static final long SIDE_BY_SIDE = 1 << 20;
    private static final int MOST_MEMBERS = 64;

    private final Moving moving;
    private final List<Map<String, double[]>> batches;
    private final Slice slice;
    private final double[] origin;
    private final Map<String, Queue<Passes>> idle = new ConcurrentHashMap<>();
    private final Map<List<Integer>, Recorded> recorded = new HashMap<>();

    private ModelTarget(Moving moving, List<Map<String, double[]>> batches, Slice slice) {
        this.moving = moving;
        this.batches = List.copyOf(batches);
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
        return new ModelTarget(moving, batches, Slice.of(moving, batches, wanted));
    }

    /**
     * Takes entries of values of a model on several batches.
     *
     * @param moving the parameters that move
     * @param batches at least one, each with the numbers of every input, row-major; not modified
     * @param wanted the entries
     * @return the target; the components of one batch after those of the one before
     */
    public static ModelTarget of(Moving moving, List<Map<String, double[]>> batches, Boundary wanted) {
        return new ModelTarget(moving, batches, Slice.of(moving, batches, wanted));
    }

    /**
     * Takes what batches see of the parameters that move on the way to some values: all that a step which is not linear reads of
     * what depends on both, such as the sums before activations, and the values themselves. Each is taken as it would be if those
     * before it stayed, so that the Jacobian has small blocks; its null space is that of all of them.
     *
     * @param moving the parameters that move
     * @param batches at least one, each with the numbers of every input, row-major; not modified
     * @param ends values of the model
     * @return the target
     */
    public static ModelTarget seen(Moving moving, List<Map<String, double[]>> batches, List<Value> ends) {
        return new ModelTarget(moving, batches, Slice.apart(moving, batches, LookedAt.of(moving, ends)));
    }

    /** {@return the parameters that move} */
    public Moving moving() {
        return moving;
    }

    /** {@return the moving parameters as the model has them, length p} */
    public double[] origin() {
        return origin.clone();
    }

    /**
     * Computes values of the model from its own numbers.
     *
     * @param values any, of the model
     * @return for each the numbers of all batches, one batch after the other, row-major
     */
    public List<double[]> atOrigin(List<Value> values) {
        return moving.model().computed(values, batches);
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
        Matrix outputs = Matrix.zeros(parameters.rows(), outputCount());
        int together = Math.min(parameters.rows(), members());
        Passes passes = taken("outputs %d".formatted(together), () -> outputPasses(together));
        double[] rows = new double[together * parameterCount()];
        double[] results = new double[together * outputCount()];
        for (int row = 0; row < parameters.rows(); row += together) {
            int count = Math.min(together, parameters.rows() - row);
            System.arraycopy(parameters.entries(), row * parameterCount(), rows, 0, count * parameterCount());
            passes.run(rows, results);
            System.arraycopy(results, 0, outputs.entries(), row * outputCount(), count * outputCount());
        }
        passes.giveBack();
        return outputs;
    }

    private Passes outputPasses(int together) {
        ModelBuilder builder = slice.builder();
        Value vectors = builder.input("vectors" + builder.count(), together, parameterCount());
        Value results = Batching.of(builder, List.of(slice.results()), Map.of(slice.vector(), vectors), together)
                .getFirst();
        return new Passes("outputs %d".formatted(together), vectors, results);
    }

    /** By reverse mode, rows side by side, or forward, columns side by side, whichever is less. */
    @Override
    public Matrix jacobian(double[] point) {
        boolean byRows = outputCount() <= parameterCount();
        int length = byRows ? outputCount() : parameterCount();
        int[] next = new int[1];
        Matrix products = passed(byRows, point, length, direction -> {
            Arrays.fill(direction, 0);
            direction[next[0]++] = 1;
        });
        return byRows ? products : products.transpose();
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
        return tangents(point, count, directions).transpose();
    }

    /**
     * Multiplies the Jacobian by directions, as {@link #products} does.
     *
     * @param point theta, length p; not modified
     * @param count how many directions
     * @param directions fills one direction after the other, length p, which holds the one before
     * @return one product a row, shape (count, m)
     */
    public Matrix tangents(double[] point, int count, Consumer<double[]> directions) {
        return passed(false, point, count, directions);
    }

    @Override
    public double[] tangent(double[] point, double[] direction) {
        return one(false, point, direction);
    }

    @Override
    public double[] gradient(double[] point, double[] gradient) {
        return one(true, point, gradient);
    }

    private double[] one(boolean backward, double[] point, double[] given) {
        return passed(backward, point, 1, vector -> System.arraycopy(given, 0, vector, 0, given.length))
                .entries();
    }

    /** One product with the Jacobian's transpose, or with the Jacobian, a row. */
    private Matrix passed(boolean backward, double[] point, int count, Consumer<double[]> vectors) {
        int in = backward ? outputCount() : parameterCount();
        int out = backward ? parameterCount() : outputCount();
        int together = Math.min(count, members());
        String key = "%s %d".formatted(backward ? "backward" : "forward", together);
        Passes passes = taken(key, () -> derivativePasses(key, backward, together));
        passes.at(point);
        Matrix products = Matrix.zeros(count, out);
        double[] rows = new double[together * in];
        double[] results = new double[together * out];
        double[] vector = new double[in];
        for (int row = 0; row < count; row += together) {
            int some = Math.min(together, count - row);
            for (int i = 0; i < some; i++) {
                vectors.accept(vector);
                System.arraycopy(vector, 0, rows, i * in, in);
            }
            passes.run(rows, results);
            System.arraycopy(results, 0, products.entries(), row * out, some * out);
        }
        passes.giveBack();
        return products;
    }

    private Passes derivativePasses(String key, boolean backward, int together) {
        ModelBuilder builder = slice.builder();
        Value one = builder.input("one" + builder.count(), backward ? outputCount() : parameterCount());
        Value product = backward
                ? Differentiation.gradients(builder, List.of(slice.results()), List.of(one), List.of(slice.vector()))
                        .getFirst()
                : Differentiation.tangents(builder, List.of(slice.results()), Map.of(slice.vector(), one))
                        .getFirst();
        Value all = builder.input("all" + builder.count(), together, one.shape().count());
        return new Passes(
                key,
                all,
                Batching.of(builder, List.of(product), Map.of(one, all), together)
                        .getFirst());
    }

    /** How many members of a batch are computed side by side: as many as keep the numbers in the caches. */
    private int members() {
        long numbers = slice.size();
        return Math.clamp(SIDE_BY_SIDE / Math.max(1, numbers), 1, MOST_MEMBERS);
    }

    private Passes taken(String key, Supplier<Passes> prepared) {
        Queue<Passes> free = idle.computeIfAbsent(key, _ -> new ConcurrentLinkedQueue<>());
        Passes passes = free.poll();
        if (passes != null) {
            return passes;
        }
        synchronized (slice) {
            return prepared.get();
        }
    }

    /** A computation for a batch, kept for the next time. */
    private final class Passes {
        private final String key;
        private final Value in;
        private final Value out;
        private final Execution execution;

        Passes(String key, Value in, Value out) {
            this.key = key;
            this.in = in;
            this.out = out;
            this.execution = Execution.of(Precision.FLOAT64, List.of(out));
        }

        /** Where a function is linear its derivative does not depend on the point. */
        void at(double[] point) {
            if (execution.reads(slice.vector())) {
                execution.set(slice.vector(), point);
            }
        }

        void run(double[] rows, double[] results) {
            if (execution.reads(in)) {
                execution.set(in, rows);
            }
            execution.run();
            execution.copy(out, results, 0);
        }

        void giveBack() {
            idle.computeIfAbsent(key, _ -> new ConcurrentLinkedQueue<>()).add(this);
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
        private final Value[] rows;
        private final Value[] results;
        private final Value[] upstream;
        private final Value[] gradients;
        private final Execution execution;

        SliceEvaluator(Precision precision, Recorded recorded) {
            this.rows = recorded.rows.toArray(Value[]::new);
            this.results = recorded.results.toArray(Value[]::new);
            this.upstream = recorded.upstream.toArray(Value[]::new);
            this.gradients = recorded.gradients.toArray(Value[]::new);
            this.execution = Execution.inTwoParts(precision, recorded.results, recorded.gradients);
        }

        private void set(Value[] values, double[] numbers) {
            int at = 0;
            for (Value value : values) {
                if (execution.reads(value)) {
                    execution.set(value, numbers, at);
                }
                at += value.shape().count();
            }
        }

        private void copy(Value[] values, double[] numbers) {
            int at = 0;
            for (Value value : values) {
                execution.copy(value, numbers, at);
                at += value.shape().count();
            }
        }

        @Override
        public void evaluate(double[] in, double[] out) {
            set(rows, in);
            execution.runFirst();
            copy(results, out);
        }

        @Override
        public void gradients(double[] up, double[] out) {
            set(upstream, up);
            execution.runSecond();
            copy(gradients, out);
        }
    }
}
