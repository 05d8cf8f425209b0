package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.commons.csv.CSVRecord;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.report.Figure;
import org.isoloss.report.HtmlPage;
import org.isoloss.report.Provenance;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.task.Task;
import org.isoloss.task.TaskFile;

/**
 * The paper's study: every table and figure from nothing, or from the fits that are there. All results share
 * one {@link FitCache} below the output folder.
 */
public final class Study {
    /** Of the words in training at sites (appendix {@code app:experimental-pythia-details}); the task files have longer ones. */
    private static final String PAPER_SITE_RADIUS = "0.5";

    private static final String FITS = "fits";
    private static final String EVALUATIONS = "evaluations";
    private static final int TRANSFORMER_SEEDS = 3;

    private final Path examples;
    private final Path out;
    private final Protocol protocol;
    private final Map<StudiedModel, Path> models;
    private final FitCache cache;
    private final InstalledFits installed;

    /**
     * Begins a study, or goes on with one.
     *
     * @param examples folder of the task files, one for each setting
     * @param out folder of the results; the fits are below it
     * @param protocol how it is carried out
     */
    public Study(Path examples, Path out, Protocol protocol) {
        this(examples, out, protocol, Map.of());
    }

    /**
     * Begins a study with transformers that do not lie among the examples, or goes on with one.
     *
     * @param examples folder of the task files, one for each setting
     * @param out folder of the results; the fits are below it
     * @param protocol how it is carried out
     * @param models folders of transformers
     */
    public Study(Path examples, Path out, Protocol protocol, Map<StudiedModel, Path> models) {
        this.models = new EnumMap<>(StudiedModel.class);
        this.models.put(StudiedModel.NEOX, examples.resolve(StudiedModel.NEOX.label()));
        this.models.putAll(models);
        this.installed = new InstalledFits(this);
        this.examples = examples;
        this.out = out;
        this.protocol = protocol;
        this.cache = new FitCache(out.resolve(FITS));
    }

    Protocol protocol() {
        return protocol;
    }

    FitCache cache() {
        return cache;
    }

    Path examples() {
        return examples;
    }

    /** Where the finished parts of a study are that has others beside its fits. */
    Path parts(String label) {
        return out.resolve(FITS).resolve(label);
    }

    /** Where the judgements of actions for many batches are. */
    Path batchesFolder() {
        return out.resolve(FITS).resolve("batches");
    }

    InstalledFits installed() {
        return installed;
    }

    /** The settings of the transformers that are there. */
    List<String> sites() {
        return models.keySet().stream()
                .flatMap(model -> model.settings().stream())
                .toList();
    }

    /** The protocol of transformers: of the paper's five seeds the first three. */
    Protocol transformerProtocol() {
        return protocol.seeds().equals(Protocol.FULL.seeds())
                ? protocol.withSeeds(protocol.seeds().subList(0, TRANSFORMER_SEEDS))
                : protocol;
    }

    List<FitRequest> transformerRequests(String setting, ObjectiveKind objective, Variant variant) throws IOException {
        List<FitRequest> requests = new ArrayList<>();
        if (variant.objectives().contains(objective)) {
            for (long seed : transformerProtocol().seeds()) {
                requests.add(request(setting, objective, variant, seed));
            }
        }
        return requests;
    }

    /** The evaluated fits at a site of a transformer, all of them complete. */
    SettingFits transformerFits(String setting, ObjectiveKind objective, Variant variant) throws IOException {
        List<Optional<Evaluation>> evaluations = new ArrayList<>();
        for (FitRequest request : transformerRequests(setting, objective, variant)) {
            evaluations.add(cache.evaluation(request));
        }
        return new SettingFits(setting, objective, variant, evaluations);
    }

    /** What one fit of a setting asks for. */
    FitRequest request(String setting, ObjectiveKind objective, Variant variant, long seed) throws IOException {
        Map<String, String> changes = new LinkedHashMap<>(variant.changes());
        if (variant.equals(Variant.PAPER) && !StudiedModel.of(setting).isEmpty()) {
            changes.put("recipe.radius", PAPER_SITE_RADIUS);
        }
        changes.putAll(SelectedRecipes.in(examples).changes(variant, objective, setting));
        changes.putAll(protocol.changes());
        for (StudiedModel model : StudiedModel.of(setting)) {
            Path folder = models.get(model);
            if (folder != null) {
                changes.put(
                        "network.transformer",
                        "'%s'"
                                .formatted(folder.toAbsolutePath()
                                        .normalize()
                                        .toString()
                                        .replace("'", "''")));
            }
        }
        Task task = TaskFile.read(examples.resolve(setting + ".yaml"), changes)
                .withObjective(objective)
                .resolved(examples);
        return new FitRequest(task, seed);
    }

    List<FitRequest> requests(String setting, ObjectiveKind objective, Variant variant) throws IOException {
        List<FitRequest> requests = new ArrayList<>();
        if (variant.objectives().contains(objective)) {
            for (long seed : protocol.seeds()) {
                requests.add(request(setting, objective, variant, seed));
            }
        }
        return requests;
    }

    /** The hybrid fits of some settings in every variant. */
    List<FitRequest> hybrid(List<String> settings) throws IOException {
        List<FitRequest> requests = new ArrayList<>();
        for (String setting : settings) {
            for (Variant variant : protocol.variants()) {
                requests.addAll(requests(setting, ObjectiveKind.HYBRID, variant));
            }
        }
        return requests;
    }

    /** The evaluated fits of a setting, all of them complete. */
    SettingFits fits(String setting, ObjectiveKind objective, Variant variant) throws IOException {
        List<Optional<Evaluation>> evaluations = new ArrayList<>();
        for (FitRequest request : requests(setting, objective, variant)) {
            evaluations.add(cache.evaluation(request));
        }
        return new SettingFits(setting, objective, variant, evaluations);
    }

    /** The objective that a row of the paper names. */
    static ObjectiveKind objective(CSVRecord row) {
        return ObjectiveKind.valueOf(row.get("objective").toUpperCase(Locale.ROOT));
    }

    /**
     * Makes results: trains what is missing, then writes each table as {@code .txt}, {@code .csv}, {@code .json} and
     * {@code .tex} and each figure as {@code .svg} and {@code .csv}, one page with all of them, and below {@code evaluations}
     * what was measured of each fit.
     *
     * @param targets what to make
     * @param threads fits at the same time, at least 1
     * @param progress told of the steps
     * @param provenance of the results
     * @return everything that was made, in the order of the targets
     * @throws IOException when a file cannot be read or written
     * @throws InterruptedException when the thread is interrupted
     */
    public Made make(List<PaperResult> targets, int threads, StudyProgress progress, Provenance provenance)
            throws IOException, InterruptedException {
        List<FitRequest> needed = needs(targets);
        cache.complete(targets.size() == 1 ? targets.getFirst().label() : "fits", needed, threads, progress);
        Files.createDirectories(out);
        cache.copyEvaluations(needed, out.resolve(EVALUATIONS));
        Made all = new Made(List.of(), List.of());
        HtmlPage page = HtmlPage.of(
                "The paper's %s%s"
                        .formatted(
                                targets.stream().anyMatch(PaperResult::onTransformers)
                                        ? "study"
                                        : "small-network study",
                                protocol.quick() ? ", quick" : ""),
                "Each number stands beside the paper's own and the ratio of the two; carried out with %s."
                        .formatted(protocol.words()));
        for (PaperResult target : targets) {
            Made made = target.make(this, new Work(threads, progress));
            page.section(target.title());
            for (ComparedTable table : made.tables()) {
                table.write(out);
                page.table(table.table());
            }
            for (Figure figure : made.figures()) {
                figure.write(out);
                page.figure(figure);
            }
            all = all.and(made);
        }
        String name = targets.size() == 1 ? targets.getFirst().label() : pageName(targets);
        provenance.write(out.resolve("provenance-%s.json".formatted(name))); // several commands may share the folder
        page.howToRepeat(provenance).write(out.resolve(name + ".html"));
        return all;
    }

    private static String pageName(List<PaperResult> targets) {
        if (targets.stream().noneMatch(PaperResult::onTransformers)) {
            return "small";
        }
        return targets.stream().allMatch(PaperResult::onTransformers) ? "transformers" : "all";
    }

    /**
     * Tells how many of the fits diverged.
     *
     * @param targets what was made
     * @return fits without a result
     * @throws IOException when a task cannot be read
     */
    public int diverged(List<PaperResult> targets) throws IOException {
        return (int)
                needs(targets).stream().distinct().filter(cache::hasDiverged).count();
    }

    /**
     * Returns the seeds of the fits.
     *
     * @param targets what is to be made
     * @return in ascending order; those of the protocol where no fit is needed
     * @throws IOException when a task cannot be read
     */
    public List<Long> seeds(List<PaperResult> targets) throws IOException {
        List<FitRequest> needed = needs(targets);
        return needed.isEmpty()
                ? protocol.seeds()
                : needed.stream().map(FitRequest::seed).distinct().sorted().toList();
    }

    private List<FitRequest> needs(List<PaperResult> targets) throws IOException {
        List<FitRequest> needed = new ArrayList<>();
        for (PaperResult target : targets) {
            needed.addAll(target.needs(this));
        }
        return needed;
    }
}
