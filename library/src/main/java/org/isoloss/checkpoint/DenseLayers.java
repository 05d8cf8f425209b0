package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a dense network, layer by layer: layer i computes {@code weight x + bias}, and the activation stands
 * between layers, none after the last. Widths chain, all numbers are finite.
 */
public final class DenseLayers {
    private final List<Layer> layers;
    private final @Nullable String activation;
    private final List<String> leftAside;

    /**
     * One layer.
     *
     * <p>Not a record: what holds arrays would be compared by their identity.
     */
    public static final class Layer {
        private final LayerNames names;
        private final Matrix weight;
        private final double @Nullable [] bias;

        /**
         * Creates a layer.
         *
         * @param names what the tensors are called in a file; with a bias exactly when {@code bias} is there
         * @param weight shape (out, in), finite, whatever the order in the file; kept, not copied
         * @param bias length out, finite; null for none; kept, not copied
         */
        public Layer(LayerNames names, Matrix weight, double @Nullable [] bias) {
            weight.requireFinite("weight " + quoted(names.weight()));
            if ((bias == null) != (names.bias() == null)) {
                throw new IllegalArgumentException("layer with weight %s: a bias and its name go together, got %s"
                        .formatted(quoted(names.weight()), bias == null ? "a name alone" : "a bias alone"));
            }
            if (bias != null) {
                Matrix.over(1, bias.length, bias).requireFinite("bias of weight " + quoted(names.weight()));
                if (bias.length != weight.rows()) {
                    throw new IllegalArgumentException(
                            "layer with weight %s of shape (%d, %d): the bias has length %d, expected %d"
                                    .formatted(
                                            quoted(names.weight()),
                                            weight.rows(),
                                            weight.columns(),
                                            bias.length,
                                            weight.rows()));
                }
            }
            this.names = names;
            this.weight = weight;
            this.bias = bias;
        }

        /** {@return what the tensors are called, the names} */
        public LayerNames names() {
            return names;
        }

        /** {@return the weight, shape (out, in), not a copy} */
        public Matrix weight() {
            return weight;
        }

        /** {@return the bias: length out, not a copy; null when the layer has none} */
        public double @Nullable [] bias() {
            return bias;
        }

        /** {@return a copy of the weight in the order of the file} */
        public Matrix stored() {
            return names.transposed() ? weight.transpose() : weight.copy();
        }
    }

    private DenseLayers(List<Layer> layers, @Nullable String activation, List<String> leftAside) {
        this.layers = List.copyOf(layers);
        this.activation = activation;
        this.leftAside = List.copyOf(leftAside);
    }

    /**
     * Joins layers.
     *
     * @param layers at least one; the columns of each weight are the rows of the one before
     * @param activation what stands between layers, such as "tanh"; null when it is not known
     * @return the network's weights
     */
    public static DenseLayers of(List<Layer> layers, @Nullable String activation) {
        if (layers.isEmpty()) {
            throw new IllegalArgumentException("a dense network has at least one layer, got none");
        }
        for (int i = 1; i < layers.size(); i++) {
            Layer before = layers.get(i - 1);
            Layer layer = layers.get(i);
            if (layer.weight.columns() != before.weight.rows()) {
                throw new IllegalArgumentException(
                        "widths do not chain: weight %s takes %d inputs, but %s before it gives %d"
                                .formatted(
                                        quoted(layer.names.weight()),
                                        layer.weight.columns(),
                                        quoted(before.names.weight()),
                                        before.weight.rows()));
            }
        }
        return new DenseLayers(layers, activation, List.of());
    }

    /** {@return the layers, from the input on, at least one} */
    public List<Layer> layers() {
        return layers;
    }

    /** {@return the widths, inputs, hidden layers, outputs: one more than there are layers} */
    public List<Integer> widths() {
        List<Integer> widths = new ArrayList<>();
        widths.add(layers.getFirst().weight.columns());
        layers.forEach(layer -> widths.add(layer.weight.rows()));
        return List.copyOf(widths);
    }

    /** {@return the name of the activation, as the file has it: such as "tanh"; empty when the file does not say} */
    public Optional<String> activation() {
        return Optional.ofNullable(activation);
    }

    /** Returns the same network, read from a file that holds other tensors too. */
    DenseLayers leavingAside(List<String> names) {
        return new DenseLayers(layers, activation, names);
    }

    /** {@return the names of the file's other tensors, which were to be left aside; in the order of the file} */
    public List<String> leftAside() {
        return leftAside;
    }

    /**
     * {@return every tensor in the order in which the file stores its elements, for {@link CheckpointEdit#with(Map)}: by name,
     * layer by layer, weight before bias; copies}
     */
    public Map<String, double[]> values() {
        Map<String, double[]> values = new LinkedHashMap<>();
        for (Layer layer : layers) {
            values.put(layer.names.weight(), layer.stored().entries());
            if (layer.bias != null && layer.names.bias() != null) {
                values.put(layer.names.bias(), layer.bias.clone());
            }
        }
        return values;
    }
}
