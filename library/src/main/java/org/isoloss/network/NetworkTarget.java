package org.isoloss.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Graph;
import org.isoloss.autodiff.Jet;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.DifferentiableTarget;
import org.jspecify.annotations.Nullable;

/**
 * What a dense network computes on a fixed batch, as a function of the parameters of a {@link Support}; the other
 * parameters keep the values they had. The target is either the whole output or what some hidden units contribute to the
 * next layer, the boundary output of a subnetwork (proposition {@code prop:symmetry-from-subnetworks}). Outputs flatten
 * input by input.
 */
public final class NetworkTarget implements DifferentiableTarget {
    private final DenseNetwork network;
    private final Support support;
    private final Matrix inputs;
    private final Optional<Boundary> boundary;

    /** The units of a hidden layer whose joint contribution is kept. */
    private record Boundary(int hiddenLayer, List<Integer> units) {}

    private NetworkTarget(DenseNetwork network, Support support, Matrix inputs, Optional<Boundary> boundary) {
        if (support.fullSize() != network.layout().size()) {
            throw new IllegalArgumentException("NetworkTarget: the support is of %d parameters, the network has %d"
                    .formatted(support.fullSize(), network.layout().size()));
        }
        network.forward(network.parameters(), inputs); // refuses a batch that does not fit
        this.network = network;
        this.support = support;
        this.inputs = inputs.copy();
        this.boundary = boundary;
    }

    /**
     * Takes the whole output of the network.
     *
     * @param network gives the values of the parameters that do not move
     * @param support the parameters that move
     * @param inputs the batch, shape (k, n), finite; copied
     * @return the target with k m components
     */
    public static NetworkTarget outputs(DenseNetwork network, Support support, Matrix inputs) {
        return new NetworkTarget(network, support, inputs, Optional.empty());
    }

    /**
     * Takes the contribution of hidden units to the pre-activations of the next layer, summed over the units. What keeps
     * it keeps every output of the network, on condition that nothing else moves: so only parameters incident to these
     * units may be in the support.
     *
     * @param network gives the values of the parameters that do not move
     * @param support the parameters that move, among {@link Support#units} of the same units
     * @param inputs the batch, shape (k, n), finite; copied
     * @param hiddenLayer from 0
     * @param units at least one, different
     * @return the target with k m' components, m' the width of the layer after
     */
    public static NetworkTarget boundary(
            DenseNetwork network, Support support, Matrix inputs, int hiddenLayer, int... units) {
        boolean[] incident = new boolean[network.layout().size()];
        for (int index : Support.units(network.layout(), hiddenLayer, units).indices()) {
            incident[index] = true;
        }
        for (int index : support.indices()) {
            if (index >= incident.length || !incident[index]) {
                throw new IllegalArgumentException(
                        "NetworkTarget.boundary: parameter %d is not incident to units %s of hidden layer %d, so keeping their output would not keep the network's"
                                .formatted(index, Arrays.toString(units), hiddenLayer));
            }
        }
        return new NetworkTarget(
                network,
                support,
                inputs,
                Optional.of(
                        new Boundary(hiddenLayer, Arrays.stream(units).boxed().toList())));
    }

    /** {@return the parameters that move, the support} */
    public Support support() {
        return support;
    }

    /** {@return the moving parameters as the network has them, length p} */
    public double[] origin() {
        return support.gather(network.parameters());
    }

    @Override
    public int parameterCount() {
        return support.size();
    }

    @Override
    public int outputCount() {
        int layer = boundary.map(Boundary::hiddenLayer).orElse(network.layers().size() - 2) + 1;
        return inputs.rows() * network.layers().get(layer).out();
    }

    @Override
    public Matrix outputs(Matrix parameters) {
        requireColumns(parameters.columns());
        Matrix outputs = Matrix.zeros(parameters.rows(), outputCount());
        double[] full = network.parameters();
        for (int row = 0; row < parameters.rows(); row++) {
            support.scatter(parameters.row(row), full);
            double[] values = at(full).entries();
            System.arraycopy(values, 0, outputs.entries(), row * values.length, values.length);
        }
        return outputs;
    }

    @Override
    public Jet record(Graph graph, Jet parameters) {
        requireColumns(parameters.stacked().columns());
        NetworkRecording recording = new NetworkRecording(graph, parameters, inputs.rows());
        return boundary.map(kept -> {
                    Matrix incoming =
                            network.forward(network.parameters(), inputs).activations(kept.hiddenLayer);
                    int[] units =
                            kept.units.stream().mapToInt(Integer::intValue).toArray();
                    List<RecordedLayer> layers = List.of(
                            recorded(kept.hiddenLayer, units, null), recorded(kept.hiddenLayer + 1, null, units));
                    return recording.outputs(layers, network.activation(), incoming.transpose());
                })
                .orElseGet(() -> {
                    List<RecordedLayer> layers = new ArrayList<>();
                    for (int layer = 0; layer < network.layers().size(); layer++) {
                        layers.add(recorded(layer, null, null));
                    }
                    return recording.outputs(layers, network.activation(), inputs.transpose());
                });
    }

    /** A layer, or the given rows and columns of its weight; the bias goes with the rows, and stays out with columns. */
    private RecordedLayer recorded(int layer, int @Nullable [] rows, int @Nullable [] columns) {
        int[] position = new int[network.layout().size()];
        Arrays.fill(position, -1);
        int[] moving = support.indices();
        for (int i = 0; i < moving.length; i++) {
            position[moving[i]] = i;
        }
        double[] full = network.parameters();
        ParameterLayout.Entry entry = network.layout().weight(layer);
        int[] outputs = rows == null ? IntStream.range(0, entry.rows()).toArray() : rows;
        int[] sources = columns == null ? IntStream.range(0, entry.columns()).toArray() : columns;
        Matrix weight = Matrix.zeros(outputs.length, sources.length);
        int[] weightPositions = new int[outputs.length * sources.length];
        double[] bias = new double[outputs.length];
        int[] biasPositions = new int[outputs.length];
        Arrays.fill(biasPositions, -1);
        for (int i = 0; i < outputs.length; i++) {
            for (int j = 0; j < sources.length; j++) {
                int index = entry.index(outputs[i], sources[j]);
                weight.set(i, j, full[index]);
                weightPositions[i * sources.length + j] = position[index];
            }
            Optional<ParameterLayout.Entry> biases = network.layout().bias(layer);
            if (columns == null && biases.isPresent()) {
                int index = biases.get().index(outputs[i], 0);
                bias[i] = full[index];
                biasPositions[i] = position[index];
            }
        }
        return new RecordedLayer(weight, bias, weightPositions, biasPositions);
    }

    @Override
    public Matrix jacobian(double[] point) {
        requireColumns(point.length);
        double[] full = network.parameters();
        support.scatter(point, full);
        return support.gatherColumns(
                boundary.map(kept -> boundaryJacobian(kept, full)).orElseGet(() -> network.jacobian(full, inputs)));
    }

    private Matrix at(double[] full) {
        return boundary.map(kept -> boundaryOutputs(kept, full)).orElseGet(() -> network.outputs(full, inputs));
    }

    private Matrix boundaryOutputs(Boundary kept, double[] full) {
        Matrix sums = network.forward(full, inputs).preActivations(kept.hiddenLayer);
        ParameterLayout.Entry outgoing = network.layout().weight(kept.hiddenLayer + 1);
        Matrix contribution = Matrix.zeros(inputs.rows(), outgoing.rows());
        for (int input = 0; input < inputs.rows(); input++) {
            for (int unit : kept.units) {
                double feature = network.activation().value(sums.get(input, unit));
                for (int c = 0; c < outgoing.rows(); c++) {
                    contribution.set(input, c, contribution.get(input, c) + full[outgoing.index(c, unit)] * feature);
                }
            }
        }
        return contribution;
    }

    private Matrix boundaryJacobian(Boundary kept, double[] full) {
        ForwardPass pass = network.forward(full, inputs);
        Matrix sums = pass.preActivations(kept.hiddenLayer);
        Matrix incoming = pass.activations(kept.hiddenLayer);
        ParameterLayout layout = network.layout();
        ParameterLayout.Entry weight = layout.weight(kept.hiddenLayer);
        ParameterLayout.Entry outgoing = layout.weight(kept.hiddenLayer + 1);
        Matrix jacobian = Matrix.zeros(outputCount(), layout.size());
        for (int input = 0; input < inputs.rows(); input++) {
            for (int unit : kept.units) {
                double sum = sums.get(input, unit);
                for (int c = 0; c < outgoing.rows(); c++) {
                    int row = input * outgoing.rows() + c;
                    jacobian.set(
                            row, outgoing.index(c, unit), network.activation().value(sum));
                    double factor =
                            full[outgoing.index(c, unit)] * network.activation().first(sum);
                    for (int j = 0; j < incoming.columns(); j++) {
                        jacobian.set(row, weight.index(unit, j), factor * incoming.get(input, j));
                    }
                    layout.bias(kept.hiddenLayer).ifPresent(bias -> jacobian.set(row, bias.index(unit, 0), factor));
                }
            }
        }
        return jacobian;
    }

    private void requireColumns(int columns) {
        if (columns != support.size()) {
            throw new IllegalArgumentException(
                    "NetworkTarget: %d moving parameters given, expected %d, the support's size"
                            .formatted(columns, support.size()));
        }
    }
}
