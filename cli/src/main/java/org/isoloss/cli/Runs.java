package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.isoloss.action.ActionKind;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.task.DataSource;
import org.isoloss.task.InputTable;
import org.isoloss.task.RunBase;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import picocli.CommandLine.Model.CommandSpec;

/** Finds the runs that a folder on the command line stands for. */
final class Runs {
    private Runs() {}

    /** The run in the folder itself, or those of several seeds below it, in the order of their seeds. */
    static List<RunDirectory> in(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (RunDirectory.isRun(folder)) {
            return List.of(RunDirectory.open(folder));
        }
        List<RunDirectory> runs = new ArrayList<>();
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.sorted().toList()) {
                if (RunDirectory.isRun(entry)) {
                    runs.add(RunDirectory.open(entry));
                }
            }
        }
        if (runs.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s is not an isoloss run and holds none; give the --out folder of 'isoloss discover'"
                            .formatted(folder));
        }
        runs.sort(Comparator.comparingLong(RunDirectory::seed));
        return runs;
    }

    /** The only run of a folder. */
    static RunDirectory one(Path folder) throws IOException {
        List<RunDirectory> runs = in(folder);
        if (runs.size() > 1) {
            throw new IllegalArgumentException("%s holds %d runs; give one of them, such as %s"
                    .formatted(folder, runs.size(), runs.getFirst().folder()));
        }
        return runs.getFirst();
    }

    static Task task(RunDirectory run) throws IOException {
        return TaskFile.parse(run.folder().resolve("task.yaml").toString(), run.task(), Map.of());
    }

    /** The setting of a run on another batch, where one is given: only an action for many batches has one. */
    static Setting setting(RunDirectory run, CommandSpec spec, BatchOptions batch) throws IOException {
        Setting own = setting(run); // refuses files that have changed
        if (!batch.given()) {
            return own;
        }
        Task task = own.task();
        if (task.action() != ActionKind.BATCHED) {
            throw new IllegalArgumentException(
                    "%s: the action is for one batch, and --data gives another; learn one for many with 'action: batched'"
                            .formatted(run.folder()));
        }
        DataSource other = batch.source(spec).resolved(Path.of(""));
        return Setting.of(task.withData(task.data().tokens() == null ? other : text(other)), run.folder());
    }

    /** The ids of a text, which a file has one after the other. */
    private static DataSource text(DataSource source) throws IOException {
        double[] numbers = InputTable.read(source, Path.of("")).inputs().entries();
        List<Integer> ids = new ArrayList<>();
        for (double number : numbers) {
            if (number != (int) number) {
                throw new IllegalArgumentException("%s holds %s, expected ids of tokens, which are whole numbers"
                        .formatted(source.file(), number));
            }
            ids.add((int) number);
        }
        return DataSource.text(ids);
    }

    static Setting setting(RunDirectory run) throws IOException {
        Setting setting = Setting.of(task(run), run.folder());
        RunBase.require(setting, run.folder());
        return setting;
    }
}
