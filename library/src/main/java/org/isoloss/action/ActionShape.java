package org.isoloss.action;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.isoloss.network.Activation;

/**
 * Sizes of the network behind a learned action.
 *
 * @param matrixSize rows of the group matrices, at least 1
 * @param generatorCount number of generators, at least 1
 * @param parameterCount number of parameters that the group acts on, at least 1
 * @param width units of each hidden layer, at least 1
 * @param depth number of hidden layers, at least 1
 * @param activation of the hidden layers; the paper uses SiLU
 */
public record ActionShape(
        int matrixSize, int generatorCount, int parameterCount, int width, int depth, Activation activation) {
    /** Refuses sizes below 1. */
    public ActionShape {
        if (Math.min(Math.min(matrixSize, generatorCount), Math.min(parameterCount, Math.min(width, depth))) < 1) {
            throw new IllegalArgumentException(
                    "ActionShape: matrixSize %d, generatorCount %d, parameterCount %d, width %d, depth %d: all must be at least 1"
                            .formatted(matrixSize, generatorCount, parameterCount, width, depth));
        }
    }

    /** {@return the tensors of the network, in the order of {@link ActionNetwork#tensors}} */
    List<WeightTensor> tensors() {
        List<WeightTensor> tensors = new ArrayList<>();
        for (int layer = 0; layer < depth; layer++) {
            int inputs = layer == 0 ? matrixSize * matrixSize + parameterCount : width;
            tensors.addAll(WeightTensor.both("layers." + layer, inputs, width));
        }
        tensors.add(WeightTensor.weight("output", width, parameterCount));
        return tensors;
    }

    /** Sizes and activation by name, as files keep them. */
    Map<String, String> description() {
        Map<String, String> description = new LinkedHashMap<>();
        description.put("matrix_size", Integer.toString(matrixSize));
        description.put("generators", Integer.toString(generatorCount));
        description.put("parameters", Integer.toString(parameterCount));
        description.put("width", Integer.toString(width));
        description.put("depth", Integer.toString(depth));
        description.put("activation", activation.label());
        return description;
    }

    /** The shape of a {@link #description}. */
    static ActionShape described(UnaryOperator<String> description) {
        return new ActionShape(
                Integer.parseInt(description.apply("matrix_size")),
                Integer.parseInt(description.apply("generators")),
                Integer.parseInt(description.apply("parameters")),
                Integer.parseInt(description.apply("width")),
                Integer.parseInt(description.apply("depth")),
                Activation.named(description.apply("activation")));
    }
}
