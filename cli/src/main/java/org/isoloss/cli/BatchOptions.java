package org.isoloss.cli;

import java.nio.file.Path;
import org.isoloss.task.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** One batch of inputs, as a mixin. */
final class BatchOptions {
    @Option(
            names = "--data",
            paramLabel = "FILE",
            description = "The batch: CSV (also gzipped), npz or npy, one input a row.")
    private @Nullable Path data;

    @Mixin
    private final RowOptions rows = new RowOptions();

    boolean given() {
        return data != null;
    }

    @Nullable
    Path file() {
        return data;
    }

    /** The file, which the command needs. */
    Path required(CommandSpec spec) {
        if (data == null) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--data=FILE'");
        }
        return data;
    }

    /** How it is read. */
    RowOptions rows() {
        return rows;
    }

    /** The rows asked for, as a task names them, with what is expected of them. */
    DataSource source(CommandSpec spec) {
        return rows.source(spec, required(spec));
    }

    /** The outputs that another program computed. */
    ExpectOptions expect() {
        return rows.expect();
    }
}
