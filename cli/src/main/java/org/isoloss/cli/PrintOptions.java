package org.isoloss.cli;

import picocli.CommandLine.Option;

/** How a result is printed, as a mixin. */
final class PrintOptions {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = OutputFormat.Converter.class,
            description = "text (the default) for a reader, json for a program.")
    private OutputFormat format = OutputFormat.TEXT;

    @Option(names = "--quiet", description = "No progress on standard error.")
    private boolean quiet;

    boolean isJson() {
        return format == OutputFormat.JSON;
    }

    OutputFormat format() {
        return format;
    }

    boolean quiet() {
        return quiet;
    }
}
