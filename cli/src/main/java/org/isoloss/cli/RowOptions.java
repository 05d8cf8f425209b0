package org.isoloss.cli;

import java.nio.file.Path;
import java.util.List;
import org.isoloss.task.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How inputs are read from a file, and which of them, as a mixin. */
final class RowOptions {
    @Option(
            names = "--array",
            paramLabel = "NAME",
            description = "Name of the array in an npz file; the first where left out.")
    private @Nullable String array;

    @Option(
            names = "--header",
            negatable = true,
            description = "The first row of a CSV file names the columns (--no-header: holds numbers); found out where"
                    + " left out.")
    private @Nullable Boolean header;

    @Option(
            names = "--rows",
            paramLabel = "FROM..TO",
            description = "First row and one past the last, from 0; all where left out.")
    private @Nullable String rows;

    @Option(names = "--scale", paramLabel = "NUMBER", description = "Every number of the batch is divided by it.")
    private @Nullable Double scale;

    @Option(names = "--label", description = "The last column is a class label and no input.")
    private boolean label;

    @Mixin
    private final ExpectOptions expect = new ExpectOptions();

    /** The rows asked for of a file, as a task names them, with what is expected of them. */
    DataSource source(CommandSpec spec, Path file) {
        return source(spec, file, rows, "--rows").expecting(expect.text());
    }

    /** Other rows of a file, otherwise read in the same way. */
    DataSource source(CommandSpec spec, Path file, @Nullable String range, String option) {
        return DataSource.table(file.toString(), array, header).taking(range(spec, range, option), scale, label);
    }

    /** The outputs that another program computed. */
    ExpectOptions expect() {
        return expect;
    }

    private static @Nullable List<Integer> range(CommandSpec spec, @Nullable String range, String option) {
        if (range == null) {
            return null;
        }
        if (!range.matches("\\d{1,9}\\.\\.\\d{1,9}")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '%s': expected rows such as 0..8, got '%s'".formatted(option, range));
        }
        int dots = range.indexOf("..");
        return List.of(Integer.valueOf(range.substring(0, dots)), Integer.valueOf(range.substring(dots + 2)));
    }
}
