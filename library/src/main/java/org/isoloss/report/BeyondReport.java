package org.isoloss.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.isoloss.evaluation.Beyond;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Median;
import org.isoloss.evaluation.Quantiles;

/** How the errors of an action grow farther out than it is judged: words, pictures and a table. */
public final class BeyondReport {
    /** What a page says above the table. */
    static final String WORDS =
            "What is learned is local: it holds where points and words were drawn in training. Farther out, at larger radii and at points that are spread twice as wide, errors grow, and the largest of the samples more than their 95th percentile. Nothing here is judged.";

    private static final double DECLARED = 0.5;

    private BeyondReport() {}

    /**
     * Lists the errors of one factor by points and radius. Of several evaluations percentiles and motion are medians, and the
     * largest error is the largest of all.
     *
     * @param name of the setting
     * @param evaluations at least one, each with {@link Evaluation#beyond}
     * @return one kind of points at one radius a row, the declared cell first
     */
    public static Table table(String name, List<Evaluation> evaluations) {
        Beyond first = evaluations.getFirst().beyond().orElseThrow();
        List<Line> lines = new ArrayList<>();
        lines.add(Line.of("as trained", evaluations, evaluation -> evaluation.cell(DECLARED, 1)));
        for (int i = 0; i < first.far().size(); i++) {
            int cell = i;
            lines.add(Line.of(
                    "as trained",
                    evaluations,
                    evaluation -> beyond(evaluation).far().get(cell)));
        }
        String wide = "%.0f times as wide".formatted(first.spread());
        for (int i = 0; i < first.wide().size(); i++) {
            int cell = i;
            lines.add(Line.of(
                    wide, evaluations, evaluation -> beyond(evaluation).wide().get(cell)));
        }
        Columns<Line> table = Table.<Line>of(
                        "%s: where precision ends, one factor, %d samples%s; none of it judges"
                                .formatted(
                                        name,
                                        first.samples(),
                                        evaluations.size() == 1
                                                ? ""
                                                : ", medians and largest of %d seeds".formatted(evaluations.size())),
                        lines)
                .add(Column.text("points", "Points"), Line::points)
                .add(
                        Column.fixed("radius", "Radius", 1),
                        line -> line.cells.getFirst().radius())
                .add(
                        Column.fixed("motion_percent", "Motion (%)", 2),
                        line -> line.median(cell -> cell.motionPercent().p50()));
        errors(table, "output", "Output", ErrorCell::output);
        errors(table, "composition", "Composition", ErrorCell::composition);
        return errors(table, "inverse", "Inverse", ErrorCell::inverse).table();
    }

    private static Columns<Line> errors(
            Columns<Line> table, String key, String heading, Function<ErrorCell, Quantiles> error) {
        return table.add(
                        Column.scientific(key, heading + " p95", 2),
                        line -> line.median(cell -> error.apply(cell).p95()))
                .add(
                        Column.scientific(key + "_max", "max", 2),
                        line -> line.cells.stream()
                                .mapToDouble(cell -> error.apply(cell).max())
                                .reduce(0, Math::max)); // NaN where one is NaN
    }

    /** The same cell of every evaluation. */
    private record Line(String points, List<ErrorCell> cells) {
        static Line of(String points, List<Evaluation> evaluations, Function<Evaluation, ErrorCell> cell) {
            return new Line(points, evaluations.stream().map(cell).toList());
        }

        double median(ToDoubleFunction<ErrorCell> of) {
            return Median.of(cells.stream().mapToDouble(of).toArray()).p50();
        }
    }

    private static Beyond beyond(Evaluation evaluation) {
        return evaluation.beyond().orElseThrow();
    }

    /**
     * Draws the errors of one factor over the radius, 95th percentile and largest.
     *
     * @param evaluation with {@link Evaluation#beyond}
     * @return of the outputs and of the composition, each where some error is a positive finite number
     */
    public static List<Figure> figures(Evaluation evaluation) {
        List<Figure> figures = new ArrayList<>();
        figure(figures, evaluation, "Output", "$s_F$", ErrorCell::output);
        figure(figures, evaluation, "Composition", "", ErrorCell::composition);
        return figures;
    }

    private static void figure(
            List<Figure> figures,
            Evaluation evaluation,
            String what,
            String unit,
            Function<ErrorCell, Quantiles> error) {
        Beyond beyond = beyond(evaluation);
        List<ErrorCell> usual = Stream.concat(
                        evaluation.cells().stream().filter(cell -> cell.factors() == 1), beyond.far().stream())
                .sorted(Comparator.comparingDouble(ErrorCell::radius))
                .toList();
        List<Series> series = Series.present(List.of(
                line(
                        "largest, points twice as wide",
                        beyond.wide(),
                        cell -> error.apply(cell).max()),
                line(
                        "95th percentile, points twice as wide",
                        beyond.wide(),
                        cell -> error.apply(cell).p95()),
                line("largest", usual, cell -> error.apply(cell).max()),
                line("95th percentile", usual, cell -> error.apply(cell).p95())));
        if (!series.isEmpty()) {
            String lower = what.toLowerCase(Locale.ROOT);
            figures.add(new Figure(
                    "beyond-" + lower,
                    "%s error over the radius".formatted(what),
                    "The %s error of one factor against the coefficient radius, at points as in training and at points that are spread twice as wide: the 95th percentile of %d samples and the largest of them. Tolerances judge at radius %s only. An error that is no number has no point."
                            .formatted(lower, beyond.samples(), DECLARED),
                    new LineChart(
                            Axis.linear("coefficient radius $\\rho$", ""), Axis.log(lower + " error", unit), series)));
        }
    }

    private static Optional<Series> line(String name, List<ErrorCell> cells, ToDoubleFunction<ErrorCell> error) {
        return Series.over(
                name,
                cells.stream().filter(cell -> error.applyAsDouble(cell) > 0).toList(),
                ErrorCell::radius,
                error);
    }
}
