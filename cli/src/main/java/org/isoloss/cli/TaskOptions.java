package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The task file and what the command line changes in it, as a mixin. */
final class TaskOptions {
    @Parameters(paramLabel = "TASK.yaml", description = "What to discover.")
    private Path file = Path.of("task.yaml");

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Changes one value of the task, such as recipe.steps=1500; may be repeated.")
    private Map<String, String> changes = new LinkedHashMap<>();

    /** Reads the task, with the changes. */
    Task task() throws IOException {
        return TaskFile.read(file, changes);
    }

    /** The folder to which the task's paths are relative. */
    Path folder() {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? Path.of("") : parent;
    }
}
