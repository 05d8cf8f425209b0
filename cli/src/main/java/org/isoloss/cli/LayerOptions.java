package org.isoloss.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How to read a dense network from a checkpoint, as a mixin. */
final class LayerOptions {
    @Option(
            names = "--layers",
            paramLabel = "WEIGHTS",
            split = ",",
            description = "Weight names from the input on, where they are not those of nn.Sequential;"
                    + " a bias bears the name of its weight with .bias for .weight.")
    private List<String> layers = List.of();

    @Option(
            names = "--activation",
            paramLabel = "NAME",
            description = "Between the layers, where the checkpoint does not name it.")
    private @Nullable String activation;

    List<String> layers() {
        return layers;
    }

    @Nullable
    String activation() {
        return activation;
    }
}
