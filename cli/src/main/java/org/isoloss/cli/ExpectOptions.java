package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.isoloss.task.ExpectedOutputs;
import org.isoloss.task.InputTable.RowChoice;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What another program computed for the same inputs, as a mixin. */
final class ExpectOptions {
    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description = "What your own framework computed for these inputs, compared before anything else:"
                    + " np.savez('y.npz', y=model.eval()(x).detach().numpy()). CSV, npz or npy; of several arrays"
                    + " FILE.npz:NAME.")
    private @Nullable String file;

    /** The text of the option, or null. */
    @Nullable
    String text() {
        return file;
    }

    /** The file of the outputs, or nothing. */
    List<Path> files() {
        return file == null ? List.of() : List.of(ExpectedOutputs.file(file));
    }

    /** Compares where something is expected, and says how well it agrees. */
    void confirm(CommandSpec spec, RowChoice choice, Function<ExpectedOutputs, List<String>> comparison)
            throws IOException {
        if (file != null) {
            Notices.print(spec, comparison.apply(ExpectedOutputs.read(file, Path.of(""), choice)));
        }
    }
}
