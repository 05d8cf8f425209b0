package org.isoloss.cli;

import java.util.List;
import picocli.CommandLine.Option;

/** Which parameters of a network may change where symmetries are counted, as a mixin. */
final class MovingOption {
    @Option(
            names = "--moving",
            paramLabel = "PARAMETERS",
            description = "These parameters alone may change, such as conv1.weight or norm.bias[0:4]; may be repeated.")
    private List<String> moving = List.of();

    /** As they are named; empty for all. */
    List<String> parts() {
        return moving;
    }
}
