package org.isoloss.action;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.autodiff.Precision;
import org.isoloss.autodiff.Program;
import org.isoloss.autodiff.Tensor;
import org.isoloss.lie.Generators;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.BatchView;

/**
 * One trained action for many protected batches, at hand for one of them: {@code a_X(g, theta) = psi_X^-1(g psi_X(theta))} with
 *
 * <pre>
 *   psi_X(W, D) = (W Z_B + f(P), D),   P = P_0 + D R        g: D grows by t d_X,   d_X along sum_i r_i (x_i e)
 * </pre>
 *
 * <p>The length of d_X is such that the whole field, W with it, has one length for all batches at the site's own weights; it is longer
 * where the batch would see too little of the moving unit otherwise. The response f, a network of one sum, and the readout e are learned and shared by all batches. A batch enters as a set, through
 * what the moving part sees of it: sums P, inputs x_i, and features Z_B, by which W is solved for. Identity, group law, inverse and
 * subdivision hold for every batch and whatever weights, to rounding times the condition of Z_B; the preservation holds as well as
 * training made f respond as the moving unit does. Evaluates in float64. Not for several threads at once.
 */
public final class BatchedAction implements TrainedAction {
    private static final AdditiveGroup GROUP = new AdditiveGroup(1);

    /** By how much a step is made longer at most: what a batch hardly sees is not moved without end. */
    private static final double MOST = 100;

    private final BatchedShape shape;
    private final Generators generators;
    private final List<double[]> weights;
    private final BatchView batch;
    private final double[] direction;
    private final int rows; // sums at a time
    private final RecordedCall response;
    private final RecordedCall slope;

    /**
     * Creates an action from trained numbers.
     *
     * @param shape sizes, with those of the batch
     * @param generators the one of translations, at any positive scale
     * @param weights one array for each tensor of {@link ResponseNetwork#tensors}, in that order; copied
     * @param batch the protected batch at hand
     * @throws IllegalArgumentException when the readout of every input is zero, so that there is no direction
     */
    public BatchedAction(BatchedShape shape, Generators generators, List<double[]> weights, BatchView batch) {
        this(shape, generators, weights, batch, RecordedCall.ROWS);
    }

    private BatchedAction(
            BatchedShape shape, Generators generators, List<double[]> weights, BatchView batch, int rows) {
        if (generators.count() != 1 || generators.size() != 2) {
            throw new IllegalArgumentException(
                    "BatchedAction: %d generators of size %d, expected the one of translations, of size 2"
                            .formatted(generators.count(), generators.size()));
        }
        if (batch.inputCount() != shape.inputs() || batch.inputs().columns() != shape.seen()) {
            throw new IllegalArgumentException(
                    "BatchedAction: the batch has %d inputs of %d numbers, expected %d of %d: as many inputs as compensating units"
                            .formatted(batch.inputCount(), batch.inputs().columns(), shape.inputs(), shape.seen()));
        }
        this.shape = shape.seeing(batch.directions().columns());
        this.generators = generators;
        this.weights = weights.stream().map(double[]::clone).toList();
        this.batch = batch;
        this.rows = rows;
        this.response = record(false);
        this.slope = record(true);
        this.direction = direction();
    }

    private double[] direction() {
        Matrix readout = Matrix.over(shape.seen(), 1, weights.getLast());
        Matrix sum = batch.inputs().times(readout).transpose().times(batch.directions());
        double norm = sum.frobeniusNorm();
        if (!(norm > 0)) {
            throw new IllegalArgumentException(
                    "BatchedAction: no input of the batch is read out, so it has no direction to move in; protect other inputs");
        }
        Matrix step = sum.scaled(shape.stride() / norm);
        Matrix change = slope.run(
                        shape.inputs(),
                        batch.rest(),
                        step.times(batch.directions().transpose()).transpose())
                .getFirst();
        double solved = batch.features().solve(change.transpose()).frobeniusNorm();
        double asLong = shape.stride() / Math.hypot(shape.stride(), solved);
        double asVisible = Math.min(MOST, shape.reach() * batch.outputScale() / change.frobeniusNorm());
        return step.scaled(Math.max(asLong, asVisible)).entries();
    }

    private RecordedCall record(boolean derivative) {
        Graph graph = new Graph();
        ResponseNetwork network = new ResponseNetwork(graph, shape);
        Tensor sums = graph.input(rows, 1);
        List<Tensor> inputs = new ArrayList<>(List.of(sums));
        Tensor result;
        if (derivative) {
            Tensor tangents = graph.input(rows, 1);
            inputs.add(tangents);
            int[] valueRows = Graph.repeat(-1, 2 * rows);
            System.arraycopy(Graph.range(0, rows), 0, valueRows, rows, rows);
            Jet both = network.response(graph, Jet.of(graph.concatenate(sums, tangents), valueRows));
            result = both.stacked().rows(rows, 2 * rows);
        } else {
            result = network.response(graph, Jet.of(sums)).stacked();
        }
        Program program = graph.compile(Precision.FLOAT64);
        program.set(network.tensors(), weights);
        return new RecordedCall(program, inputs, List.of(result));
    }

    /**
     * Returns the same action for another protected batch: nothing is trained.
     *
     * @param other of the same site, as many inputs
     * @return the action for it
     */
    public BatchedAction on(BatchView other) {
        return new BatchedAction(shape, generators, weights, other, rows);
    }

    /** {@return the protected batch at hand} */
    public BatchView batch() {
        return batch;
    }

    @Override
    public BatchedAction copy() {
        return new BatchedAction(shape, generators, weights, batch, rows);
    }

    @Override
    public BatchedAction forRows(int together) {
        return new BatchedAction(shape, generators, weights, batch, together * shape.inputs());
    }

    @Override
    public ActionKind kind() {
        return ActionKind.BATCHED;
    }

    @Override
    public Map<String, String> description() {
        return shape.description();
    }

    @Override
    public List<WeightTensor> tensors() {
        return shape.tensors();
    }

    /** {@inheritDoc} The last one is the batch at hand. */
    @Override
    public List<double[]> weights() {
        List<double[]> all = new ArrayList<>();
        weights.forEach(tensor -> all.add(tensor.clone()));
        all.add(batch.table().entries());
        return all;
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
        Matrix moved = translated(elements, parameters);
        Matrix before = response.run(parameters.rows() * shape.inputs(), sums(parameters))
                .getFirst();
        Matrix after =
                response.run(parameters.rows() * shape.inputs(), sums(moved)).getFirst();
        addSolved(before.minus(after), moved);
        return moved;
    }

    /** Rows with D moved and W as it is. */
    private Matrix translated(Matrix elements, Matrix parameters) {
        Matrix moved = parameters.copy();
        for (int row = 0; row < moved.rows(); row++) {
            double t = GROUP.vector(elements, row)[0];
            for (int i = 0; i < direction.length; i++) {
                moved.entries()[row * moved.columns() + outgoing() + i] += t * direction[i];
            }
        }
        return moved;
    }

    private int outgoing() {
        return shape.outputs() * shape.inputs();
    }

    /** The sums on every input, one input of one point a row. */
    private Matrix sums(Matrix parameters) {
        Matrix sums = changes(parameters);
        for (int i = 0; i < sums.rows(); i++) {
            sums.entries()[i] += batch.offsets().get(i % shape.inputs(), 0);
        }
        return sums;
    }

    /** The changes of the sums when points change along rows. */
    private Matrix changes(Matrix velocities) {
        Matrix incoming = Matrix.zeros(velocities.rows(), direction.length);
        for (int row = 0; row < velocities.rows(); row++) {
            System.arraycopy(
                    velocities.row(row), outgoing(), incoming.entries(), row * direction.length, direction.length);
        }
        Matrix changes = incoming.times(batch.directions().transpose());
        return Matrix.over(changes.entries().length, 1, changes.entries());
    }

    /** Adds to W the solution of {@code W Z_B = change}, the change given input by input. */
    private void addSolved(Matrix change, Matrix points) {
        int inputs = shape.inputs();
        int outputs = shape.outputs();
        Matrix wanted = Matrix.zeros(points.rows() * outputs, inputs);
        for (int row = 0; row < points.rows(); row++) {
            for (int output = 0; output < outputs; output++) {
                for (int input = 0; input < inputs; input++) {
                    wanted.set(row * outputs + output, input, change.get(row * inputs + input, output));
                }
            }
        }
        double[] solved = batch.features().solve(wanted).entries();
        for (int row = 0; row < points.rows(); row++) {
            for (int i = 0; i < outgoing(); i++) {
                points.entries()[row * points.columns() + i] += solved[row * outgoing() + i];
            }
        }
    }

    @Override
    public Matrix derivative(Matrix elements, Matrix directions, Matrix parameters) {
        Batches.require(this, elements, parameters);
        Batches.require(this, directions, parameters);
        Matrix tangents = Matrix.zeros(parameters.rows(), parameters.columns());
        for (int row = 0; row < tangents.rows(); row++) {
            double speed = GROUP.tangent(directions, row)[0];
            for (int i = 0; i < direction.length; i++) {
                tangents.set(row, outgoing() + i, speed * direction[i]);
            }
        }
        Matrix along = slopes(translated(elements, parameters), tangents);
        addSolved(along.scaled(-1), tangents);
        return tangents;
    }

    private Matrix slopes(Matrix points, Matrix velocities) {
        return slope.run(points.rows() * shape.inputs(), sums(points), changes(velocities))
                .getFirst();
    }

    @Override
    public Matrix parameterDerivative(Matrix elements, Matrix parameters, Matrix velocities) {
        Batches.require(this, elements, parameters);
        Batches.require(this, elements, velocities);
        Matrix tangents = velocities.copy();
        Matrix before = slopes(parameters, velocities);
        Matrix after = slopes(translated(elements, parameters), velocities);
        addSolved(before.minus(after), tangents);
        return tangents;
    }
}
