package org.isoloss.study;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.FiniteActionTests;
import org.isoloss.evaluation.Requirement;
import org.isoloss.evaluation.TestGrid;
import org.isoloss.evaluation.TestedAction;
import org.isoloss.evaluation.Tolerances;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import tools.jackson.databind.json.JsonMapper;

/**
 * Chooses recipes as the paper does (appendix {@code app:experimental-pythia-details}): the candidates of a family train for
 * a third of the steps, the best two to the end, and the better one is trained again with fresh seeds, whose test streams
 * nobody has seen.
 *
 * <p>The rule of selection: of the errors on the validation stream of the search, each over its tolerance, the largest
 * counts, and the candidate with the smallest such ratio is better. Motion counts only where it is less than it has to be,
 * as the least motion over the motion: more than enough is no merit. Where a candidate diverged its ratio is infinite;
 * where two are equal the earlier one is better.
 */
public final class RecipeSearch {
    /** Seed of every candidate's fit; those of the fits that are reported are others. */
    public static final long SEED = 11;

    private static final TestGrid VALIDATION = new TestGrid(List.of(FitTables.RADIUS), List.of(1, 2), 128);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path taskFile;
    private final ObjectiveKind objective;
    private final Budget budget;
    private final Path out;
    private final FitCache cache;

    /**
     * Begins a search, or goes on with one.
     *
     * @param taskFile the setting
     * @param objective what is trained
     * @param budget steps
     * @param out folder of the fits and of their validation
     */
    public RecipeSearch(Path taskFile, ObjectiveKind objective, Budget budget, Path out) {
        this.taskFile = taskFile;
        this.objective = objective;
        this.budget = budget;
        this.out = out.resolve("fits");
        this.cache = new FitCache(this.out);
    }

    /**
     * How long candidates train.
     *
     * @param screening steps of every candidate, at least 1
     * @param whole steps of the fits, more than in the screening; the schedule of the rate goes by these
     * @param kept candidates of a family that train to the end, at least 1
     */
    public record Budget(int screening, int whole, int kept) {
        /** The paper's. */
        public static final Budget PAPER = new Budget(5_000, 15_000, 2);

        /** Refuses a search that selects nothing. */
        public Budget {
            if (screening < 1 || whole <= screening || kept < 1) {
                throw new IllegalArgumentException(
                        "RecipeSearch: screening %d, whole %d, kept %d; expected 1 <= screening < whole and at least one kept"
                                .formatted(screening, whole, kept));
            }
        }

        /** Whether it is less than the paper's, which results then say. */
        boolean isShort() {
            return !equals(PAPER);
        }

        /**
         * Returns the short form.
         *
         * @param share of the steps, above 0, at most 1
         * @return fewer steps of each kind
         */
        public Budget times(double share) {
            if (!(share > 0 && share <= 1)) {
                throw new IllegalArgumentException(
                        "the budget is %s, expected a share of the whole search above 0, at most 1".formatted(share));
            }
            int shortened = (int) Math.max(1, Math.round(screening * share));
            return new Budget(shortened, (int) Math.max(shortened + 1, Math.round(whole * share)), kept);
        }
    }

    /**
     * What validation says of a candidate.
     *
     * @param candidate the recipe
     * @param steps done
     * @param ratio the largest error over its tolerance; infinite where it diverged
     * @param decisive what is largest
     * @param values every error and the motion; empty where it diverged
     */
    public record Trial(
            RecipeCandidate candidate, int steps, double ratio, String decisive, Map<String, Double> values) {}

    /** What is kept of a trial, because a later state of the fit cannot tell. */
    private record Kept(double ratio, String decisive, Map<String, Double> values) {}

    /**
     * The outcome.
     *
     * @param trials screening first, family by family
     * @param winners the best candidate of each family
     */
    public record Selection(List<Trial> trials, List<RecipeCandidate> winners) {}

    /**
     * Trains and judges the candidates.
     *
     * @param threads fits at the same time, at least 1
     * @param progress told of the steps
     * @return who wins
     * @throws IOException when a file cannot be read or written
     * @throws InterruptedException when the thread is interrupted
     */
    public Selection select(int threads, StudyProgress progress) throws IOException, InterruptedException {
        List<Trial> trials = trials(RecipeCandidate.of(objective), budget.screening(), threads, progress);
        List<RecipeCandidate> better = new ArrayList<>();
        families(trials).values().forEach(family -> better.addAll(best(family, budget.kept())));
        List<Trial> last = trials(better, budget.whole(), threads, progress);
        List<RecipeCandidate> winners = new ArrayList<>();
        families(last).values().forEach(family -> winners.addAll(best(family, 1)));
        List<Trial> all = new ArrayList<>(trials);
        all.addAll(last);
        return new Selection(all, winners);
    }

    private static Map<Variant, List<Trial>> families(List<Trial> trials) {
        Map<Variant, List<Trial>> families = new LinkedHashMap<>();
        trials.forEach(trial -> families.computeIfAbsent(trial.candidate().variant(), variant -> new ArrayList<>())
                .add(trial));
        return families;
    }

    private static List<RecipeCandidate> best(List<Trial> family, int count) {
        return family.stream()
                .sorted(Comparator.comparingDouble(Trial::ratio))
                .limit(count)
                .map(Trial::candidate)
                .toList();
    }

    private List<Trial> trials(List<RecipeCandidate> candidates, int steps, int threads, StudyProgress progress)
            throws IOException, InterruptedException {
        List<FitRequest> requests = new ArrayList<>();
        Set<FitRequest> open = new LinkedHashSet<>(); // two candidates may be the same recipe
        for (RecipeCandidate candidate : candidates) {
            FitRequest request = request(candidate, SEED);
            requests.add(request);
            if (!Files.exists(validation(request, steps))) {
                open.add(request);
            }
        }
        cache.advance("search to step %d".formatted(steps), List.copyOf(open), steps, threads, progress);
        List<Trial> trials = new ArrayList<>();
        for (int i = 0; i < candidates.size(); i++) {
            Kept kept = judged(requests.get(i), steps);
            trials.add(new Trial(candidates.get(i), steps, kept.ratio, kept.decisive, kept.values));
        }
        return trials;
    }

    private Path validation(FitRequest request, int steps) {
        return request.folder(out).resolve("validation-%d.json".formatted(steps));
    }

    private Kept judged(FitRequest request, int steps) throws IOException {
        Path file = validation(request, steps);
        if (Files.exists(file)) {
            return JSON.readValue(Files.readString(file), Kept.class);
        }
        if (cache.hasDiverged(request)) {
            return new Kept(Double.POSITIVE_INFINITY, "diverged", Map.of());
        }
        TestedAction tested = TestedAction.of(
                cache.actionSoFar(request), cache.setting(request).problem());
        Kept kept =
                kept(Tolerances.PAPER.judge(FiniteActionTests.run(tested, VALIDATION, Streams.SELECTION.stream(SEED))));
        if (Double.isFinite(kept.ratio)) {
            AtomicFile.writeText(file, JSON.writeValueAsString(kept) + "\n");
        }
        return kept;
    }

    private static Kept kept(Map<String, Requirement> judged) {
        Map<String, Double> values = new TreeMap<>();
        double largest = 0;
        String decisive = "";
        for (Map.Entry<String, Requirement> one : judged.entrySet()) {
            Requirement requirement = one.getValue();
            values.put(one.getKey(), requirement.value());
            double ratio = ratio(requirement);
            if (ratio > largest) {
                largest = ratio;
                decisive = one.getKey();
            }
        }
        return new Kept(largest, decisive, values);
    }

    /** How much of its tolerance an error takes up, and by what factor a least value is missed; 0 where it is not. */
    static double ratio(Requirement requirement) {
        if (requirement.bound() == Requirement.Bound.AT_LEAST && requirement.met()) {
            return 0;
        }
        double ratio = requirement.bound() == Requirement.Bound.AT_MOST
                ? requirement.value() / requirement.limit()
                : requirement.limit() / requirement.value();
        return Double.isNaN(ratio) || ratio < 0 ? Double.POSITIVE_INFINITY : ratio;
    }

    private FitRequest request(RecipeCandidate candidate, long seed) throws IOException {
        Map<String, String> changes = candidate.changes();
        changes.put("recipe.steps", String.valueOf(budget.whole()));
        Task task = TaskFile.read(taskFile, changes).withObjective(objective);
        Path folder = taskFile.toAbsolutePath().getParent();
        return new FitRequest(task.resolved(folder == null ? Path.of("") : folder), seed);
    }

    /**
     * Trains the winners again, with seeds that had no part in the selection, and puts them through the final tests.
     *
     * @param selection what was selected
     * @param seeds fresh ones
     * @param threads fits at the same time, at least 1
     * @param progress told of the steps
     * @return the evaluations of each winner, seed by seed; nothing for a fit that diverged
     * @throws IOException when a file cannot be read or written
     * @throws InterruptedException when the thread is interrupted
     */
    public List<List<Optional<Evaluation>>> fresh(
            Selection selection, List<Long> seeds, int threads, StudyProgress progress)
            throws IOException, InterruptedException {
        if (seeds.contains(SEED)) {
            throw new IllegalArgumentException(
                    "seed %d chose the recipes; the fits that are reported take others".formatted(SEED));
        }
        List<FitRequest> requests = new ArrayList<>();
        for (RecipeCandidate winner : selection.winners()) {
            for (long seed : seeds) {
                requests.add(request(winner, seed));
            }
        }
        cache.complete("fresh seeds", requests, threads, progress);
        List<List<Optional<Evaluation>>> evaluations = new ArrayList<>();
        for (int winner = 0; winner < selection.winners().size(); winner++) {
            List<Optional<Evaluation>> ofWinner = new ArrayList<>();
            for (int seed = 0; seed < seeds.size(); seed++) {
                ofWinner.add(cache.evaluation(requests.get(winner * seeds.size() + seed)));
            }
            evaluations.add(ofWinner);
        }
        return evaluations;
    }
}
