package org.isoloss.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.reproduce.RecipeCandidate;
import org.isoloss.reproduce.RecipeSearch;
import org.isoloss.reproduce.SearchResult;
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
                "Tries recipes on a task, each with five seeds that no result reports: all for 5,000 steps, the best two of each"
                        + " family to 15,000, the winners again with fresh seeds. The paper's recipes are one family, ours are"
                        + " others; --try names recipes of your own. What was stopped goes on.",
        mixinStandardHelpOptions = true)
final class SearchCommand implements Callable<Integer> {
    private static final List<Long> SEEDS = List.of(101L, 102L, 103L, 104L, 105L);

    @Spec
    private CommandSpec spec;

    @Mixin
    final FigureOptions figureOptions = new FigureOptions();

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

    @Mixin
    private final SeedsOption seeds = new SeedsOption();

    @Option(
            names = "--try",
            paramLabel = "KEY=VALUE[,KEY=VALUE...]",
            description =
                    "A change of the task file that competes with the file as it is, in place of the families; may be"
                            + " repeated. All train to the end.")
    private List<String> tries = List.of();

    @Option(
            names = "--selection-seeds",
            paramLabel = "SEEDS",
            converter = SeedList.Converter.class,
            description = "Seeds of the candidates' fits; 11..15 where left out.")
    private @Nullable SeedList selectionSeeds;

    @Option(
            names = "--selection-only",
            description = "Ends with the selection, without fits of the winners with fresh seeds.")
    private boolean selectionOnly;

    @Mixin
    private final ThreadsOption threads = new ThreadsOption();

    @Override
    public Integer call() throws Exception {
        if (selectionOnly) {
            Notices.requireUnused(spec, "--selection-only makes no fits with fresh seeds, so it", "--seeds", "--seed");
        }
        Task task = TaskFile.read(taskFile, Map.of());
        if (task.stopMargin().isPresent()) {
            throw new IllegalArgumentException(
                    "%s: 'recipe.stop' ends fits at steps of their own, and a search compares equal steps; leave it out"
                            .formatted(taskFile));
        }
        TrainingKernel.announce(spec);
        ObjectiveKind kind = kind(task);
        List<RecipeCandidate> candidates = tries.isEmpty()
                ? RecipeCandidate.of(kind)
                : RecipeCandidate.changing(tries.stream().map(this::changes).toList());
        RecipeSearch.Budget paper = RecipeSearch.Budget.PAPER.times(budget);
        RecipeSearch.Budget steps = tries.isEmpty() ? paper : paper.keeping(candidates.size());
        Path out = shared.out(Path.of("runs", "search-%s-%s".formatted(task.name(), label(kind))));
        List<Long> fresh = seeds.given(spec, shared).orElse(SEEDS);
        List<Long> selecting = selectionSeeds == null ? RecipeSearch.SEEDS : selectionSeeds.seeds();
        RecipeSearch search = new RecipeSearch(taskFile, kind, candidates, steps, selecting, out);
        if (!selectionOnly) {
            search.requireFresh(fresh);
        }
        int workers = threads.threads();
        SearchResult result;
        boolean diverged = false;
        try (StudyBar bar = new StudyBar(shared.quiet(), spec.commandLine().getErr())) {
            RecipeSearch.Selection selection = search.select(workers, bar);
            result = SearchResult.of(task.name(), kind, selection);
            if (!selectionOnly) {
                List<List<Optional<Evaluation>>> evaluations = search.fresh(selection, fresh, workers, bar);
                result = result.with(task.name(), kind, selection, evaluations, fresh, steps);
                diverged = evaluations.stream().flatMap(List::stream).anyMatch(Optional::isEmpty);
            }
        }
        List<Long> used = new ArrayList<>(selecting);
        if (!selectionOnly) {
            used.addAll(fresh);
        }
        result.write(out, TrainingKernel.in(CommandProvenance.of(spec, Map.of(), used, List.of(taskFile))));
        print(result, out);
        return diverged ? ExitCode.UNUSABLE : ExitCode.DONE;
    }

    private Map<String, String> changes(String text) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (String change : text.split(",", -1)) {
            int equals = change.indexOf('=');
            if (equals < 1 || equals == change.length() - 1) {
                throw new ParameterException(
                        spec.commandLine(),
                        "Invalid value for option '--try': expected KEY=VALUE, such as recipe.peak=6e-3, got '%s'"
                                .formatted(change));
            }
            changes.put(change.substring(0, equals), change.substring(equals + 1));
        }
        return changes;
    }

    private ObjectiveKind kind(Task task) {
        if (objective == null) {
            return task.trainedObjective();
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
            result.fits().ifPresent(fits -> json.put("fits", fits.table().toJsonRows()));
            json.put("selected", result.selected());
            print.println(JsonMapper.shared().writeValueAsString(json));
        } else {
            print.println(result.trials().toText());
            result.fits().ifPresent(fits -> print.println(fits.table().toText()));
            print.printf("selected recipes and pictures, in %s%n", out);
        }
    }
}
