package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.study.RecipeSearch;
import org.isoloss.study.SearchResult;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Chooses the recipe for a task. */
@Command(
        name = "search",
        description =
                "Tries recipes on a task: all for 5,000 steps, the best two of each family to 15,000, the winners again with"
                        + " fresh seeds. The paper's recipes are one family, ours are others. What was stopped goes on.",
        mixinStandardHelpOptions = true)
final class SearchCommand implements Callable<Integer> {
    private static final List<Long> SEEDS = List.of(101L, 102L, 103L, 104L, 105L);

    @Spec
    private CommandSpec spec;

    @Mixin
    private final SharedOptions shared = new SharedOptions();

    @Parameters(paramLabel = "TASK", description = "The task file.")
    private Path taskFile;

    @Option(
            names = "--objective",
            paramLabel = "KIND",
            description = "hybrid, finite or infinitesimal; the task's where left out.")
    private @Nullable String objective;

    @Option(
            names = "--budget",
            paramLabel = "SHARE",
            description = "Share of all steps, above 0, at most 1 (the default); results of a shorter search say so.")
    private double budget = 1;

    @Option(
            names = "--seeds",
            paramLabel = "SEEDS",
            converter = SeedList.Converter.class,
            description = "Seeds of the fits that are reported; 101..105 where left out.")
    private @Nullable SeedList seeds;

    @Option(names = "--threads", paramLabel = "N", description = "Fits at the same time; one a core where left out.")
    private @Nullable Integer threads;

    @Override
    public Integer call() throws Exception {
        Task task = TaskFile.read(taskFile, Map.of());
        ObjectiveKind kind = kind(task);
        RecipeSearch.Budget steps = RecipeSearch.Budget.PAPER.times(budget);
        Path out = shared.out(Path.of("runs", "search-%s-%s".formatted(task.name(), label(kind))));
        List<Long> fresh = seeds == null ? SEEDS : seeds.seeds();
        RecipeSearch search = new RecipeSearch(taskFile, kind, steps, out);
        int workers = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
        RecipeSearch.Selection selection;
        List<List<Optional<Evaluation>>> evaluations;
        try (StudyBar bar = new StudyBar(shared.quiet(), spec.commandLine().getErr())) {
            selection = search.select(workers, bar);
            evaluations = search.fresh(selection, fresh, workers, bar);
        }
        SearchResult result = SearchResult.of(task.name(), kind, selection, evaluations, fresh, steps);
        result.write(out, CommandProvenance.of(spec, Map.of(), fresh, List.of(taskFile)));
        print(result, out);
        boolean diverged = evaluations.stream().flatMap(List::stream).anyMatch(evaluation -> evaluation.isEmpty());
        return diverged ? ExitCode.UNUSABLE : ExitCode.DONE;
    }

    private ObjectiveKind kind(Task task) {
        if (objective == null) {
            return task.objective() == null ? ObjectiveKind.HYBRID : task.objective();
        }
        try {
            return ObjectiveKind.valueOf(objective.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--objective': expected hybrid, finite or infinitesimal, got '%s'"
                            .formatted(objective),
                    e);
        }
    }

    private static String label(ObjectiveKind kind) {
        return kind.toString().toLowerCase(Locale.ROOT);
    }

    private void print(SearchResult result, Path out) throws IOException {
        PrintWriter print = spec.commandLine().getOut();
        if (shared.format() == OutputFormat.JSON) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("trials", result.trials().toJsonRows());
            json.put("fits", result.fits().table().toJsonRows());
            json.put("selected", result.selected());
            print.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            print.println(result.trials().toText());
            print.println(result.fits().table().toText());
            print.printf("selected recipes and pictures, in %s%n", out);
        }
    }
}
