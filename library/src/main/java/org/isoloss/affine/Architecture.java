package org.isoloss.affine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Value;
import org.isoloss.network.ParameterLayout;

/**
 * The shape of a dense network, without weights: every layer is affine, hidden layers have an activation each, the last
 * has none.
 *
 * @param widths input, hidden and output widths, at least two, each at least 1
 * @param activations one for each hidden layer
 * @param biased for each layer whether it has a bias
 */
public record Architecture(List<Integer> widths, List<HiddenActivation> activations, List<Boolean> biased) {
    /** Checks that the lists fit together. */
    public Architecture {
        widths = List.copyOf(widths);
        activations = List.copyOf(activations);
        biased = List.copyOf(biased);
        if (widths.size() < 2 || widths.stream().anyMatch(width -> width < 1)) {
            throw new IllegalArgumentException(
                    "Architecture: widths %s, expected input, hidden and output widths of at least 1"
                            .formatted(widths));
        }
        if (activations.size() != widths.size() - 2) {
            throw new IllegalArgumentException(
                    "Architecture: %d activations for widths %s, expected %d, one a hidden layer"
                            .formatted(activations.size(), widths, widths.size() - 2));
        }
        if (biased.size() != widths.size() - 1) {
            throw new IllegalArgumentException("Architecture: %d bias flags for widths %s, expected %d, one a layer"
                    .formatted(biased.size(), widths, widths.size() - 1));
        }
    }

    /**
     * Returns a network with the same activation everywhere and biases everywhere or nowhere.
     *
     * @param activation of every hidden layer
     * @param biases whether every layer has one
     * @param widths input, hidden and output widths; not modified
     * @return the architecture
     */
    public static Architecture of(HiddenActivation activation, boolean biases, int... widths) {
        int layers = Math.max(0, widths.length - 1);
        return new Architecture(
                IntStream.of(widths).boxed().toList(),
                Collections.nCopies(Math.max(0, layers - 1), activation),
                Collections.nCopies(layers, biases));
    }

    /**
     * Returns a linear network without biases.
     *
     * @param widths input, hidden and output widths; not modified
     * @return the architecture
     */
    public static Architecture linear(int... widths) {
        return of(HiddenActivation.IDENTITY, false, widths);
    }

    /**
     * Returns a ReLU network without biases.
     *
     * @param widths input, hidden and output widths; not modified
     * @return the architecture
     */
    public static Architecture relu(int... widths) {
        return of(HiddenActivation.RELU, false, widths);
    }

    /** {@return where each tensor lies in the parameter vector, the layout of dense networks} */
    public ParameterLayout layout() {
        return ParameterLayout.of(widths, biased);
    }

    /** {@return the number of parameters, p, at least 1} */
    public int parameterCount() {
        return layout().size();
    }

    /** {@return the number of layers, at least 1} */
    public int layerCount() {
        return widths.size() - 1;
    }

    /** {@return the number of inputs, at least 1} */
    public int inputs() {
        return widths.getFirst();
    }

    /** {@return the number of outputs, m, at least 1} */
    public int outputs() {
        return widths.getLast();
    }

    /**
     * Describes every parameter in the order of the parameter vector.
     *
     * @return p entries
     */
    List<Parameter> parameters() {
        List<Parameter> parameters = new ArrayList<>();
        for (int layer = 0; layer < layerCount(); layer++) {
            for (int row = 0; row < widths.get(layer + 1); row++) {
                for (int column = 0; column < widths.get(layer); column++) {
                    parameters.add(new Parameter(layer, row, column));
                }
            }
            for (int row = 0; biased.get(layer) && row < widths.get(layer + 1); row++) {
                parameters.add(new Parameter(layer, row, Parameter.BIAS));
            }
        }
        return parameters;
    }

    /**
     * Describes the network in a few words.
     *
     * @return for example {@code relu (2, 3, 2)} or {@code relu, identity (2, 3, 3, 1) with biases}
     */
    public String label() {
        String kinds =
                activations.stream().map(HiddenActivation::label).distinct().count() <= 1
                        ? activations.isEmpty()
                                ? HiddenActivation.IDENTITY.label()
                                : activations.getFirst().label()
                        : activations.stream().map(HiddenActivation::label).collect(Collectors.joining(", "));
        String shape = widths.stream().map(String::valueOf).collect(Collectors.joining(", ", " (", ")"));
        String biases = biased.contains(true) ? biased.contains(false) ? " with some biases" : " with biases" : "";
        return kinds + shape + biases;
    }

    /**
     * Returns the network as a model with an input {@code x}, an output {@code y} and the parameters of {@link #layout}, in its
     * order.
     *
     * @param parameters their numbers, length p; not modified
     * @param inputs the number of inputs at once
     * @return the model
     */
    public Model model(double[] parameters, int inputs) {
        ModelBuilder builder = Model.builder();
        Value input = builder.input("x", inputs, inputs());
        builder.output("y", sums(builder, input, parameters).getLast());
        return builder.build();
    }

    /** Adds the layers to a model; returns what each computes before its activation, the last the outputs. */
    List<Value> sums(ModelBuilder builder, Value input, double[] numbers) {
        ParameterLayout layout = layout();
        Map<Integer, Value> parameters = new HashMap<>();
        for (ParameterLayout.Entry entry : layout.entries()) {
            Dimensions shape = new Dimensions(entry.shape());
            double[] own = Arrays.copyOfRange(numbers, entry.offset(), entry.offset() + entry.size());
            parameters.put(entry.offset(), builder.parameter(entry.name(), shape, () -> own));
        }
        List<Value> sums = new ArrayList<>();
        Value incoming = input;
        for (int layer = 0; layer < layerCount(); layer++) {
            Value bias = layout.bias(layer)
                    .map(entry -> parameters.get(entry.offset()))
                    .orElse(null);
            Value weight =
                    Objects.requireNonNull(parameters.get(layout.weight(layer).offset()));
            sums.add(new Layers(builder).linear(incoming, weight, bias));
            if (layer < layerCount() - 1) {
                HiddenActivation activation = activations.get(layer);
                incoming = activation.equals(HiddenActivation.IDENTITY)
                        ? sums.getLast()
                        : builder.apply(activation.function(), sums.getLast());
            }
        }
        return sums;
    }
}
