package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.report.Provenance;
import org.isoloss.report.RunComparison;
import org.isoloss.report.RunComparison.ComparedRun;
import org.isoloss.report.RunPage;
import org.isoloss.report.RunProvenance;
import org.isoloss.task.Task;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Writes the page of a run again, or one page of several runs side by side. */
@Command(
        name = "report",
        description = "Writes one self-contained page: of one evaluated run, or of several side by side.",
        mixinStandardHelpOptions = true)
final class ReportCommand implements Callable<Integer> {
    private static final JsonMapper JSON = JsonMapper.shared();

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Parameters(
            arity = "1..*",
            paramLabel = "RUN",
            description = "Folders of evaluated runs, or of runs of several seeds.")
    private List<Path> folders = List.of();

    @Override
    public Integer call() throws Exception {
        List<RunDirectory> runs = new ArrayList<>();
        for (Path folder : folders) {
            runs.addAll(Runs.in(folder));
        }
        Path page = runs.size() == 1 ? one(runs.getFirst()) : several(runs);
        if (shared.format() == OutputFormat.JSON) {
            Map<String, Object> summary = new LinkedHashMap<>();
            summary.put("runs", runs.size());
            summary.put("page", page.toString());
            spec.commandLine().getOut().println(JSON.writeValueAsString(summary));
        }
        return ExitCode.DONE;
    }

    private Path one(RunDirectory run) throws IOException {
        Task task = Runs.task(run);
        Path folder = shared.out(run.folder());
        Files.createDirectories(folder);
        RunPage.write(task, evaluation(run), RunProvenance.of(run, task, line()), run.folder(), folder);
        Path page = folder.resolve("report.html");
        say("written to %s%n".formatted(page));
        return page;
    }

    private Path several(List<RunDirectory> runs) throws IOException {
        List<ComparedRun> compared = new ArrayList<>();
        for (RunDirectory run : runs) {
            compared.add(compared(run));
        }
        RunComparison comparison = RunComparison.of(compared);
        Path folder = shared.out(folders.size() == 1 ? folders.getFirst() : Path.of("report"));
        Provenance provenance = RunProvenance.of(runs.getFirst(), Runs.task(runs.getFirst()), line());
        comparison.write(folder, provenance);
        Path page = folder.resolve("report.html");
        say("%s%n%s%nwritten to %s%n".formatted(comparison.table().toText(), comparison.words(), page));
        return page;
    }

    private ComparedRun compared(RunDirectory run) throws IOException {
        Task task = Runs.task(run);
        List<Double> steps = new ArrayList<>();
        List<Double> losses = new ArrayList<>();
        Path metrics = run.folder().resolve("metrics.jsonl");
        int number = 0;
        for (String line : Files.exists(metrics) ? Files.readAllLines(metrics) : List.<String>of()) {
            number++;
            JsonNode logged = logged(metrics, number, line);
            steps.add(logged.get("step").asDouble());
            losses.add(logged.get("loss").asDouble());
        }
        return new ComparedRun(
                run.folder().toString(), task.name(), objective(task), run.seed(), steps, losses, evaluation(run));
    }

    private static String objective(Task task) {
        ObjectiveKind chosen = task.objective();
        return (chosen == null ? ObjectiveKind.HYBRID : chosen).toString().toLowerCase(Locale.ROOT);
    }

    private static JsonNode logged(Path file, int number, String line) {
        try {
            JsonNode logged = JSON.readTree(line);
            if (logged.path("step").isNumber() && logged.path("loss").isNumber()) {
                return logged;
            }
        } catch (JacksonException broken) {
            throw new IllegalArgumentException("%s, line %d is no JSON object".formatted(file, number), broken);
        }
        throw new IllegalArgumentException("%s, line %d has no numbers 'step' and 'loss'".formatted(file, number));
    }

    private static Evaluation evaluation(RunDirectory run) throws IOException {
        Path file = run.folder().resolve("evaluation.json");
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException(
                    "%s has not been evaluated; run 'isoloss evaluate %s' first".formatted(run.folder(), run.folder()));
        }
        return Evaluation.read(file);
    }

    /** The command line, for the page. */
    private String[] line() {
        List<String> line = new ArrayList<>(List.of("report"));
        folders.forEach(folder -> line.add(folder.toString()));
        return line.toArray(String[]::new);
    }

    private void say(String text) {
        if (shared.format() == OutputFormat.TEXT) {
            spec.commandLine().getOut().print(text);
        }
    }
}
