package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.LayerNames;
import org.isoloss.checkpoint.LeftAside;
import org.isoloss.checkpoint.SequentialCheckpoint;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.task.Task.NetworkSource;
import org.jspecify.annotations.Nullable;

/** Dense networks in checkpoints, as command lines and task files name their tensors. */
public final class StoredNetwork {
    private static final int SHOWN = 8;

    private StoredNetwork() {}

    /**
     * Which tensors of a file make the network, as a command line says it.
     *
     * @param weights from the input on, as {@link SequentialCheckpoint#readNamed} takes them; empty for the names of {@code
     *     nn.Sequential}
     * @param ignored names and patterns of the tensors that are left aside
     */
    public record Tensors(List<String> weights, List<String> ignored) {
        /** Keeps its own lists. */
        public Tensors {
            weights = List.copyOf(weights);
            ignored = List.copyOf(ignored);
        }

        /**
         * Reads the layers with the names of their tensors.
         *
         * @param file safetensors or npz
         * @return the layers
         * @throws IOException when the file cannot be read
         */
        public DenseLayers read(Path file) throws IOException {
            LeftAside aside = new LeftAside(ignored);
            return weights.isEmpty()
                    ? SequentialCheckpoint.read(file, List.of(), aside)
                    : SequentialCheckpoint.readNamed(file, weights, aside);
        }
    }

    /** Reads the layers that a task names. */
    static DenseLayers read(NetworkSource source, Path file) throws IOException {
        List<Task.LayerName> names = source.names() == null ? List.of() : source.names();
        return SequentialCheckpoint.read(
                file,
                names.stream()
                        .map(name -> new LayerNames(name.weight(), name.bias(), Boolean.TRUE.equals(name.transposed())))
                        .toList(),
                source.ignore() == null ? LeftAside.NONE : new LeftAside(source.ignore()));
    }

    /**
     * Makes a network of layers.
     *
     * @param layers as read
     * @param activation between them
     * @return the network with its own weights, under the names of the file
     */
    public static DenseNetwork assembled(DenseLayers layers, Activation activation) {
        return new DenseNetwork(
                activation,
                layers.layers().stream().map(StoredNetwork::layer).toList(),
                List.copyOf(layers.values().keySet()));
    }

    /**
     * Makes a network of layers.
     *
     * @param layers as read
     * @param activation between them; null for the one that the checkpoint names
     * @param missing what a message says where neither names one
     * @return the network with its own weights, under the names of the file
     * @throws IllegalArgumentException when the checkpoint names another activation, or neither names one
     */
    public static DenseNetwork assembled(DenseLayers layers, @Nullable String activation, String missing) {
        String stored = layers.activation().orElse(null);
        String name = activation == null ? stored : activation;
        if (name == null) {
            throw new IllegalArgumentException(missing);
        }
        if (stored != null && Activation.named(stored) != Activation.named(name)) {
            throw new IllegalArgumentException(
                    "the checkpoint names the activation %s, but %s is given; leave it out, or give the right one of the two in both places"
                            .formatted(stored, name));
        }
        return assembled(layers, Activation.named(name));
    }

    /**
     * Says which tensors of the file are no part of the network.
     *
     * @param layers as read
     * @return one line, or nothing where every tensor is used
     */
    public static List<String> leftAside(DenseLayers layers) {
        return leftAside(layers.leftAside());
    }

    /**
     * Says which tensors were left aside.
     *
     * @param names of these
     * @return one line, or none
     */
    public static List<String> leftAside(List<String> names) {
        if (names.isEmpty()) {
            return List.of();
        }
        String more = names.size() > SHOWN ? ", and %d more".formatted(names.size() - SHOWN) : "";
        return List.of("left aside, as asked: " + String.join(", ", names.subList(0, Math.min(SHOWN, names.size())))
                + more);
    }

    private static DenseLayer layer(DenseLayers.Layer layer) {
        double[] bias = layer.bias();
        return bias == null ? DenseLayer.of(layer.weight()) : DenseLayer.of(layer.weight(), bias);
    }
}
