package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.isoloss.affine.Architecture;
import org.isoloss.affine.HiddenActivation;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
import org.isoloss.model.ModelTarget;
import org.isoloss.model.Moving;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.source.ComputedOutputs;
import org.isoloss.source.StoredNetwork;
import org.jspecify.annotations.Nullable;

/** The weights of a checkpoint as a point in parameter space, with an activation for each hidden layer. */
public final class PointNetwork {
    private final DenseLayers layers;
    private final Architecture architecture;
    private final DenseNetwork stored;

    /** The stored network has the weights and their names; its activation does not count. */
    private PointNetwork(DenseLayers layers, Architecture architecture, DenseNetwork stored) {
        this.layers = layers;
        this.architecture = architecture;
        this.stored = stored;
    }

    /**
     * Reads a network.
     *
     * @param file safetensors or npz
     * @param tensors which of the file make the network
     * @param activation one for all hidden layers, or one for each, with commas between; null for what the checkpoint names
     * @return the network with its own weights
     * @throws IOException when the file cannot be read
     */
    public static PointNetwork read(Path file, StoredNetwork.Tensors tensors, @Nullable String activation)
            throws IOException {
        DenseLayers layers = tensors.read(file);
        int hidden = layers.layers().size() - 1;
        String names = activation != null ? activation : layers.activation().orElse("");
        if (names.isBlank() && hidden > 0) {
            throw new IllegalArgumentException("%s names no activation; give --activation".formatted(file));
        }
        List<HiddenActivation> activations = names.isBlank()
                ? List.of()
                : Arrays.stream(names.split(",", -1))
                        .map(name -> HiddenActivation.named(name.strip()))
                        .toList();
        if (activations.size() > 1 && activations.size() != hidden) {
            throw new IllegalArgumentException("%s: %d activations for %d hidden layers, expected one or one for each"
                    .formatted(file, activations.size(), hidden));
        }
        return of(
                layers,
                activations.size() == hidden ? activations : Collections.nCopies(hidden, activations.getFirst()));
    }

    /**
     * Reads a network whose shape another file states.
     *
     * @param file safetensors or npz
     * @param tensors which of the file make the network
     * @param stated the widths, activations and biases
     * @return the network with its own weights
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when the checkpoint has another shape
     */
    public static PointNetwork read(Path file, StoredNetwork.Tensors tensors, Architecture stated) throws IOException {
        DenseLayers layers = tensors.read(file);
        DenseNetwork stored = StoredNetwork.assembled(layers, Activation.IDENTITY);
        List<Boolean> biased =
                stored.layers().stream().map(layer -> layer.bias().isPresent()).toList();
        if (!stored.widths().equals(stated.widths()) || !biased.equals(stated.biased())) {
            throw new IllegalArgumentException(
                    "%s has widths %s and biases %s, the network file states %s and %s; change network.widths or network.biases"
                            .formatted(file, stored.widths(), biased, stated.widths(), stated.biased()));
        }
        return new PointNetwork(layers, stated, stored);
    }

    private static PointNetwork of(DenseLayers layers, List<HiddenActivation> activations) {
        DenseNetwork stored = StoredNetwork.assembled(layers, Activation.IDENTITY);
        return new PointNetwork(
                layers,
                new Architecture(
                        stored.widths(),
                        activations,
                        stored.layers().stream()
                                .map(layer -> layer.bias().isPresent())
                                .toList()),
                stored);
    }

    /** {@return the number of inputs} */
    public int inputs() {
        return architecture.inputs();
    }

    /** {@return one line for the tensors of the file that were left aside, where there are any} */
    public List<String> leftAside() {
        return StoredNetwork.leftAside(layers);
    }

    /**
     * Compares with what another program computed.
     *
     * @param expected the outputs of that program
     * @param file of the network, for the message
     * @param batch one input a row; not modified
     * @return one line that says how well the outputs agree
     * @throws IllegalArgumentException when they do not, in one line
     */
    public List<String> confirm(ExpectedOutputs expected, String file, Matrix batch) {
        String activations = architecture.activations().stream()
                .map(HiddenActivation::label)
                .distinct()
                .collect(Collectors.joining(", "));
        return expected.confirm(
                "%s as %s".formatted(file, StoredNetwork.described(architecture.widths(), activations)),
                new ComputedOutputs(model(batch.rows()), List.of(Map.of("x", batch.entries()))));
    }

    private Model model(int inputs) {
        return architecture.model(stored.layout(), stored.parameters(), inputs);
    }

    /**
     * Fixes a batch.
     *
     * @param batch one input a row; not modified
     * @param moving what moves, as {@link Moving#of} reads it; all parameters where there is none
     * @return the outputs as a function of what moves
     */
    public ModelTarget target(Matrix batch, List<String> moving) {
        Model model = model(batch.rows());
        return ModelTarget.of(
                moving.isEmpty() ? Moving.all(model) : Moving.of(model, moving), Map.of("x", batch.entries()));
    }
}
