package org.isoloss.report;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import org.isoloss.evaluation.Criterion;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Orbits;
import org.isoloss.evaluation.Requirement;
import org.isoloss.task.Task;

/** What the pages of a run have in common: the figures and tables of an evaluation. */
public final class RunPage {
    /** What depends on the options of the evaluation, or on the action. */
    private static final String[] OPTIONAL = {
        FigureFiles.glob("figures/{contributions,bounds,bounds-output,bounds-composition,yardstick}"),
        "tables/{bounds,constants,algebra,yardstick}.{csv,tex}"
    };

    private static final double DECLARED = 0.5;

    private static final String RADII =
            "A factor is one transformation exp($t$ $h$): $h$ is the learned direction (the generator), the radius bounds the coefficient $t$. Two factors are two transformations in a row. Each number is the value that 95 of 100 samples stay below; of the motion it is the median.";

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
     * @param task of the run
     * @param evaluation what was measured
     * @param provenance where it came from
     * @param run folder of the run, which the commands of the page name
     * @param folder of the page
     * @throws IOException when a file cannot be written
     */
    public static void write(Task task, Evaluation evaluation, Provenance provenance, Path run, Path folder)
            throws IOException {
        EarlierFiles.remove(folder, OPTIONAL);
        String name = task.name();
        List<Figure> figures = figures(evaluation);
        HtmlPage page = HtmlPage.of(
                        "A learned symmetry: %s".formatted(name),
                        verdict(evaluation).replace(" s_F", " $s_F$"))
                .opening(facts(task, evaluation), figures.getFirst());
        page.section("Is it exact?")
                .table("tolerances", requirements(evaluation))
                .terms("What the requirements say", terms(evaluation));
        Verdict.advice(List.of(evaluation)).forEach(page::paragraph);
        Verdict.units(evaluation).forEach(page::paragraph);
        figures.stream().skip(1).forEach(page::figure);
        page.section("Radii and factors").paragraph(RADII).table("cells", cells(evaluation));
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
        page.save(
                folder,
                new RepeatCommands()
                        .run(run, provenance.seeds().getFirst(), evaluation)
                        .page(),
                provenance);
    }

    private static String verdict(Evaluation evaluation) {
        int count = evaluation.tolerances().size();
        if (evaluation.fits()) {
            return "It fits: the learned action moves the weights, keeps the outputs and composes like a group, within all %d tolerances. %s"
                    .formatted(count, Verdict.nearest(evaluation));
        }
        List<String> misses = Verdict.misses(evaluation);
        return "It does not fit: %d of %d tolerances %s missed. %s."
                .formatted(misses.size(), count, misses.size() == 1 ? "is" : "are", String.join("; ", misses));
    }

    /** The five answers of the first screen, one sentence or two each. */
    private static List<HtmlPage.Fact> facts(Task task, Evaluation evaluation) {
        var subject = new RunSubject(task);
        ErrorCell cell = evaluation.cell(DECLARED, 1);
        Orbits orbits = evaluation.orbits().getFirst();
        return List.of(
                new HtmlPage.Fact("What was moved", subject.moved()),
                new HtmlPage.Fact(
                        "By how much",
                        "%s of their norm, the median of %d learned transformations exp($t$ $h$) with coefficient $t$ of at most %s."
                                .formatted(percent(cell.motionPercent().p50()), evaluation.samples(), DECLARED)),
                new HtmlPage.Fact(
                        "What stayed",
                        "The outputs on the protected inputs: in 95 of 100 cases they change by less than %s of their root-mean-square norm $s_F$."
                                .formatted(Cells.scientific(cell.output().p95(), 1))),
                new HtmlPage.Fact(
                        "Compared with chance",
                        "At $t$ = %s, a random change of the weights of about that size moves these outputs by %s $s_F$, the learned one by %s $s_F$ (medians)."
                                .formatted(
                                        TickFormat.text(orbits.times().getLast()),
                                        Cells.scientific(orbits.random().getLast(), 1),
                                        Cells.scientific(orbits.learned().getLast(), 1))),
                new HtmlPage.Fact("On which data", subject.data()));
    }

    private static String percent(double percent) {
        return "%s %%"
                .formatted(TickFormat.text(
                        new BigDecimal(percent).round(new MathContext(3)).doubleValue()));
    }

    /** Returns what each requirement of an evaluation says, by its name. */
    static SequencedMap<String, String> terms(Evaluation evaluation) {
        SequencedMap<String, String> terms = new LinkedHashMap<>();
        evaluation.tolerances().keySet().forEach(key -> terms.put(words(key), RequirementWords.of(Criterion.of(key))));
        return terms;
    }

    private static String words(String key) {
        return key.replace('_', ' ');
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
                "Median change of the protected outputs, in units of the fixed output scale $s_F$, over %d starting points: along the curves of the learned action and along random translations that move the weights as far at $t$ = %.3g. At $t$ = 0 both are zero, where a logarithmic axis leaves a gap."
                        .formatted(orbits.points(), orbits.matchTime()),
                LineChart.of(
                        Axis.linear("coefficient $t$", ""),
                        Axis.log("output drift", "$s_F$"),
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
                        Axis.linear("coefficient $t$", ""),
                        Axis.linear("change of the contribution", "$s_F$"),
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
                        "The tolerances at radius 0.5: the worse of one and two factors decides",
                        List.copyOf(evaluation.tolerances().entrySet()))
                .add(Column.text("requirement", "Requirement"), entry -> words(entry.getKey()))
                .add(
                        Column.number("value", "Value", 3),
                        entry -> unit(evaluation, entry) * entry.getValue().value())
                .add(
                        Column.text("bound", "Bound"),
                        entry -> words(entry.getValue().bound().toString().toLowerCase(Locale.ROOT)))
                .add(
                        Column.number("limit", "Limit", 2),
                        entry -> unit(evaluation, entry) * entry.getValue().limit())
                .add(Column.text("unit", "Unit"), entry -> unitWords(evaluation, entry))
                .add(Column.flag("met", "Met"), entry -> entry.getValue().met())
                .table();
    }

    private static double unit(Evaluation evaluation, Map.Entry<String, Requirement> entry) {
        return Verdict.scale(evaluation, Criterion.of(entry.getKey()));
    }

    private static String unitWords(Evaluation evaluation, Map.Entry<String, Requirement> entry) {
        String unit = Verdict.unit(evaluation, Criterion.of(entry.getKey()));
        return switch (unit) {
            case "" -> "ratio";
            case "s_F" -> "$s_F$";
            case "s_theta" -> "$s_\\theta$";
            default -> unit;
        };
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
                        Column.scientific("output", "Output/$s_F$", 2),
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
