package org.isoloss.sweep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.isoloss.checkpoint.MissingFile;
import org.isoloss.discovery.Fit;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.task.RunBase;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;

/**
 * Trains and evaluates, as {@code discover} and {@code evaluate --declared} do. The settings of the last few tasks are kept: fits
 * that differ in their seed share one.
 */
public final class FitAndEvaluation implements SweepWork {
    private static final int SETTINGS = 4;

    private final Map<Task, Setting> settings = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Task, Setting> eldest) {
            return size() > SETTINGS;
        }
    };

    /** Starts without a setting. */
    public FitAndEvaluation() {}

    @Override
    public SweepRow make(SweepFit fit, Path folder, Fit.Progress progress) throws IOException {
        Setting setting;
        try {
            setting = setting(fit.task());
        } catch (IOException | RuntimeException e) { // what is read belongs to this task
            return SweepRow.failed(fit, reason(e));
        }
        try {
            return make(fit, setting, RunDirectory.create(folder, TaskFile.write(fit.task()), fit.seed()), progress);
        } catch (UncheckedIOException e) {
            throw e;
        } catch (RuntimeException e) {
            return SweepRow.failed(fit, reason(e));
        }
    }

    private static SweepRow make(SweepFit fit, Setting setting, RunDirectory run, Fit.Progress progress)
            throws IOException {
        RunBase.keep(setting, run.folder());
        Fit.Outcome ended = TaskFit.of(setting, run).run(progress);
        Map<String, String> inputs = new LinkedHashMap<>();
        TaskFit.writeProvenance(run, fit.task()).inputs().forEach(input -> inputs.put(input.name(), input.sha256()));
        if (!ended.isUsable()) {
            return SweepRow.diverged(fit, ended, inputs);
        }
        Evaluation evaluation = TaskFit.evaluator(setting, run.action())
                .grid(EvaluationGrid.DECLARED)
                .run(Streams.TEST.stream(run.seed()));
        evaluation.writeTo(run.folder().resolve("evaluation.json"));
        return SweepRow.evaluated(fit, ended.step(), evaluation, inputs);
    }

    private Setting setting(Task task) throws IOException {
        synchronized (settings) {
            Setting known = settings.get(task);
            if (known == null) {
                known = Setting.of(task, Path.of(""));
                settings.put(task, known);
            }
            return known;
        }
    }

    private static String reason(Exception failure) {
        String message = failure instanceof NoSuchFileException missing
                ? MissingFile.describe(String.valueOf(missing.getFile()))
                : String.valueOf(failure.getMessage());
        boolean expected = failure instanceof IllegalArgumentException || failure instanceof IOException;
        String line = expected ? message : failure.getClass().getSimpleName() + ": " + message;
        return line.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
