package org.isoloss.network;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.model.Value;

/**
 * What a dense network computes on a fixed batch, as a function of the parameters of a {@link Support}; the other parameters keep
 * the values that they have. The components are those of the outputs, input by input.
 */
public final class DenseTarget {
    private static final String INPUT = "input";

    private DenseTarget() {}

    /**
     * Takes the whole output of a network.
     *
     * @param network gives the values of the parameters that do not move
     * @param support the parameters that move
     * @param inputs the batch, shape (k, n), finite; copied
     * @return the target with k m components
     */
    public static ModelTarget outputs(DenseNetwork network, Support support, Matrix inputs) {
        return of(network.model(inputs.rows()), network, support, inputs);
    }

    /**
     * Takes the contribution of hidden units to the pre-activations of the next layer, summed over the units: the boundary
     * output of a subnetwork (proposition {@code prop:symmetry-from-subnetworks}). What keeps it keeps every output of the
     * network, on condition that nothing else moves: so only parameters incident to these units may be in the support.
     *
     * @param network gives the values of the parameters that do not move
     * @param support the parameters that move, among {@link Support#units} of the same units
     * @param inputs the batch, shape (k, n), finite; copied
     * @param hiddenLayer from 0
     * @param units at least one, different
     * @return the target with k m' components, m' the width of the layer after
     */
    public static ModelTarget contribution(
            DenseNetwork network, Support support, Matrix inputs, int hiddenLayer, int... units) {
        Set<Integer> incident = Arrays.stream(
                        Support.units(network.layout(), hiddenLayer, units).indices())
                .boxed()
                .collect(Collectors.toSet());
        for (int index : support.indices()) {
            if (!incident.contains(index)) {
                throw new IllegalArgumentException(
                        "parameter %d is not incident to units %s of hidden layer %d, so keeping their output would not keep the network's"
                                .formatted(index, Arrays.toString(units), hiddenLayer));
            }
        }
        return of(contribution(network, inputs.rows(), hiddenLayer, units), network, support, inputs);
    }

    private static ModelTarget of(Model model, DenseNetwork network, Support support, Matrix inputs) {
        if (support.fullSize() != network.layout().size()) {
            throw new IllegalArgumentException("the support is of %d parameters, the network has %d"
                    .formatted(support.fullSize(), network.layout().size()));
        }
        network.requireInputs(inputs);
        return ModelTarget.of(
                Moving.at(model, support.indices()),
                Map.of(INPUT, inputs.entries().clone()));
    }

    /** The network up to what some units of a hidden layer add to the next. */
    private static Model contribution(DenseNetwork network, int inputs, int hiddenLayer, int... units) {
        ModelBuilder builder = Model.builder();
        Layers layers = new Layers(builder);
        Value value = builder.input(INPUT, inputs, network.widths().getFirst());
        for (int layer = 0; layer < hiddenLayer; layer++) {
            Value sums = layers.linear(value, network.weight(builder, layer), network.bias(builder, layer));
            value = builder.apply(network.activation(), sums);
        }
        Value weight = rows(builder, network.weight(builder, hiddenLayer), units);
        Value bias = network.bias(builder, hiddenLayer);
        Value sums = layers.linear(value, weight, bias == null ? null : rows(builder, bias, units));
        Value outgoing = builder.transpose(network.weight(builder, hiddenLayer + 1), 1, 0);
        Value readout = builder.transpose(rows(builder, outgoing, units), 1, 0);
        builder.output("contribution", layers.linear(builder.apply(network.activation(), sums), readout, null));
        return builder.build();
    }

    private static Value rows(ModelBuilder builder, Value tensor, int... rows) {
        return builder.concatenate(
                Arrays.stream(rows)
                        .mapToObj(row -> builder.slice(tensor, 0, row, 1))
                        .toList(),
                0);
    }
}
