package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Orbits;

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
        ErrorCell cell = evaluation.cell(0.5, 1);
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
        page.section("Is it exact?").table("tolerances", requirements(evaluation));
        Verdict.advice(List.of(evaluation)).forEach(page::paragraph);
        Verdict.units(evaluation).forEach(page::paragraph);
        figures(evaluation).forEach(page::figure);
        page.section("Radii and factors").table("cells", cells(evaluation));
        if (evaluation.beyond().isPresent()) {
            page.section("Where precision ends")
                    .paragraph(BeyondReport.WORDS)
                    .table("beyond", BeyondReport.table(name, List.of(evaluation)));
            BeyondReport.figures(evaluation).forEach(page::figure);
        }
        evaluation.bounds().ifPresent(check -> {
            page.section("What the residuals allow")
                    .table("bounds", BoundsReport.table(name, check))
                    .table("constants", BoundsReport.constants(check));
            BoundsReport.figures(check).forEach(page::figure);
        });
        evaluation
                .infinitesimalAction()
                .ifPresent(action -> page.section("How much of the algebra acts")
                        .table("algebra", BoundsReport.infinitesimal(name, action)));
        evaluation.yardstick().ifPresent(flow -> {
            var report = new ExactFlowReport(evaluation, flow);
            page.section("Beside the exact flow")
                    .paragraph(report.words())
                    .figure(report.figure())
                    .table("yardstick", report.table());
        });
        page.save(folder, provenance);
    }

    /**
     * Draws how far the outputs drift along the curves of an action, beside a random translation of matched motion.
     *
     * @param evaluation with curves
     * @return a line chart over the coefficient t, logarithmic
     */
    public static Figure drift(Evaluation evaluation) {
        Orbits orbits = evaluation.orbits().getFirst();
        return new Figure(
                "drift",
                "Output drift along the learned action",
                "Median change of the protected outputs, in units of the fixed output scale, over %d starting points: along the curves of the learned action and along random translations that move the weights as far at t = %.3g. At t = 0 both are zero, where a logarithmic axis leaves a gap."
                        .formatted(orbits.points(), orbits.matchTime()),
                LineChart.of(
                        Axis.linear("coefficient t", ""),
                        Axis.log("output drift", "s_F"),
                        Series.line("learned action", orbits.times(), orbits.learned()),
                        Series.line("random translation", orbits.times(), orbits.random())));
    }

    /**
     * Draws how the moving units and the compensating units change the output against one another.
     *
     * @param contributions of the curves of a site
     * @param times of the curves
     * @return a line chart over the coefficient t
     */
    public static Figure contributions(Orbits.Contributions contributions, List<Double> times) {
        return new Figure(
                "contributions",
                "Opposing changes of the units' contributions",
                "Change of what the moving unit and the compensating units add to the protected outputs, in units of the fixed output scale, along one curve: the two cancel, and their sum stays.",
                LineChart.of(
                        Axis.linear("coefficient t", ""),
                        Axis.linear("change of the contribution", "s_F"),
                        Series.line("moving unit", times, contributions.moving()),
                        Series.line("compensating units", times, contributions.compensating()),
                        Series.line("sum", times, contributions.sum())));
    }

    /**
     * Lists the requirements that decide whether an action fits.
     *
     * @param evaluation the evaluation
     * @return one requirement a row
     */
    public static Table requirements(Evaluation evaluation) {
        return Table.of(
                        "Is it exact? The joint tolerances at radius 0.5, one and two factors",
                        List.copyOf(evaluation.tolerances().entrySet()))
                .add(
                        Column.text("requirement", "Requirement"),
                        entry -> entry.getKey().replace('_', ' '))
                .add(
                        Column.scientific("value", "Value", 2),
                        entry -> entry.getValue().value())
                .add(
                        Column.text("bound", "Bound"),
                        entry -> entry.getValue()
                                .bound()
                                .toString()
                                .toLowerCase(Locale.ROOT)
                                .replace('_', ' '))
                .add(
                        Column.scientific("limit", "Limit", 1),
                        entry -> entry.getValue().limit())
                .add(Column.flag("met", "Met"), entry -> entry.getValue().met())
                .table();
    }

    /**
     * Lists the errors of each cell of the test grid.
     *
     * @param evaluation the evaluation
     * @return one cell a row
     */
    public static Table cells(Evaluation evaluation) {
        Columns<ErrorCell> table = Table.of(
                        "Finite-action tests: 95th percentiles over %d samples; motion is the median"
                                .formatted(evaluation.samples()),
                        evaluation.cells())
                .add(Column.fixed("radius", "Radius", 1), ErrorCell::radius)
                .add(Column.count("factors", "Factors"), ErrorCell::factors);
        return errors(table, cell -> cell)
                .add(
                        Column.scientific("subdivision", "Subdivision", 2),
                        cell -> cell.subdivision().p95())
                .table();
    }

    /** Adds what every table of errors has: medians of motion, 95th percentiles of the rest. */
    static <T> Columns<T> errors(Columns<T> table, Function<T, ErrorCell> cell) {
        return table.add(
                        Column.fixed("motion_percent", "Motion (%)", 2),
                        item -> cell.apply(item).motionPercent().p50())
                .add(
                        Column.scientific("output", "Output/s_F", 2),
                        item -> cell.apply(item).output().p95())
                .add(
                        Column.scientific("composition", "Composition", 2),
                        item -> cell.apply(item).composition().p95())
                .add(
                        Column.scientific("inverse", "Inverse", 2),
                        item -> cell.apply(item).inverse().p95())
                .add(
                        Column.scientific("transport", "Transport", 2),
                        item -> cell.apply(item).transport().p95());
    }
}
