package org.isoloss.action;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Sizes of an action for many batches.
 *
 * @param outputs rows of output coordinates, at least 1
 * @param inputs of each batch, k, as many as there are compensating units, at least 1
 * @param seen numbers of one input, with the 1 of a bias, at least 1
 * @param visible coordinates of the moving row, at least 1
 * @param width units of each hidden layer, at least 1
 * @param depth hidden layers, at least 1
 * @param stride length of the field at the site's own weights, positive
 * @param reach change of the response there that the field makes at least, in norms of the site's output on the batch; it is made longer
 *     where it would not, positive
 */
public record BatchedShape(
        int outputs, int inputs, int seen, int visible, int width, int depth, double stride, double reach) {
    /** Refuses sizes below 1. */
    public BatchedShape {
        if (Math.min(Math.min(outputs, inputs), Math.min(Math.min(seen, visible), Math.min(width, depth))) < 1
                || !(stride > 0 && reach > 0)) {
            throw new IllegalArgumentException(
                    "BatchedShape: outputs %d, inputs %d, seen %d, visible %d, width %d, depth %d, stride %s, reach %s: all must be positive"
                            .formatted(outputs, inputs, seen, visible, width, depth, stride, reach));
        }
    }

    /** {@return the number of parameters: W and D} */
    int parameterCount() {
        return outputs * inputs + visible;
    }

    BatchedShape seeing(int newVisible) {
        return new BatchedShape(outputs, inputs, seen, newVisible, width, depth, stride, reach);
    }

    /** {@return the tensors of the network, in the order of {@link ResponseNetwork#tensors}, then the batch} */
    List<WeightTensor> tensors() {
        List<WeightTensor> tensors = new ArrayList<>();
        for (int layer = 0; layer < depth; layer++) {
            tensors.addAll(WeightTensor.both("layers." + layer, layer == 0 ? 1 : width, width));
        }
        tensors.add(WeightTensor.weight("output", width, outputs));
        tensors.add(WeightTensor.weight("readout", seen, 1));
        tensors.add(WeightTensor.exact("batch", inputs, 3 + visible + seen + inputs));
        return tensors;
    }

    /** All of this by name, as files keep it. */
    Map<String, String> description() {
        Map<String, String> description = new LinkedHashMap<>();
        description.put("outputs", Integer.toString(outputs));
        description.put("inputs", Integer.toString(inputs));
        description.put("seen", Integer.toString(seen));
        description.put("visible", Integer.toString(visible));
        description.put("width", Integer.toString(width));
        description.put("depth", Integer.toString(depth));
        description.put("stride", Double.toString(stride));
        description.put("reach", Double.toString(reach));
        return description;
    }

    /** The shape of a {@link #description}. */
    static BatchedShape described(UnaryOperator<String> description) {
        return new BatchedShape(
                Integer.parseInt(description.apply("outputs")),
                Integer.parseInt(description.apply("inputs")),
                Integer.parseInt(description.apply("seen")),
                Integer.parseInt(description.apply("visible")),
                Integer.parseInt(description.apply("width")),
                Integer.parseInt(description.apply("depth")),
                Double.parseDouble(description.apply("stride")),
                Double.parseDouble(description.apply("reach")));
    }
}
