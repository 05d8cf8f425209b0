package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.LayerNames;
import org.isoloss.checkpoint.LeftAside;
import org.isoloss.checkpoint.SequentialCheckpoint;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Power;
import org.isoloss.model.Value;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
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
        /** All tensors of a file, in the names of {@code nn.Sequential}. */
        public static final Tensors ALL = new Tensors(List.of(), List.of());

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

    /** Activations as an option or a file names them, one for each hidden layer. */
    static List<Pointwise> activations(Path file, @Nullable String names, int hidden) {
        List<Pointwise> activations = names == null || names.isBlank()
                ? List.of()
                : Arrays.stream(names.split(",", -1))
                        .map(name -> Activation.function(name.strip()))
                        .toList();
        if (activations.isEmpty() && hidden > 0) {
            throw new IllegalArgumentException("%s names no activation; give --activation".formatted(file));
        }
        if (activations.size() > 1 && activations.size() != hidden) {
            throw new IllegalArgumentException("%s: %d activations for %d hidden layers, expected one or one for each"
                    .formatted(file, activations.size(), hidden));
        }
        return activations.size() == hidden ? activations : Collections.nCopies(hidden, activations.getFirst());
    }

    /** Their names, each once. */
    static String labels(List<Pointwise> activations) {
        return activations.stream()
                .map(function -> function instanceof Power(double exponent, double _)
                        ? "z^%.0f".formatted(exponent)
                        : ((Activation) function).label())
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /**
     * Makes a model of layers: its input is {@code input}, its output {@code output}, and its parameters are the tensors under their
     * names and in the order of the file.
     *
     * @param layers as read
     * @param activations one for each layer but the last
     * @param batch how many inputs at once
     * @return the model
     */
    public static Model model(DenseLayers layers, List<? extends Pointwise> activations, int batch) {
        ModelBuilder builder = Model.builder();
        var made = new Layers(builder);
        Value states = builder.input("input", batch, layers.widths().getFirst());
        for (int i = 0; i < layers.layers().size(); i++) {
            DenseLayers.Layer layer = layers.layers().get(i);
            LayerNames names = layer.names();
            builder.at("layer " + names.weight());
            Matrix stored = layer.stored();
            Value weight = builder.parameter(
                    names.weight(), Dimensions.of(stored.rows(), stored.columns()), Numbers.of(stored.entries()));
            double[] numbers = layer.bias();
            Value bias = numbers == null || names.bias() == null
                    ? null
                    : builder.parameter(names.bias(), Dimensions.of(numbers.length), Numbers.of(numbers));
            Value sums = made.linear(states, names.transposed() ? builder.transpose(weight, 1, 0) : weight, bias);
            states = i < activations.size() ? builder.apply(activations.get(i), sums) : sums;
        }
        builder.output("output", states);
        return builder.build();
    }

    /**
     * Says what a network is taken for.
     *
     * @param widths of inputs, hidden layers and outputs
     * @param activations between the layers
     * @return such as {@code 1 layer of widths 3, 2 with no activation}
     */
    public static String described(List<Integer> widths, String activations) {
        int layers = widths.size() - 1;
        return "%d layer%s of widths %s with %s"
                .formatted(
                        layers,
                        layers == 1 ? "" : "s",
                        widths.stream().map(String::valueOf).collect(Collectors.joining(", ")),
                        layers == 1 ? "no activation" : activations + " between them and none after the last");
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
