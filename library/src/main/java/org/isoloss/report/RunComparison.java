package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Orbits;

/** Evaluated runs side by side: recipes, objectives, seeds or settings. */
public final class RunComparison {
    private final List<ComparedRun> runs;

    /**
     * One run.
     *
     * @param name what tells it from the others, such as its folder
     * @param task name of the setting
     * @param objective what was trained
     * @param seed of the training
     * @param steps at which the loss was noted, rising
     * @param losses there, weighted sums of all terms
     * @param evaluation what was measured
     */
    public record ComparedRun(
            String name,
            String task,
            String objective,
            long seed,
            List<Double> steps,
            List<Double> losses,
            Evaluation evaluation) {
        /** Keeps its own lists. */
        public ComparedRun {
            steps = List.copyOf(steps);
            losses = List.copyOf(losses);
        }

        private ErrorCell declared() {
            return evaluation.cell(0.5, 1);
        }
    }

    private RunComparison(List<ComparedRun> runs) {
        this.runs = runs;
    }

    /**
     * Compares runs.
     *
     * @param runs two or more, in the order of the page
     * @return the comparison
     */
    public static RunComparison of(List<ComparedRun> runs) {
        if (runs.size() < 2) {
            throw new IllegalArgumentException("RunComparison: %d runs, expected at least 2".formatted(runs.size()));
        }
        return new RunComparison(List.copyOf(runs));
    }

    /**
     * Lists the runs.
     *
     * @return one run a row, numbered as in the figures
     */
    public Table table() {
        Columns<Integer> table = Table.<Integer>of(
                        "Errors at radius 0.5, one factor: 95th percentiles over samples; motion is the median",
                        IntStream.range(0, runs.size()).boxed().toList())
                .add(Column.count("number", "No."), i -> i + 1)
                .add(Column.text("run", "Run"), i -> runs.get(i).name)
                .add(Column.text("task", "Task"), i -> runs.get(i).task)
                .add(Column.text("objective", "Objective"), i -> runs.get(i).objective)
                .add(Column.count("seed", "Seed"), i -> runs.get(i).seed);
        return RunPage.errors(table, i -> runs.get(i).declared())
                .add(Column.flag("fits", "Fits"), i -> runs.get(i).evaluation.fits())
                .table();
    }

    /**
     * Draws the runs.
     *
     * @return errors by run, output drift along the curves of each, and the loss during training where it is known
     */
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>(List.of(errors(), drift()));
        List<Series> losses = new ArrayList<>();
        for (ComparedRun run : runs) {
            if (run.steps.size() > 1) {
                losses.add(Series.line(run.name, run.steps, run.losses));
            }
        }
        if (!losses.isEmpty()) {
            figures.add(new Figure(
                    "loss",
                    "Loss during training",
                    "The weighted sum of all loss terms at each logged step, one line a run. Sums with other weights, or of another objective, are not comparable in height.",
                    new LineChart(Axis.linear("step", ""), Axis.log("loss", ""), losses)));
        }
        return figures;
    }

    private Figure errors() {
        return new Figure(
                "errors",
                "Errors of each run",
                "Output, composition and inverse errors at radius 0.5, one factor: 95th percentiles in units of the fixed scales, by the number of the run in the table. Lower is more exact.",
                new LineChart(
                        Axis.linear("number of the run", "").between(0.5, runs.size() + 0.5),
                        Axis.log("error", ""),
                        List.of(
                                errors("output", cell -> cell.output().p95()),
                                errors("composition", cell -> cell.composition().p95()),
                                errors("inverse", cell -> cell.inverse().p95()))));
    }

    private Series errors(String name, ToDoubleFunction<ErrorCell> metric) {
        return Series.of(
                name,
                Series.Style.POINTS,
                IntStream.rangeClosed(1, runs.size()).asDoubleStream().toArray(),
                runs.stream()
                        .mapToDouble(run -> metric.applyAsDouble(run.declared()))
                        .toArray());
    }

    private Figure drift() {
        List<Series> curves = new ArrayList<>();
        for (ComparedRun run : runs) {
            Orbits orbits = run.evaluation.orbits().getFirst();
            curves.add(Series.line(run.name, orbits.times(), orbits.learned()));
        }
        return new Figure(
                "drift",
                "Output drift along the learned curves",
                "Median change of the protected outputs along the curves of each run's action, in units of the fixed output scale. At $t$ = 0 it is zero, where a logarithmic axis leaves a gap.",
                new LineChart(Axis.linear("coefficient $t$", ""), Axis.log("output drift", "$s_F$"), curves));
    }

    /**
     * Says what the runs show.
     *
     * @return one or two sentences
     */
    public String words() {
        long fits = runs.stream().filter(run -> run.evaluation.fits()).count();
        ComparedRun best = runs.stream()
                .min(Comparator.comparingDouble(run -> run.declared().output().p95()))
                .orElseThrow();
        return "%d of %d runs meet every tolerance. The smallest output error is %s, of %s."
                .formatted(
                        fits,
                        runs.size(),
                        Cells.scientific(best.declared().output().p95(), 1),
                        best.name);
    }

    private List<HtmlPage.Fact> facts() {
        return List.of(
                new HtmlPage.Fact(
                        "What was moved",
                        "The weights that each run's task names, by transformations exp($t$ $h$) that it learned. Tasks: %s; objectives: %s."
                                .formatted(distinct(run -> run.task), distinct(run -> run.objective))),
                new HtmlPage.Fact(
                        "By how much",
                        "From %s to %s %% of their norm, medians at coefficients $t$ of at most 0.5."
                                .formatted(
                                        Cells.number(
                                                least(cell ->
                                                        cell.motionPercent().p50()),
                                                3),
                                        Cells.number(
                                                -least(cell ->
                                                        -cell.motionPercent().p50()),
                                                3))),
                new HtmlPage.Fact(
                        "What stayed",
                        "The outputs on the protected inputs: in 95 of 100 cases they change by less than %s to %s of their root-mean-square norm $s_F$, depending on the run."
                                .formatted(
                                        Cells.scientific(
                                                least(cell -> cell.output().p95()), 1),
                                        Cells.scientific(
                                                -least(cell -> -cell.output().p95()), 1))),
                new HtmlPage.Fact("On which data", "On that of each run; its own page says which."));
    }

    private String distinct(Function<ComparedRun, String> word) {
        return runs.stream().map(word).distinct().collect(Collectors.joining(", "));
    }

    private double least(ToDoubleFunction<ErrorCell> value) {
        return runs.stream()
                .mapToDouble(run -> value.applyAsDouble(run.declared()))
                .min()
                .orElseThrow();
    }

    /**
     * Writes {@code report.html}, figures and the table.
     *
     * @param folder made where it is missing
     * @param provenance where the results came from
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        EarlierFiles.remove(folder, FigureFiles.glob("figures/loss")); // runs without metrics have none
        List<Figure> figures = figures();
        HtmlPage page = HtmlPage.of("Learned symmetries side by side", words()).opening(facts(), figures.getFirst());
        page.section("How exact is each?")
                .table("runs", table())
                .terms("What the columns say", RunPage.terms(runs.getFirst().evaluation));
        figures.stream().skip(1).forEach(page::figure);
        var commands = new RepeatCommands();
        runs.forEach(run -> commands.run(Path.of(run.name), run.seed, run.evaluation));
        page.save(folder, commands.page(folder), provenance);
    }
}
