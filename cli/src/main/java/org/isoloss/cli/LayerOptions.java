package org.isoloss.cli;

import java.util.List;
import org.isoloss.source.StoredNetwork;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How to read a dense network from a checkpoint, as a mixin. */
final class LayerOptions {
    @Option(
            names = "--layers",
            paramLabel = "WEIGHTS",
            split = ",",
            description = "Weight names from the input on, where they are not those of nn.Sequential;"
                    + " a bias bears the name of its weight with .bias for .weight, or is named: W1+b1,W2+b2.")
    private List<String> layers = List.of();

    @Option(
            names = "--ignore",
            paramLabel = "NAMES",
            split = ",",
            description = "Tensors of the file that are no part of the network, such as critic.*; any other tensor that"
                    + " is not used is refused.")
    private List<String> ignored = List.of();

    @Option(
            names = "--activation",
            paramLabel = "NAME",
            description = "Between the layers, where the checkpoint does not name it;"
                    + " recover also takes one for each hidden layer, such as relu,identity,tanh.")
    private @Nullable String activation;

    /** Which tensors make the network. */
    StoredNetwork.Tensors tensors() {
        return tensors(layers);
    }

    /** The same with other names of the layers. */
    StoredNetwork.Tensors tensors(List<String> others) {
        return new StoredNetwork.Tensors(others.isEmpty() ? layers : others, ignored);
    }

    @Nullable
    String activation() {
        return activation;
    }
}
