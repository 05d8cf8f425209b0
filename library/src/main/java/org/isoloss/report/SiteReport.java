package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.isoloss.task.SiteSurvey;
import org.isoloss.task.SiteSurvey.Choice;
import org.jspecify.annotations.Nullable;

/**
 * Where in a transformer units can move and others compensate: a table over layers, and pictures of conditioning and
 * sensitivity.
 *
 * @param name of the model
 * @param tokens number of protected tokens
 * @param surveys one a layer, at least one
 */
public record SiteReport(String name, int tokens, List<SiteSurvey> surveys) {
    /** Copies the lists. */
    public SiteReport {
        surveys = List.copyOf(surveys);
    }

    /** {@return the table: one row a layer} */
    public Table table() {
        Table table = Table.of(
                "%s: feed-forward sites on %d protected tokens".formatted(name, tokens),
                Column.count("layer", "Layer"),
                Column.count("rank", "Rank"),
                Column.fixed("condition", "Condition", 1),
                Column.fixed("scaled_condition", "Scaled", 1),
                Column.text("moving", "Moves"),
                Column.fixed("contribution", "Contribution", 3),
                Column.fixed("sensitivity", "Sensitivity", 3),
                Column.percent("first_token_share", "Token 0", 0),
                Column.text("site", "Site"),
                Column.text("compensators", "Compensators"));
        for (SiteSurvey survey : surveys) {
            Choice choice = survey.choice().orElse(null);
            table = table.row(
                    survey.layer(),
                    survey.rank(),
                    choice == null ? null : choice.condition(),
                    choice == null ? null : choice.scaledCondition(),
                    choice == null ? "" : Integer.toString(choice.moving()),
                    choice == null ? null : choice.contribution(),
                    choice == null ? null : choice.sensitivity(),
                    survey.firstTokenShare(),
                    survey.possible() ? "yes" : "no",
                    choice == null ? "" : listed(choice.compensators()));
        }
        return table;
    }

    private static String listed(List<Integer> units) {
        return units.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** {@return why layers have no site, one line a layer without one} */
    public List<String> reasons() {
        return surveys.stream()
                .filter(survey -> !survey.possible())
                .map(survey -> "layer %d: %s".formatted(survey.layer(), survey.reason()))
                .toList();
    }

    /** {@return everything that was measured, one object a layer, the units that compensate among them} */
    public List<Map<String, @Nullable Object>> json() {
        List<Map<String, @Nullable Object>> layers = new ArrayList<>();
        for (SiteSurvey survey : surveys) {
            Map<String, @Nullable Object> layer = new LinkedHashMap<>();
            layer.put("layer", survey.layer());
            layer.put("possible", survey.possible());
            layer.put("reason", survey.reason());
            layer.put("rank", survey.rank());
            layer.put("first_token_share", survey.firstTokenShare());
            survey.choice().ifPresent(choice -> {
                layer.put("condition", choice.condition());
                layer.put("scaled_condition", choice.scaledCondition());
                layer.put("compensators", choice.compensators());
                layer.put("moving", choice.moving());
                layer.put("contribution", choice.contribution());
                layer.put("sensitivity", choice.sensitivity());
                layer.put("effect", choice.effect());
            });
            layers.add(layer);
        }
        return layers;
    }

    /**
     * Draws the layers that have the units.
     *
     * @return conditioning, and sensitivity; nothing where no layer has any
     */
    public List<Figure> figures() {
        if (surveys.stream().allMatch(survey -> survey.choice().isEmpty())) {
            return List.of();
        }
        Axis layers = Axis.linear("layer", "");
        return List.of(
                new Figure(
                        "sites-condition",
                        "Compensating units of %s".formatted(name),
                        "Condition number of the features of the compensating units on the %d protected tokens, as they are and with each token's column scaled to norm 1, by which compensation is solved. Above 1e4 a site is refused."
                                .formatted(tokens),
                        LineChart.of(
                                layers,
                                Axis.log("condition number", ""),
                                series("as they are", Choice::condition),
                                series("token columns of norm 1", Choice::scaledCondition))),
                new Figure(
                        "sites-sensitivity",
                        "Moving units of %s".formatted(name),
                        "What a step of one root-mean-square weight does at least to the contribution of the moving unit, relative to its norm. Below %.0e it moves without effect."
                                .formatted(SiteSurvey.LEAST_EFFECT),
                        LineChart.of(
                                layers,
                                Axis.log("least relative change per weight step", ""),
                                series("moving unit", choice -> Math.max(choice.effect(), 1e-12)))));
    }

    private Series series(String label, ToDoubleFunction<Choice> value) {
        List<SiteSurvey> with =
                surveys.stream().filter(survey -> survey.choice().isPresent()).toList();
        return Series.of(
                label,
                Series.Style.LINE,
                with.stream().mapToDouble(SiteSurvey::layer).toArray(),
                with.stream()
                        .mapToDouble(
                                survey -> value.applyAsDouble(survey.choice().orElseThrow()))
                        .toArray());
    }

    /**
     * Writes {@code report.html}, and table and pictures as files.
     *
     * @param folder made if need be
     * @param provenance of the survey
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        HtmlPage page = HtmlPage.of(
                "Feed-forward sites of %s".formatted(name),
                "In %d of %d blocks one unit can move while %d others keep the outputs on the %d protected tokens."
                        .formatted(
                                surveys.stream().filter(SiteSurvey::possible).count(), surveys.size(), tokens, tokens));
        EarlierFiles.remove(folder, FigureFiles.glob("figures/sites-*")); // no site, no picture
        page.table("sites", table());
        figures().forEach(page::figure);
        page.save(folder, provenance);
        provenance.write(folder.resolve("provenance.json"));
    }
}
