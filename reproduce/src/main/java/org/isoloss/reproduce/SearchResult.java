package org.isoloss.reproduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.isoloss.checkpoint.AtomicFile;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.ToleranceScore;
import org.isoloss.report.Axis;
import org.isoloss.report.Column;
import org.isoloss.report.EarlierFiles;
import org.isoloss.report.Figure;
import org.isoloss.report.FigureFiles;
import org.isoloss.report.HtmlPage;
import org.isoloss.report.LineChart;
import org.isoloss.report.Provenance;
import org.isoloss.report.Series;
import org.isoloss.report.Table;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a {@link RecipeSearch} found, for readers: every trial, pictures of them, and, where they were made, the winners' fits
 * with fresh seeds beside the paper's numbers.
 *
 * @param trials one row each
 * @param fits one row for each winner; nothing where the search ended with the selection
 * @param pictures ratios over steps, one for each family of which a recipe did not diverge
 * @param selected the winners' recipes, as {@code recipes/selected.yaml} takes them
 */
public record SearchResult(Table trials, Optional<ComparedTable> fits, List<Figure> pictures, String selected) {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /**
     * Arranges what was selected.
     *
     * @param setting name of the task
     * @param objective what was trained
     * @param selection trials and winners
     * @return tables and pictures
     */
    public static SearchResult of(String setting, ObjectiveKind objective, RecipeSearch.Selection selection) {
        return new SearchResult(
                trials(setting, objective, selection),
                Optional.empty(),
                pictures(setting, objective, selection),
                selected(setting, objective, selection));
    }

    /**
     * Adds the winners' fits.
     *
     * @param setting name of the task
     * @param objective what was trained
     * @param selection trials and winners
     * @param evaluations of the winners' fits
     * @param seeds of those
     * @param budget steps
     * @return the same trials, with the table of fits
     */
    public SearchResult with(
            String setting,
            ObjectiveKind objective,
            RecipeSearch.Selection selection,
            List<List<Optional<Evaluation>>> evaluations,
            List<Long> seeds,
            RecipeSearch.Budget budget) {
        Protocol protocol = new Protocol(
                seeds,
                budget.isShort(),
                Map.of("recipe.steps", String.valueOf(budget.whole())),
                selection.winners().stream().map(RecipeCandidate::variant).toList());
        return new SearchResult(
                trials, Optional.of(fits(setting, objective, selection, evaluations, protocol)), pictures, selected);
    }

    private static Table trials(String setting, ObjectiveKind objective, RecipeSearch.Selection selection) {
        Table table = Table.of(
                "Recipes tried on %s, %s objective: the largest error over its tolerance decides, median over the selection streams of seeds %s"
                        .formatted(setting, SettingFits.label(objective), selection.seedsInWords()),
                Column.text("family", "Family"),
                Column.text("recipe", "Recipe"),
                Column.count("steps", "Steps"),
                Column.scientific("output", "Output", 2),
                Column.scientific("composition", "Composition", 2),
                Column.scientific("inverse", "Inverse", 2),
                Column.ratio("ratio", "Largest ratio", 3),
                Column.text("decisive", "of"),
                Column.ratio("least", "Least seed", 3),
                Column.ratio("largest", "Largest seed", 3));
        for (RecipeSearch.Trial trial : selection.trials()) {
            DoubleSummaryStatistics ratios =
                    trial.scores().stream().mapToDouble(ToleranceScore::ratio).summaryStatistics();
            table = table.row(
                    trial.candidate().variant().name(),
                    trial.candidate().name(),
                    trial.steps(),
                    trial.value("output"),
                    trial.value("composition"),
                    trial.value("inverse"),
                    trial.ratio(),
                    trial.decisive(),
                    ratios.getMin(),
                    ratios.getMax());
        }
        return table;
    }

    private static ComparedTable fits(
            String setting,
            ObjectiveKind objective,
            RecipeSearch.Selection selection,
            List<List<Optional<Evaluation>>> evaluations,
            Protocol protocol) {
        List<SettingFits> rows = new ArrayList<>();
        for (int winner = 0; winner < selection.winners().size(); winner++) {
            rows.add(new SettingFits(
                    setting, objective, selection.winners().get(winner).variant(), evaluations.get(winner)));
        }
        return FitTables.searched(rows, protocol);
    }

    /** One for each family, so that every line keeps a style of its own. */
    private static List<Figure> pictures(String setting, ObjectiveKind objective, RecipeSearch.Selection selection) {
        Map<Variant, List<Series>> families = new LinkedHashMap<>();
        Set<RecipeCandidate> candidates = new LinkedHashSet<>();
        selection.trials().forEach(trial -> candidates.add(trial.candidate()));
        for (RecipeCandidate candidate : candidates) {
            line(candidate, selection)
                    .ifPresent(line -> families.computeIfAbsent(candidate.variant(), family -> new ArrayList<>())
                            .add(line));
        }
        List<Figure> pictures = new ArrayList<>();
        families.forEach((family, lines) -> pictures.add(picture(setting, objective, family, lines)));
        return pictures;
    }

    private static Optional<Series> line(RecipeCandidate candidate, RecipeSearch.Selection selection) {
        List<RecipeSearch.Trial> its = selection.trials().stream()
                .filter(trial -> trial.candidate().equals(candidate) && Double.isFinite(trial.ratio()))
                .toList();
        return its.isEmpty()
                ? Optional.empty()
                : Optional.of(Series.of(
                        candidate.name(),
                        Series.Style.LINE,
                        its.stream().mapToDouble(RecipeSearch.Trial::steps).toArray(),
                        its.stream().mapToDouble(RecipeSearch.Trial::ratio).toArray()));
    }

    private static Figure picture(String setting, ObjectiveKind objective, Variant family, List<Series> lines) {
        return new Figure(
                "search-" + family.name(),
                "%s, %s objective: recipes of the family '%s'"
                        .formatted(setting, SettingFits.label(objective), family.name()),
                "The largest error over its tolerance, median over the selection seeds, for each recipe after the screening and, for the best, at the end. Below 1 every tolerance is met.",
                new LineChart(
                        Axis.linear("optimiser steps", ""), Axis.log("largest error over its tolerance", ""), lines));
    }

    private static String selected(String setting, ObjectiveKind objective, RecipeSearch.Selection selection) {
        StringBuilder yaml = new StringBuilder();
        for (RecipeCandidate winner : selection.winners()) {
            yaml.append(
                    "%s:%n  %s:%n    %s:%n".formatted(winner.variant().name(), SettingFits.label(objective), setting));
            winner.recipe().entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(change -> yaml.append("      %s: %s%n".formatted(change.getKey(), change.getValue())));
        }
        return yaml.toString();
    }

    /** The trials for a program. */
    private String json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("table", "search");
        json.put("caption", trials.caption());
        json.put("rows", trials.toJsonRows());
        return JSON.writeValueAsString(json) + "\n";
    }

    /**
     * Writes everything.
     *
     * @param folder made where it is missing
     * @param provenance of the search
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        Files.createDirectories(folder);
        EarlierFiles.remove(folder, FigureFiles.glob("search-*")); // of families that are not tried this time
        trials.write(folder, "search");
        AtomicFile.writeText(folder.resolve("search.txt"), trials.toText());
        AtomicFile.writeText(folder.resolve("search.json"), json());
        if (fits.isPresent()) {
            fits.get().write(folder);
        }
        for (Figure picture : pictures) {
            picture.write(folder);
        }
        AtomicFile.writeText(folder.resolve("selected.yaml"), selected);
        provenance.write(folder.resolve("provenance.json"));
        HtmlPage page = HtmlPage.of("Search for a recipe", trials.caption());
        fits.ifPresent(
                table -> page.section("Winners, trained again with fresh seeds").table(table.table()));
        page.section("All trials");
        pictures.forEach(page::figure);
        page.table(trials).howToRepeat(provenance).write(folder.resolve("search.html"));
    }
}
