package org.isoloss.cli;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Several seeds, each of a fit of its own, as a mixin; {@code --seed} names one. */
final class SeedsOption {
    @Option(
            names = "--seeds",
            paramLabel = "SEEDS",
            converter = SeedList.Converter.class,
            description = "Several seeds, such as 101..105, in place of those of the task, the file or the study.")
    private @Nullable SeedList seeds;

    /** The seeds that the command line names; nothing where it names none. */
    Optional<List<Long>> given(CommandSpec spec, SharedOptions shared) {
        Long one = shared.seedIfGiven();
        if (seeds != null && one != null) {
            throw new ParameterException(spec.commandLine(), "--seed and --seeds both name seeds; give one of them");
        }
        return one != null
                ? Optional.of(List.of(one))
                : Optional.ofNullable(seeds).map(SeedList::seeds);
    }
}
