package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.discovery.Fit;
import org.isoloss.discovery.Recipe;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.discovery.SimultaneousFits;
import org.isoloss.sweep.TaskFit;
import org.isoloss.task.Recipes;
import org.isoloss.task.RunBase;
import org.isoloss.task.Setting;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.json.JsonMapper;

/** The fits of a task, once for each seed, as the commands that discover make and report them. */
final class SeedFits {
    private final CommandSpec spec;
    private final SharedOptions shared;
    private final FitOptions options;

    SeedFits(CommandSpec spec, SharedOptions shared, FitOptions options) {
        this.spec = spec;
        this.shared = shared;
        this.options = options;
    }

    /**
     * Fits.
     *
     * @param task as read
     * @param folder to which its paths are relative
     * @return the exit code
     */
    int run(Task task, Path folder) throws Exception {
        Task resolved = options.ending(task).resolved(folder);
        Path out = shared.out(Path.of("runs", task.name()));
        List<Long> chosen = options.seeds(task, spec, shared);
        Recipe recipe = Recipes.of(resolved);
        Setting setting = Setting.of(resolved, Path.of("")); // before any folder: a refused task leaves nothing behind
        Notices.print(spec, setting);
        TrainingKernel.announce(spec);
        Map<Long, RunDirectory> runs = new LinkedHashMap<>();
        String text = TaskFile.write(resolved);
        for (long seed : chosen) {
            Path own = chosen.size() == 1 ? out : out.resolve("seed-" + seed);
            RunDirectory run = RunDirectory.create(own, text, seed);
            RunBase.keep(setting, own);
            TaskFit.writeProvenance(run, resolved);
            runs.put(seed, run);
        }
        Map<Long, Fit.Outcome> outcomes = fit(resolved, setting, recipe, runs);
        for (RunDirectory run : runs.values()) {
            TaskFit.writeProvenance(run, resolved); // says now where validation ended the fit
        }
        report(resolved, out, outcomes);
        return outcomes.values().stream().allMatch(Fit.Outcome::isUsable) ? ExitCode.DONE : ExitCode.UNUSABLE;
    }

    private Map<Long, Fit.Outcome> fit(Task task, Setting setting, Recipe recipe, Map<Long, RunDirectory> runs)
            throws Exception {
        Map<Long, Fit.Outcome> outcomes = new LinkedHashMap<>();
        try (StepProgress progress = new StepProgress(
                task.name(),
                (long) recipe.steps() * runs.size(),
                shared.quiet(),
                spec.commandLine().getErr())) {
            List<SimultaneousFits.Work<Fit.Outcome>> fits = new ArrayList<>();
            runs.values().forEach(run -> fits.add(() -> fit(setting, recipe, run, progress)));
            Iterator<Fit.Outcome> ended =
                    SimultaneousFits.run(options.threads(), fits).iterator();
            runs.keySet().forEach(seed -> outcomes.put(seed, ended.next()));
        }
        return outcomes;
    }

    /** Trains one action, as far as its task asks for, and takes note of the steps. */
    static Fit.Outcome fit(Setting setting, Recipe recipe, RunDirectory run, StepProgress progress) throws IOException {
        int[] seen = {0};
        Fit.Outcome outcome = TaskFit.of(setting, run).run((step, steps, loss) -> {
            progress.advance(step - seen[0]);
            seen[0] = step;
        });
        progress.advance(recipe.steps() - seen[0]); // those that a fit spares
        return outcome;
    }

    private void report(Task task, Path out, Map<Long, Fit.Outcome> outcomes) {
        List<String> failed = new ArrayList<>();
        outcomes.forEach((seed, outcome) -> {
            if (!outcome.isUsable()) {
                failed.add("seed %d stopped at step %d: %s became infinite or NaN; lower the learning rate"
                        .formatted(seed, outcome.step(), outcome.reason().orElse("the loss")));
            }
        });
        if (shared.format() == OutputFormat.JSON) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("task", task.name());
            json.put("run", out.toString());
            json.put("seeds", outcomes.keySet());
            json.put("finished", outcomes.size() - failed.size());
            if (task.stopMargin().isPresent()) {
                json.put("margin", task.stopMargin().getAsDouble());
                Map<String, Object> ends = new LinkedHashMap<>();
                outcomes.forEach((seed, outcome) -> ends.put(Long.toString(seed), end(outcome)));
                json.put("ends", ends);
            }
            spec.commandLine().getOut().println(JsonMapper.shared().writeValueAsString(json));
        } else {
            spec.commandLine()
                    .getOut()
                    .printf(
                            "%s: %d of %d fits finished, in %s%n",
                            task.name(), outcomes.size() - failed.size(), outcomes.size(), out);
            task.stopMargin()
                    .ifPresent(margin -> outcomes.forEach((seed, outcome) -> FitEnd.line(outcome, margin)
                            .ifPresent(line -> spec.commandLine().getOut().printf("seed %d: %s%n", seed, line))));
        }
        failed.forEach(line -> spec.commandLine().getErr().println("isoloss: " + line));
    }

    private static Map<String, Object> end(Fit.Outcome outcome) {
        Map<String, Object> end = new LinkedHashMap<>();
        end.put("step", outcome.step());
        end.put("good_enough", outcome.stop() == Fit.Stop.GOOD_ENOUGH);
        outcome.error()
                .ifPresent(error -> end.put("validation", Double.isFinite(error) ? error : Double.toString(error)));
        return end;
    }
}
