package org.isoloss.action;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.action.StackedCall.Block;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Graph.Term;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * A learned action {@code a_X(g, theta) = theta + b_X(g, theta) - b_X(I, theta)} with the identity exact by construction
 * (equation {@code eq:exact-identity-action}). The group law and the preservation hold as well as training made them;
 * {@code evaluation} says how well. Evaluates in float64, whatever precision trained it. Not for several threads at once.
 */
public final class LearnedAction implements TrainedAction, FieldDerivative {
    private final ActionShape shape;
    private final Generators generators;
    private final List<double[]> weights;
    private final int chunk; // rows at a time
    private final RecordedCall preparation;
    private final RecordedCall application;
    private @Nullable RecordedCall differentiation; // recorded when it is first asked for

    /**
     * Creates an action from trained numbers.
     *
     * @param shape sizes and activation of the network
     * @param generators of the group
     * @param weights one array for each tensor of {@link ActionNetwork#tensors}, in that order; copied
     */
    public LearnedAction(ActionShape shape, Generators generators, List<double[]> weights) {
        this(shape, generators, weights, RecordedCall.ROWS);
    }

    private LearnedAction(ActionShape shape, Generators generators, List<double[]> weights, int chunk) {
        if (generators.size() != shape.matrixSize() || generators.count() != shape.generatorCount()) {
            throw new IllegalArgumentException("LearnedAction: %d generators of size %d, expected %d of size %d"
                    .formatted(generators.count(), generators.size(), shape.generatorCount(), shape.matrixSize()));
        }
        this.shape = shape;
        this.generators = generators;
        this.weights = weights.stream().map(double[]::clone).toList();
        this.chunk = chunk;
        preparation = recordPreparation();
        application = recordApplication();
    }

    /** What depends on the point alone: its part of the first layer, and the last hidden layer at the identity. */
    private RecordedCall recordPreparation() {
        Graph graph = new Graph();
        ActionNetwork network = new ActionNetwork(graph, shape);
        Tensor parameters = graph.input(chunk, shape.parameterCount());
        Tensor identity = graph.constant(
                Matrix.over(1, area(), Matrix.identity(shape.matrixSize()).entries()));
        Tensor parameterPart = network.parameterPart(graph, parameters);
        StackedCall call = new StackedCall(graph, network, network.elementPart(graph, identity), parameterPart);
        call.values(Graph.repeat(0, chunk), Graph.range(0, chunk));
        return recorded(graph, network, List.of(parameters), List.of(parameterPart, call.hidden()));
    }

    private RecordedCall recordApplication() {
        Graph graph = new Graph();
        ActionNetwork network = new ActionNetwork(graph, shape);
        Tensor elements = graph.input(chunk, area());
        Tensor parameters = graph.input(chunk, shape.parameterCount());
        Tensor parameterPart = graph.input(chunk, shape.width());
        Tensor base = graph.input(chunk, shape.width());
        StackedCall call = new StackedCall(graph, network, network.elementPart(graph, elements), parameterPart);
        int[] all = Graph.range(0, chunk);
        call.values(all, all);
        Tensor difference = graph.add(call.hidden(), -1, base);
        Tensor result = graph.add(parameters, 1, network.output(graph, difference));
        return recorded(graph, network, List.of(elements, parameters, parameterPart, base), List.of(result));
    }

    private RecordedCall recordDifferentiation() {
        Graph graph = new Graph();
        ActionNetwork network = new ActionNetwork(graph, shape);
        Tensor elements = graph.input(chunk, area());
        Tensor directions = graph.input(chunk, area());
        Tensor parameters = graph.input(chunk, shape.parameterCount());
        Tensor elementPart = network.elementPart(graph, graph.concatenate(elements, directions));
        StackedCall call = new StackedCall(graph, network, elementPart, network.parameterPart(graph, parameters));
        int[] all = Graph.range(0, chunk);
        Block tangents = call.tangents(call.values(all, all), Graph.range(chunk, 2 * chunk));
        Tensor result = network.output(graph, call.hidden().rows(tangents.from(), tangents.from() + chunk));
        return recorded(graph, network, List.of(elements, directions, parameters), List.of(result));
    }

    /** Rows of the values at g, of those at I, and of the tangents of both: theta + b(g, theta) - b(I, theta) along w. */
    private RecordedCall recordParameterDerivative() {
        Graph graph = new Graph();
        ActionNetwork network = new ActionNetwork(graph, shape);
        Tensor elements = graph.input(chunk, area());
        Tensor parameters = graph.input(chunk, shape.parameterCount());
        Tensor velocities = graph.input(chunk, shape.parameterCount());
        Tensor identity = graph.constant(
                Matrix.over(1, area(), Matrix.identity(shape.matrixSize()).entries()));
        int[] points = Graph.range(0, chunk);
        int[] tangents = Graph.range(chunk, 2 * chunk);
        int[] none = Graph.repeat(-1, chunk);
        Tensor elementPart = network.elementPart(graph, graph.concatenate(elements, identity));
        Tensor parameterPart = network.parameterPart(
                        graph, Jet.of(graph.concatenate(parameters, velocities), joined(none, points)))
                .stacked();
        Tensor preactivations = graph.combine(
                Term.of(1, elementPart, joined(points, Graph.repeat(chunk, chunk), none, none)),
                Term.of(1, parameterPart, joined(points, points, tangents, tangents)));
        Tensor hidden = network.hidden(graph, Jet.of(preactivations, joined(none, none, points, tangents)))
                .stacked();
        Tensor difference = graph.add(hidden.rows(2 * chunk, 3 * chunk), -1, hidden.rows(3 * chunk, 4 * chunk));
        Tensor result = graph.add(velocities, 1, network.output(graph, difference));
        return recorded(graph, network, List.of(elements, parameters, velocities), List.of(result));
    }

    private static int[] joined(int[]... parts) {
        return Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
    }

    private RecordedCall recorded(Graph graph, ActionNetwork network, List<Tensor> inputs, List<Tensor> results) {
        Program program = graph.compile(Precision.FLOAT64);
        program.set(network.tensors(), weights);
        return new RecordedCall(program, inputs, results);
    }

    private int area() {
        return shape.matrixSize() * shape.matrixSize();
    }

    /** {@return the sizes of the network, as given} */
    public ActionShape shape() {
        return shape;
    }

    @Override
    public LearnedAction copy() {
        return new LearnedAction(shape, generators, weights, chunk);
    }

    @Override
    public LearnedAction forRows(int rows) {
        return new LearnedAction(shape, generators, weights, rows);
    }

    @Override
    public ActionKind kind() {
        return ActionKind.DISPLACEMENT;
    }

    @Override
    public Map<String, String> description() {
        return shape.description();
    }

    @Override
    public List<WeightTensor> tensors() {
        return shape.tensors();
    }

    /** {@return the trained numbers, a copy, in the order of {@link ActionNetwork#tensors}} */
    @Override
    public List<double[]> weights() {
        return weights.stream().map(double[]::clone).toList();
    }

    @Override
    public Generators generators() {
        return generators;
    }

    @Override
    public int parameterCount() {
        return shape.parameterCount();
    }

    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        int rows = parameters.rows();
        requireShape("elements", elements, rows, area());
        return at(parameters).apply(elements);
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        int rows = parameters.rows();
        requireShape("elements", elements, rows, area());
        requireShape("directions", directions, rows, area());
        requireShape("parameters", parameters, rows, shape.parameterCount());
        RecordedCall recorded = differentiation;
        if (recorded == null) {
            recorded = recordDifferentiation();
            differentiation = recorded;
        }
        return recorded.run(rows, elements, directions, parameters).getFirst();
    }

    /** Shares b_X(I, theta), and the part of the first layer that theta alone contributes. */
    @Override
    public OrbitMap at(Matrix parameters) {
        requireShape("parameters", parameters, parameters.rows(), shape.parameterCount());
        List<Matrix> prepared = preparation.run(parameters.rows(), parameters);
        return new OrbitMap() {
            @Override
            public Matrix apply(Matrix elements) {
                Batches.requireSeveral(LearnedAction.this, elements, parameters);
                return application
                        .run(elements.rows(), elements, parameters, prepared.get(0), prepared.get(1))
                        .getFirst();
            }

            @Override
            public Matrix derivative(Matrix elements, Matrix directions) {
                Batches.requireSeveral(LearnedAction.this, elements, parameters);
                return LearnedAction.this.derivative(
                        elements, directions, Batches.repeated(parameters, elements.rows()));
            }
        };
    }

    /** By automatic differentiation; a graph is recorded for each call. */
    @Override
    public Matrix parameterDerivative(Matrix elements, Matrix parameters, Matrix velocities) {
        int rows = parameters.rows();
        requireShape("elements", elements, rows, area());
        requireShape("parameters", parameters, rows, shape.parameterCount());
        requireShape("velocities", velocities, rows, shape.parameterCount());
        return recordParameterDerivative()
                .run(rows, elements, parameters, velocities)
                .getFirst();
    }

    /** By automatic differentiation; a graph is recorded for each call. */
    @Override
    public Matrix fieldDerivative(Matrix directions, Matrix parameters, Matrix velocities) {
        int rows = parameters.rows();
        requireShape("directions", directions, rows, area());
        requireShape("parameters", parameters, rows, shape.parameterCount());
        requireShape("velocities", velocities, rows, shape.parameterCount());
        var jacobian = new LearnedFieldJacobian(shape, weights);
        Matrix derivatives = Matrix.zeros(rows, shape.parameterCount());
        for (int row = 0; row < rows; row++) {
            Matrix velocity = Matrix.over(shape.parameterCount(), 1, velocities.row(row));
            Batches.setRow(
                    derivatives,
                    row,
                    jacobian.at(directions.row(row), parameters.row(row))
                            .times(velocity)
                            .entries());
        }
        return derivatives;
    }

    private static void requireShape(String what, Matrix matrix, int rows, int columns) {
        if (matrix.rows() != rows || matrix.columns() != columns) {
            throw new IllegalArgumentException("LearnedAction: %s have shape (%d, %d), expected (%d, %d)"
                    .formatted(what, matrix.rows(), matrix.columns(), rows, columns));
        }
    }
}
