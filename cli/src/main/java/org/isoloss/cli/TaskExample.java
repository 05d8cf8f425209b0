package org.isoloss.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;

/** Puts a task file with every key below the help of {@code discover}. */
final class TaskExample implements IModelTransformer {
    private static final String RESOURCE = "task-example.yaml";

    @Override
    public CommandSpec transform(CommandSpec spec) {
        spec.usageMessage().footerHeading("%nA task file with every key:%n%n");
        // picocli formats each line, so a percent sign is doubled
        spec.usageMessage().footer(text().replace("%", "%%").split("\n", -1));
        return spec;
    }

    /** The example, as it is shown. */
    static String text() {
        try (InputStream stream = TaskExample.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("the resource %s is missing".formatted(RESOURCE));
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).stripTrailing();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
