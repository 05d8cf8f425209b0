package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.LayerNames;
import org.isoloss.checkpoint.SequentialCheckpoint;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.jspecify.annotations.Nullable;

/** Dense networks in checkpoints, as the command line names their tensors. */
public final class StoredNetwork {
    private StoredNetwork() {}

    /**
     * Reads a network.
     *
     * @param file safetensors or npz
     * @param weights names of the weights from the input on; empty for those of {@code nn.Sequential}. A bias bears the name
     *     of its weight with {@code .bias} for {@code .weight}, and may be missing
     * @param activation between the layers; null for the one that the checkpoint names
     * @return the network with its own weights
     * @throws IOException when the file cannot be read
     */
    public static DenseNetwork read(Path file, List<String> weights, @Nullable String activation) throws IOException {
        DenseLayers layers = layers(file, weights);
        String name = activation != null
                ? activation
                : layers.activation()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "%s names no activation; give --activation".formatted(file)));
        return assembled(layers, Activation.named(name));
    }

    /**
     * Reads the layers of a network with the names of their tensors.
     *
     * @param file safetensors or npz
     * @param weights names of the weights as in {@link #read}
     * @return the layers
     * @throws IOException when the file cannot be read
     */
    public static DenseLayers layers(Path file, List<String> weights) throws IOException {
        return weights.isEmpty()
                ? SequentialCheckpoint.read(file)
                : SequentialCheckpoint.read(file, names(file, weights));
    }

    /**
     * Makes a network of layers.
     *
     * @param layers as read
     * @param activation between them
     * @return the network with its own weights
     */
    public static DenseNetwork assembled(DenseLayers layers, Activation activation) {
        return new DenseNetwork(
                activation, layers.layers().stream().map(StoredNetwork::layer).toList());
    }

    private static List<LayerNames> names(Path file, List<String> weights) throws IOException {
        Set<String> stored;
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            stored = new HashSet<>(checkpoint.names());
        }
        return weights.stream()
                .map(weight -> {
                    String bias = weight.replaceFirst("\\.weight$", ".bias");
                    return new LayerNames(weight, !bias.equals(weight) && stored.contains(bias) ? bias : null, false);
                })
                .toList();
    }

    private static DenseLayer layer(DenseLayers.Layer layer) {
        double[] bias = layer.bias();
        return bias == null ? DenseLayer.of(layer.weight()) : DenseLayer.of(layer.weight(), bias);
    }
}
