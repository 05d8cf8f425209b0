package org.isoloss.reproduce;

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
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.JudgedAction;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.evaluation.ToleranceScore;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;
import tools.jackson.databind.json.JsonMapper;

/**
 * Chooses recipes as the paper does (appendix {@code app:experimental-pythia-details}): the candidates of a family train for
 * a third of the steps, the best two to the end, and the better one is trained again with fresh seeds, whose test streams
 * nobody has seen.
 *
 * <p>The rule of selection: every candidate trains with each of the seeds of the search and is judged by its {@link
 * ToleranceScore} on their selection streams; the median of the ratios counts, and the candidate with the smallest is
 * better. A fit that diverged has an infinite ratio; of two equal candidates the earlier one is better.
 */
public final class RecipeSearch {
    /** Seeds of the candidates' fits; those of the fits that are reported are others. */
    public static final List<Long> SEEDS = List.of(11L, 12L, 13L, 14L, 15L);

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Path taskFile;
    private final ObjectiveKind objective;
    private final List<RecipeCandidate> candidates;
    private final Budget budget;
    private final List<Long> seeds;
    private final Path out;
    private final FitCache cache;

    /**
     * Begins a search, or goes on with one.
     *
     * @param taskFile the setting
     * @param objective what is trained
     * @param candidates who compete, at least one
     * @param budget steps
     * @param seeds of the candidates' fits, at least one
     * @param out folder of the fits and of their validation
     */
    public RecipeSearch(
            Path taskFile,
            ObjectiveKind objective,
            List<RecipeCandidate> candidates,
            Budget budget,
            List<Long> seeds,
            Path out) {
        if (candidates.isEmpty() || seeds.isEmpty()) {
            throw new IllegalArgumentException("RecipeSearch: %d candidates and seeds %s, expected at least one of each"
                    .formatted(candidates.size(), seeds));
        }
        this.taskFile = taskFile;
        this.objective = objective;
        this.candidates = List.copyOf(candidates);
        this.budget = budget;
        this.seeds = List.copyOf(seeds);
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

        /** Whether it has fewer steps than the paper's, which results then say. */
        boolean isShort() {
            return screening < PAPER.screening || whole < PAPER.whole;
        }

        /**
         * Returns the budget with which more candidates train to the end.
         *
         * @param candidates of a family, at least 1
         * @return the same steps
         */
        public Budget keeping(int candidates) {
            return new Budget(screening, whole, candidates);
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
     * @param scores one for each seed of the search
     */
    public record Trial(RecipeCandidate candidate, int steps, List<ToleranceScore> scores) {
        /** Keeps a list of its own. */
        public Trial {
            scores = List.copyOf(scores);
        }

        /** {@return the median over the seeds of the largest error over its tolerance; infinite where it diverged} */
        public double ratio() {
            return median(ToleranceScore::ratio);
        }

        /** {@return what is largest, most often; of equally often ones the first} */
        public String decisive() {
            Map<String, Long> counts = scores.stream()
                    .collect(
                            Collectors.groupingBy(ToleranceScore::decisive, LinkedHashMap::new, Collectors.counting()));
            return counts.entrySet().stream()
                    .max(Map.Entry.<String, Long>comparingByValue())
                    .map(Map.Entry::getKey)
                    .orElse("");
        }

        /** The median of a measured number; infinite where it is missing, because a fit diverged. */
        double value(String requirement) {
            return median(score -> score.values().getOrDefault(requirement, Double.POSITIVE_INFINITY));
        }

        private double median(ToDoubleFunction<ToleranceScore> number) {
            return Quantiles.of(scores.stream().mapToDouble(number).toArray()).p50();
        }
    }

    /**
     * The outcome.
     *
     * @param seeds of the candidates' fits
     * @param trials screening first, family by family
     * @param winners the best candidate of each family
     */
    public record Selection(List<Long> seeds, List<Trial> trials, List<RecipeCandidate> winners) {
        String seedsInWords() {
            return inWords(seeds);
        }
    }

    /** Seeds in words, such as {@code 11 to 15}. */
    private static String inWords(List<Long> seeds) {
        boolean run = seeds.getLast() - seeds.getFirst() == seeds.size() - 1 && seeds.size() > 2;
        return run
                ? "%d to %d".formatted(seeds.getFirst(), seeds.getLast())
                : seeds.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

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
        List<Trial> trials = trials(candidates, budget.screening(), threads, progress);
        List<RecipeCandidate> better = new ArrayList<>();
        families(trials).values().forEach(family -> better.addAll(best(family, budget.kept())));
        List<Trial> last = trials(better, budget.whole(), threads, progress);
        List<RecipeCandidate> winners = new ArrayList<>();
        families(last).values().forEach(family -> winners.addAll(best(family, 1)));
        List<Trial> all = new ArrayList<>(trials);
        all.addAll(last);
        return new Selection(seeds, all, winners);
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

    private List<Trial> trials(List<RecipeCandidate> tried, int steps, int threads, StudyProgress progress)
            throws IOException, InterruptedException {
        Set<FitRequest> open = new LinkedHashSet<>(); // two candidates may be the same recipe
        for (RecipeCandidate candidate : tried) {
            for (long seed : seeds) {
                FitRequest request = request(candidate, seed);
                if (!Files.exists(validation(request, steps))) {
                    open.add(request);
                }
            }
        }
        cache.advance("search to step %d".formatted(steps), List.copyOf(open), steps, threads, progress);
        List<Trial> trials = new ArrayList<>();
        for (RecipeCandidate candidate : tried) {
            List<ToleranceScore> scores = new ArrayList<>();
            for (long seed : seeds) {
                scores.add(score(request(candidate, seed), steps));
            }
            trials.add(new Trial(candidate, steps, scores));
        }
        return trials;
    }

    private Path validation(FitRequest request, int steps) {
        return request.folder(out).resolve("validation-%d.json".formatted(steps));
    }

    /** The score is kept, because a later state of the fit cannot tell it. */
    private ToleranceScore score(FitRequest request, int steps) throws IOException {
        Path file = validation(request, steps);
        if (Files.exists(file)) {
            return JSON.readValue(Files.readString(file), ToleranceScore.class);
        }
        if (cache.hasDiverged(request)) {
            return new ToleranceScore(Double.POSITIVE_INFINITY, "diverged", Map.of());
        }
        JudgedAction tested = JudgedAction.of(
                cache.actionSoFar(request), cache.setting(request).problem());
        ToleranceScore score = ToleranceScore.of(tested, Streams.SELECTION.stream(request.seed()));
        if (Double.isFinite(score.ratio())) {
            AtomicFile.writeText(file, JSON.writeValueAsString(score) + "\n");
        }
        return score;
    }

    private FitRequest request(RecipeCandidate candidate, long seed) throws IOException {
        Map<String, String> changes = candidate.changes();
        changes.put("recipe.steps", String.valueOf(budget.whole()));
        Task task = TaskFile.read(taskFile, changes).withObjective(objective);
        Path folder = taskFile.toAbsolutePath().getParent();
        return new FitRequest(task.resolved(folder == null ? Path.of("") : folder), seed);
    }

    /**
     * Refuses seeds of fits to be reported that take part in the selection.
     *
     * @param fresh seeds of those fits
     * @throws IllegalArgumentException when one of them selects
     */
    public void requireFresh(List<Long> fresh) {
        if (fresh.stream().anyMatch(seeds::contains)) {
            throw new IllegalArgumentException(
                    "seeds %s choose the recipes; the fits that are reported take others, got %s"
                            .formatted(inWords(seeds), inWords(fresh)));
        }
    }

    /**
     * Trains the winners again, with seeds that had no part in the selection, and puts them through the final tests.
     *
     * @param selection what was selected
     * @param fresh seeds of these fits
     * @param threads fits at the same time, at least 1
     * @param progress told of the steps
     * @return the evaluations of each winner, seed by seed; nothing for a fit that diverged
     * @throws IOException when a file cannot be read or written
     * @throws InterruptedException when the thread is interrupted
     */
    public List<List<Optional<Evaluation>>> fresh(
            Selection selection, List<Long> fresh, int threads, StudyProgress progress)
            throws IOException, InterruptedException {
        requireFresh(fresh);
        List<FitRequest> requests = new ArrayList<>();
        for (RecipeCandidate winner : selection.winners()) {
            for (long seed : fresh) {
                requests.add(request(winner, seed));
            }
        }
        cache.complete("fresh seeds", requests, threads, progress);
        List<List<Optional<Evaluation>>> evaluations = new ArrayList<>();
        for (int winner = 0; winner < selection.winners().size(); winner++) {
            List<Optional<Evaluation>> ofWinner = new ArrayList<>();
            for (int seed = 0; seed < fresh.size(); seed++) {
                ofWinner.add(cache.evaluation(requests.get(winner * fresh.size() + seed)));
            }
            evaluations.add(ofWinner);
        }
        return evaluations;
    }
}
