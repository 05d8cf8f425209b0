package org.isoloss.cli;

import java.nio.file.Path;
import java.util.Optional;
import org.isoloss.task.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** A second batch, read like the first, as a mixin beside {@link RowOptions}. */
final class FreshOptions {
    @Option(
            names = "--fresh",
            paramLabel = "FILE",
            description = "Other inputs, read like the first; their file where only --fresh-rows is given.")
    private @Nullable Path fresh;

    @Option(names = "--fresh-rows", paramLabel = "FROM..TO", description = "Rows of the other inputs, as in --rows.")
    private @Nullable String rows;

    /** The file of the other inputs, or null where there are none. */
    @Nullable
    Path file(Path data) {
        return fresh != null || rows == null ? fresh : data;
    }

    /** The other rows, as a task names them. */
    Optional<DataSource> source(CommandSpec spec, Path data, RowOptions reading) {
        Path file = file(data);
        return file == null ? Optional.empty() : Optional.of(reading.source(spec, file, rows, "--fresh-rows"));
    }
}
