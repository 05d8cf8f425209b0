package org.isoloss.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Orbits;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.DenseNetwork;
import org.isoloss.report.Axis;
import org.isoloss.report.BarChart;
import org.isoloss.report.Column;
import org.isoloss.report.EditTable;
import org.isoloss.report.Figure;
import org.isoloss.report.GreyImages;
import org.isoloss.report.HtmlPage;
import org.isoloss.report.HtmlPage.KeyFigure;
import org.isoloss.report.Provenance;
import org.isoloss.report.RunPage;
import org.isoloss.report.Table;
import org.isoloss.report.Verdict;
import org.isoloss.task.DenseSetting;
import org.isoloss.task.InputTable;
import org.isoloss.task.WeightEdit;

/** What the demonstration found, as a table, as JSON and as a page. */
final class DemoResult {
    private static final int PIXELS = 8;

    private final DenseSetting setting;
    private final Evaluation evaluation;
    private final WeightEdit edit;
    private final double coefficient;
    private final double[] protectedDrift;
    private final double[] otherDrift;
    private final double accuracyBefore;
    private final double accuracyAfter;

    private DemoResult(
            DenseSetting setting, Evaluation evaluation, WeightEdit edit, InputTable test, double coefficient) {
        this.setting = setting;
        this.evaluation = evaluation;
        this.edit = edit;
        this.coefficient = coefficient;
        protectedDrift = edit.relativeDrift(setting.inputs());
        otherDrift = edit.relativeDrift(setting.freshInputs().orElseThrow());
        List<Integer> labels = test.labels().orElseThrow();
        accuracyBefore = WeightEdit.accuracy(edit.before(), test.inputs(), labels);
        accuracyAfter = WeightEdit.accuracy(edit.after(), test.inputs(), labels);
    }

    static DemoResult of(
            DenseSetting setting, Evaluation evaluation, WeightEdit edit, InputTable test, double coefficient) {
        return new DemoResult(setting, evaluation, edit, test, coefficient);
    }

    double[] protectedDrift() {
        return protectedDrift.clone();
    }

    private double largestProtected() {
        return Arrays.stream(protectedDrift).max().orElseThrow();
    }

    private double medianOthers() {
        return ApplyCommand.median(otherDrift);
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("fit", evaluation.fits());
        json.put("protected", Map.of("max_relative", largestProtected()));
        json.put("others", Map.of("median_relative", medianOthers()));
        Map<String, Object> accuracy = new LinkedHashMap<>();
        accuracy.put("before", accuracyBefore);
        accuracy.put("after", accuracyAfter);
        json.put("accuracy", accuracy);
        json.put("weights_moved", edit.report().changed());
        return json;
    }

    Table summary() {
        return Table.of(
                        "A symmetry of the trained digits network, applied at t = %s".formatted(coefficient),
                        Column.text("what", "What"),
                        Column.text("value", "Value"))
                .row(
                        "every tolerance met",
                        evaluation.fits() ? "yes" : "no: " + String.join(", ", Verdict.misses(evaluation)))
                .row(
                        "weights moved",
                        "%d, in %d tensors".formatted(edit.report().changed(), touched()))
                .row(
                        "%d protected images: largest change of the logits".formatted(protectedDrift.length),
                        "%.2e of their norm".formatted(largestProtected()))
                .row(
                        "%d other test images: median change of the logits".formatted(otherDrift.length),
                        "%.2e of their norm".formatted(medianOthers()))
                .row("accuracy on all test images, before", "%.2f %%".formatted(100 * accuracyBefore))
                .row("accuracy on all test images, after", "%.2f %%".formatted(100 * accuracyAfter));
    }

    private long touched() {
        return edit.report().tensors().stream()
                .filter(tensor -> tensor.changed() > 0)
                .count();
    }

    /** Writes {@code report.html}, and figures and tables beside it. */
    void write(Path out, Provenance provenance) throws IOException {
        List<Figure> figures = figures();
        HtmlPage page = HtmlPage.of(
                "A symmetry of a trained digits network",
                "One hidden unit of a trained classifier was moved and %d others compensate: the logits of %d protected images stay, and nothing else was asked to."
                        .formatted(setting.inputs().rows(), protectedDrift.length));
        page.keyFigures(List.of(
                new KeyFigure("%.1e".formatted(largestProtected()), "largest change on protected images"),
                new KeyFigure("%.1e".formatted(medianOthers()), "median change on other images"),
                new KeyFigure(Long.toString(edit.report().changed()), "weights moved"),
                new KeyFigure(evaluation.fits() ? "yes" : "no", "every tolerance met")));
        page.section("What was found").table(summary()).figure(figures.get(2)).figure(figures.get(3));
        page.section("Is it exact?")
                .table(RunPage.requirements(evaluation))
                .figure(figures.get(0))
                .figure(figures.get(1))
                .table(RunPage.cells(evaluation));
        page.section("What was written").table(EditTable.of(edit.report()));
        page.howToRepeat(provenance).write(out.resolve("report.html"));
        for (Figure figure : figures) {
            figure.write(out.resolve("figures"));
        }
        summary().write(out.resolve("tables"), "summary");
        RunPage.requirements(evaluation).write(out.resolve("tables"), "tolerances");
        RunPage.cells(evaluation).write(out.resolve("tables"), "evaluation");
    }

    private List<Figure> figures() {
        Orbits orbits = evaluation.orbits().getFirst();
        List<Figure> figures = new ArrayList<>();
        figures.add(RunPage.drift(evaluation));
        figures.add(RunPage.contributions(orbits.contributions().orElseThrow(), orbits.times()));
        Matrix image = Matrix.over(PIXELS, PIXELS, setting.inputs().row(0));
        figures.add(new Figure(
                "digit",
                "A protected image",
                "The first of the protected test images, %d x %d pixels.".formatted(PIXELS, PIXELS),
                new GreyImages(0, 1, List.of(new GreyImages.Picture("protected image 1", image)))));
        List<String> digits = List.of("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
        Map<String, double[]> logits = new LinkedHashMap<>();
        logits.put("before", logits(edit.before()));
        logits.put("after", logits(edit.after()));
        figures.add(new Figure(
                "logits",
                "Its logits before and after the edit",
                "The ten outputs for this image by the trained network and by the edited one: no bar moves visibly.",
                new BarChart("digit", Axis.linear("logit", ""), digits, logits)));
        return figures;
    }

    private double[] logits(DenseNetwork network) {
        return network.outputs(network.parameters(), setting.inputs().rows(0, 1))
                .row(0);
    }
}
