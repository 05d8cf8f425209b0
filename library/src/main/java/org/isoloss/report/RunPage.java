package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.isoloss.evaluation.BoundCheck;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Orbits;
import org.isoloss.evaluation.Requirement;
import org.isoloss.evaluation.TestCell;

/** What the pages of a run have in common: the figures and tables of an evaluation. */
public final class RunPage {
    /** What depends on the options of the evaluation, or on the action. */
    private static final String[] OPTIONAL = {
        "figures/{contributions,bounds,bounds-output,bounds-composition,yardstick}.{svg,csv}",
        "tables/{bounds,constants,algebra,yardstick}.{csv,tex}"
    };

    private RunPage() {}

    /**
     * Returns the figures of an evaluation.
     *
     * @param evaluation with curves
     * @return the drift, and for a site the opposing contributions
     */
    public static List<Figure> figures(Evaluation evaluation) {
        Orbits orbits = evaluation.orbits().getFirst();
        List<Figure> figures = new ArrayList<>(List.of(drift(evaluation)));
        orbits.contributions().ifPresent(parts -> figures.add(contributions(parts, orbits.times())));
        return figures;
    }

    /**
     * Writes {@code report.html}, {@code figures/} and {@code tables/} of one evaluated run.
     *
     * @param name of the setting
     * @param evaluation what was measured
     * @param provenance where it came from
     * @param folder of the run
     * @throws IOException when a file cannot be written
     */
    public static void write(String name, Evaluation evaluation, Provenance provenance, Path folder)
            throws IOException {
        EarlierFiles.remove(folder, OPTIONAL);
        TestCell cell = evaluation.cell(0.5, 1);
        HtmlPage page = HtmlPage.of(
                "A learned symmetry: %s".formatted(name),
                evaluation.fits()
                        ? "The learned action meets every tolerance: it moves the parameters, keeps the outputs, and composes like a group."
                        : "The learned action misses a tolerance: %s."
                                .formatted(String.join("; ", Verdict.misses(evaluation))));
        page.keyFigures(List.of(
                new HtmlPage.KeyFigure("%.1e".formatted(cell.output().p95()), "output error, 95th percentile"),
                new HtmlPage.KeyFigure("%.1e".formatted(cell.composition().p95()), "composition error"),
                new HtmlPage.KeyFigure("%.1f %%".formatted(cell.motionPercent().p50()), "median motion of the weights"),
                new HtmlPage.KeyFigure(evaluation.fits() ? "yes" : "no", "every tolerance met")));
        page.section("Is it exact?").table(requirements(evaluation));
        Verdict.advice(List.of(evaluation)).forEach(page::paragraph);
        Verdict.units(evaluation).forEach(page::paragraph);
        for (Figure figure : figures(evaluation)) {
            page.figure(figure);
            figure.write(folder.resolve("figures"));
        }
        page.section("Radii and factors").table(cells(evaluation));
        if (evaluation.beyond().isPresent()) {
            Table beyond = BeyondReport.table(name, List.of(evaluation));
            page.section("Where precision ends").paragraph(BeyondReport.WORDS).table(beyond);
            for (Figure figure : BeyondReport.figures(evaluation)) {
                page.figure(figure);
                figure.write(folder.resolve("figures"));
            }
            beyond.write(folder.resolve("tables"), "beyond");
        }
        if (evaluation.bounds().isPresent()) {
            BoundCheck check = evaluation.bounds().get();
            Table bounds = BoundsReport.table(name, check);
            page.section("What the residuals allow").table(bounds).table(BoundsReport.constants(check));
            for (Figure figure : BoundsReport.figures(check)) {
                page.figure(figure);
                figure.write(folder.resolve("figures"));
            }
            bounds.write(folder.resolve("tables"), "bounds");
            BoundsReport.constants(check).write(folder.resolve("tables"), "constants");
        }
        if (evaluation.infinitesimalAction().isPresent()) {
            Table algebra = BoundsReport.infinitesimal(
                    name, evaluation.infinitesimalAction().get());
            page.section("How much of the algebra acts").table(algebra);
            algebra.write(folder.resolve("tables"), "algebra");
        }
        if (evaluation.yardstick().isPresent()) {
            YardstickReport report =
                    new YardstickReport(evaluation, evaluation.yardstick().get());
            page.section("Beside the exact flow").paragraph(report.words()).figure(report.figure());
            page.table(report.table());
            report.figure().write(folder.resolve("figures"));
            report.table().write(folder.resolve("tables"), "yardstick");
        }
        page.howToRepeat(provenance).write(folder.resolve("report.html"));
        requirements(evaluation).write(folder.resolve("tables"), "tolerances");
        cells(evaluation).write(folder.resolve("tables"), "cells");
    }

    /**
     * Draws how far the outputs drift along the curves of an action, beside a random translation of matched motion.
     *
     * @param evaluation with curves
     * @return a line chart over the coefficient t, logarithmic
     */
    public static Figure drift(Evaluation evaluation) {
        Orbits orbits = evaluation.orbits().getFirst();
        double[] times = array(orbits.times());
        return new Figure(
                "drift",
                "Output drift along the learned action",
                "Median change of the protected outputs, in units of the fixed output scale, over %d starting points: along the curves of the learned action and along random translations that move the weights as far at t = %.3g. At t = 0 both are zero, where a logarithmic axis leaves a gap."
                        .formatted(orbits.points(), orbits.matchTime()),
                LineChart.of(
                        Axis.linear("coefficient t", ""),
                        Axis.log("output drift", "s_F"),
                        Series.of("learned action", Series.Style.LINE, times, array(orbits.learned())),
                        Series.of("random translation", Series.Style.LINE, times, array(orbits.random()))));
    }

    /**
     * Draws how the moving units and the compensating units change the output against one another.
     *
     * @param contributions of the curves of a site
     * @param times of the curves
     * @return a line chart over the coefficient t
     */
    public static Figure contributions(Orbits.Contributions contributions, List<Double> times) {
        double[] t = array(times);
        return new Figure(
                "contributions",
                "Opposing changes of the units' contributions",
                "Change of what the moving unit and the compensating units add to the protected outputs, in units of the fixed output scale, along one curve: the two cancel, and their sum stays.",
                LineChart.of(
                        Axis.linear("coefficient t", ""),
                        Axis.linear("change of the contribution", "s_F"),
                        Series.of("moving unit", Series.Style.LINE, t, array(contributions.moving())),
                        Series.of("compensating units", Series.Style.LINE, t, array(contributions.compensating())),
                        Series.of("sum", Series.Style.LINE, t, array(contributions.sum()))));
    }

    /**
     * Lists the requirements that decide whether an action fits.
     *
     * @param evaluation the evaluation
     * @return one requirement a row
     */
    public static Table requirements(Evaluation evaluation) {
        Table table = Table.of(
                "Is it exact? The joint tolerances at radius 0.5, one and two factors",
                Column.text("requirement", "Requirement"),
                Column.scientific("value", "Value", 2),
                Column.text("bound", "Bound"),
                Column.scientific("limit", "Limit", 1),
                Column.flag("met", "Met"));
        for (var entry : evaluation.tolerances().entrySet()) {
            Requirement requirement = entry.getValue();
            table = table.row(
                    entry.getKey().replace('_', ' '),
                    requirement.value(),
                    requirement.bound().toString().toLowerCase(Locale.ROOT).replace('_', ' '),
                    requirement.limit(),
                    requirement.met());
        }
        return table;
    }

    /**
     * Lists the errors of each cell of the test grid.
     *
     * @param evaluation the evaluation
     * @return one cell a row
     */
    public static Table cells(Evaluation evaluation) {
        Table table = Table.of(
                "Finite-action tests: 95th percentiles over %d samples; motion is the median"
                        .formatted(evaluation.samples()),
                Column.fixed("radius", "Radius", 1),
                Column.count("factors", "Factors"),
                Column.fixed("motion_percent", "Motion (%)", 2),
                Column.scientific("output", "Output/s_F", 2),
                Column.scientific("composition", "Composition", 2),
                Column.scientific("inverse", "Inverse", 2),
                Column.scientific("transport", "Transport", 2),
                Column.scientific("subdivision", "Subdivision", 2));
        for (TestCell cell : evaluation.cells()) {
            table = table.row(
                    cell.radius(),
                    (long) cell.factors(),
                    cell.motionPercent().p50(),
                    cell.output().p95(),
                    cell.composition().p95(),
                    cell.inverse().p95(),
                    cell.transport().p95(),
                    cell.subdivision().p95());
        }
        return table;
    }

    private static double[] array(List<Double> numbers) {
        double[] array = new double[numbers.size()];
        Arrays.setAll(array, numbers::get);
        return array;
    }
}
