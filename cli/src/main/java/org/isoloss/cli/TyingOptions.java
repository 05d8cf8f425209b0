package org.isoloss.cli;

import org.isoloss.checkpoint.Tying;
import picocli.CommandLine.Option;

/** Which head of a transformer counts, as a mixin. */
final class TyingOptions {
    @Option(
            names = "--tied",
            description =
                    "For a transformer whose configuration ties its head to the embedding, but that stores another"
                            + " head: the embedding makes the logits, as before transformers 5, not the stored head.")
    private boolean tied;

    Tying tying() {
        return tied ? Tying.AS_CONFIGURED : Tying.AS_STORED;
    }
}
