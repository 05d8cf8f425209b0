package org.isoloss.cli;

import java.util.List;
import org.isoloss.checkpoint.Tying;
import picocli.CommandLine.Model.CommandSpec;
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

    /** Prints what a reader should know of how a model was understood. */
    static void tell(CommandSpec spec, List<String> notes) {
        notes.forEach(note -> spec.commandLine().getErr().println("isoloss: note: " + note));
    }
}
