package org.isoloss.action;

import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;

/**
 * A trained action {@code a(g, theta) = psi^-1(g psi(theta))} with an invertible network psi and a fixed action of the group
 * on its coordinates. Identity, group law, inverse, subdivision and transport hold for whatever weights, to rounding; the
 * preservation holds as well as training made it. Evaluates in float64, whatever precision trained it. Not for several
 * threads at once.
 */
public final class ConjugatedAction implements TrainedAction {
    private final ConjugatedShape shape;
    private final Generators generators;
    private final List<double[]> weights;
    private final Precision precision;
    private final int rows; // at a time
    private final RecordedCall preparation;
    private final RecordedCall application;
    private final RecordedCall differentiation;

    /**
     * Creates an action from trained numbers.
     *
     * @param shape sizes of the network, and the action on its coordinates
     * @param generators of the group
     * @param weights one array for each tensor of {@link CouplingNetwork#tensors}, in that order; copied
     */
    public ConjugatedAction(ConjugatedShape shape, Generators generators, List<double[]> weights) {
        this(shape, generators, weights, Precision.FLOAT64, RecordedCall.ROWS);
    }

    ConjugatedAction(ConjugatedShape shape, Generators generators, List<double[]> weights, Precision precision) {
        this(shape, generators, weights, precision, RecordedCall.ROWS);
    }

    private ConjugatedAction(
            ConjugatedShape shape, Generators generators, List<double[]> weights, Precision precision, int rows) {
        if (generators.size() != shape.latent().matrixSize()) {
            throw new IllegalArgumentException("ConjugatedAction: generators of size %d, expected %d"
                    .formatted(generators.size(), shape.latent().matrixSize()));
        }
        this.shape = shape;
        this.generators = generators;
        this.weights = weights.stream().map(double[]::clone).toList();
        this.precision = precision;
        this.rows = rows;
        preparation = recordPreparation(precision);
        application = record(false, precision);
        differentiation = record(true, precision);
    }

    /** psi(theta), which depends on the point alone. */
    private RecordedCall recordPreparation(Precision precision) {
        Graph graph = new Graph();
        CouplingNetwork network = new CouplingNetwork(graph, shape);
        Tensor parameters = graph.input(rows, shape.parameterCount());
        Tensor coordinates = network.forward(graph, Jet.of(parameters)).stacked();
        return recorded(graph, network, precision, List.of(parameters), coordinates);
    }

    private RecordedCall record(boolean derivative, Precision precision) {
        Graph graph = new Graph();
        CouplingNetwork network = new CouplingNetwork(graph, shape);
        int area = generators.size() * generators.size();
        Tensor elements = graph.input(rows, area);
        Tensor coordinates = graph.input(rows, shape.parameterCount());
        Tensor moved = shape.latent().moved(graph, elements, coordinates);
        if (!derivative) {
            Tensor result = network.inverse(graph, Jet.of(moved)).stacked();
            return recorded(graph, network, precision, List.of(elements, coordinates), result);
        }
        Tensor directions = graph.input(rows, area);
        Tensor tangents = shape.latent().tangents(graph, directions, coordinates);
        Jet back = network.inverse(graph, Jet.of(graph.concatenate(moved, tangents), tangentsBelow(rows)));
        Tensor result = back.stacked().rows(rows, 2 * rows);
        return recorded(graph, network, precision, List.of(elements, coordinates, directions), result);
    }

    /** psi, then g, then the inverse of psi, each on values and on tangents. */
    private RecordedCall recordParameterDerivative() {
        Graph graph = new Graph();
        CouplingNetwork network = new CouplingNetwork(graph, shape);
        int area = generators.size() * generators.size();
        Tensor elements = graph.input(rows, area);
        Tensor parameters = graph.input(rows, shape.parameterCount());
        Tensor velocities = graph.input(rows, shape.parameterCount());
        Jet coordinates =
                network.forward(graph, Jet.of(graph.concatenate(parameters, velocities), tangentsBelow(rows)));
        Tensor moved =
                shape.latent().moved(graph, elements, coordinates.stacked().rows(0, rows));
        Tensor carried =
                shape.latent().carried(graph, elements, coordinates.stacked().rows(rows, 2 * rows));
        Tensor result = network.inverse(graph, coordinates.with(graph.concatenate(moved, carried)))
                .stacked()
                .rows(rows, 2 * rows);
        return recorded(graph, network, Precision.FLOAT64, List.of(elements, parameters, velocities), result);
    }

    /** Values, and one tangent for each below them. */
    private static int[] tangentsBelow(int rows) {
        int[] valueRows = Graph.repeat(-1, 2 * rows);
        System.arraycopy(Graph.range(0, rows), 0, valueRows, rows, rows);
        return valueRows;
    }

    private RecordedCall recorded(
            Graph graph, CouplingNetwork network, Precision precision, List<Tensor> inputs, Tensor result) {
        Program program = graph.compile(precision);
        program.set(network.tensors(), weights);
        return new RecordedCall(program, inputs, List.of(result));
    }

    /** {@return the sizes of the network, as given} */
    public ConjugatedShape shape() {
        return shape;
    }

    @Override
    public ConjugatedAction copy() {
        return new ConjugatedAction(shape, generators, weights, precision, rows);
    }

    @Override
    public ConjugatedAction forRows(int together) {
        return new ConjugatedAction(shape, generators, weights, precision, together);
    }

    @Override
    public ActionKind kind() {
        return ActionKind.CONJUGATED;
    }

    @Override
    public Map<String, String> description() {
        return shape.description();
    }

    @Override
    public List<WeightTensor> tensors() {
        return shape.tensors();
    }

    @Override
    public List<List<Integer>> splits() {
        return CouplingNetwork.orders(shape);
    }

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

    /** {@inheritDoc} Where g is the identity, the result is theta bit by bit. */
    @Override
    public Matrix apply(Matrix elements, Matrix parameters) {
        Batches.require(this, elements, parameters);
        return at(parameters).apply(elements);
    }

    private boolean isIdentity(Matrix elements, int row) {
        int size = generators.size();
        for (int i = 0; i < size * size; i++) {
            if (elements.get(row, i) != (i % (size + 1) == 0 ? 1 : 0)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Batches.require(this, elements, parameters);
        return at(parameters).derivative(elements, directions);
    }

    /** By automatic differentiation; a graph is recorded for each call. */
    @Override
    public Matrix parameterDerivative(Matrix elements, Matrix parameters, Matrix velocities) {
        Batches.require(this, elements, parameters);
        Batches.require(this, elements, velocities);
        shape.latent().require(elements, Matrix.zeros(elements.rows(), elements.columns()));
        return recordParameterDerivative()
                .run(parameters.rows(), elements, parameters, velocities)
                .getFirst();
    }

    /** Shares psi(theta). */
    @Override
    public OrbitMap at(Matrix parameters) {
        Matrix coordinates = preparation.run(parameters.rows(), parameters).getFirst();
        return new OrbitMap() {
            @Override
            public Matrix apply(Matrix elements) {
                Batches.requireSeveral(ConjugatedAction.this, elements, parameters);
                shape.latent().require(elements, Matrix.zeros(elements.rows(), elements.columns()));
                Matrix moved =
                        application.run(elements.rows(), elements, coordinates).getFirst();
                for (int row = 0; row < elements.rows(); row++) {
                    if (isIdentity(elements, row)) {
                        Batches.setRow(moved, row, parameters.row(row % parameters.rows()));
                    }
                }
                return moved;
            }

            @Override
            public Matrix derivative(Matrix elements, Matrix directions) {
                Batches.requireSeveral(ConjugatedAction.this, elements, parameters);
                Batches.requireSeveral(ConjugatedAction.this, directions, parameters);
                shape.latent().require(elements, directions);
                return differentiation
                        .run(elements.rows(), elements, coordinates, directions)
                        .getFirst();
            }
        };
    }
}
