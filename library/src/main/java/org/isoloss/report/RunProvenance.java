package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.linalg.Blas;
import org.isoloss.task.DataSource;
import org.isoloss.task.ExpectedOutputs;
import org.isoloss.task.Recipes;
import org.isoloss.task.Task;
import org.jspecify.annotations.Nullable;

/** Where the results of a run come from. */
public final class RunProvenance {
    private RunProvenance() {}

    /**
     * Describes a result of a run that a command line made.
     *
     * @param run its folder
     * @param task of the run, resolved
     * @param command the words after the program's name; not modified
     * @return the description, with this JVM and machine
     * @throws IOException when the run or a file of the task cannot be read
     */
    public static Provenance of(RunDirectory run, Task task, String... command) throws IOException {
        List<String> line = new ArrayList<>(List.of("isoloss"));
        line.addAll(List.of(command));
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("task", task.name());
        settings.put("objective", String.valueOf(task.objective()));
        settings.put("recipe", Recipes.of(task).toString());
        if (task.stopMargin().isPresent()) {
            double most = 1 / task.stopMargin().getAsDouble();
            settings.put("ends where validation finds at most", Double.toString(most));
            run.chosen()
                    .filter(chosen -> chosen.error() <= most)
                    .ifPresent(chosen ->
                            settings.put("ended after", "%d steps, at %s".formatted(chosen.step(), chosen.error())));
        }
        return Provenance.here(line, settings, List.of(run.seed()), List.copyOf(inputs(task)), Blas.coreName());
    }

    /**
     * Lists the files that a task names.
     *
     * @param task resolved
     * @return each once, in the order of the task
     * @throws IOException when the folder of a model cannot be read
     */
    public static Set<Path> inputs(Task task) throws IOException {
        Set<Path> inputs = new LinkedHashSet<>();
        String checkpoint = task.network().checkpoint();
        if (checkpoint != null) {
            inputs.add(Path.of(checkpoint));
        }
        for (Optional<String> model : List.of(
                Optional.ofNullable(task.network().model()),
                Optional.ofNullable(task.network().transformer()))) {
            if (model.isPresent()) {
                inputs.addAll(modelFiles(Path.of(model.get())));
            }
        }
        add(inputs, task.data());
        add(inputs, task.fresh());
        return inputs;
    }

    /**
     * Lists the files that a model consists of.
     *
     * @param model one file, or a folder of Hugging Face
     * @return the file itself, or the configuration and the weights in the folder
     * @throws IOException when the folder cannot be read
     */
    public static List<Path> modelFiles(Path model) throws IOException {
        if (Files.isRegularFile(model)) {
            return List.of(model);
        }
        try (Stream<Path> files = Files.list(model)) {
            return files.filter(file ->
                            file.getFileName().toString().matches("config\\.json|[^.].*\\.(safetensors|gguf|onnx)"))
                    .sorted()
                    .toList();
        }
    }

    private static void add(Set<Path> inputs, @Nullable DataSource source) {
        if (source != null && source.file() != null) {
            inputs.add(Path.of(source.file()));
        }
        if (source != null && source.outputs() != null) {
            inputs.add(ExpectedOutputs.file(source.outputs()));
        }
    }
}
