package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.isoloss.checkpoint.EditRecord;
import org.isoloss.checkpoint.EditReport;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.CompensatorFeatures;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelEdit;
import org.isoloss.task.UnitMove;
import org.jspecify.annotations.Nullable;

/**
 * A closed-form compensation as tables, figures and a page.
 *
 * @param move what moved
 * @param edit which weights changed
 * @param undo brings them back
 * @param stored the largest relative change of the outputs on the protected batch, of the file as written: {@code ||F' - F|| /
 *     ||F||}
 * @param fresh inputs that are not protected; null for none
 * @param others the median relative change on those, of the file as written; null where there are none
 */
public record CompensationReport(
        UnitMove move,
        EditReport edit,
        EditRecord undo,
        double stored,
        @Nullable ModelBatch fresh,
        @Nullable Double others) {
    /** The file of a report's folder that undoes the edit. */
    public static final String UNDO = "undo.safetensors";

    private static final int TIMES = 41;
    private static final int SIZES = 25;
    private static final double LEAST_SHARE = 1e-3;

    /**
     * Measures what was written.
     *
     * @param move what moved
     * @param edit what was written
     * @param fresh inputs that are not protected; null for none
     * @return the report
     * @throws IOException when the new file cannot be read
     */
    public static CompensationReport of(UnitMove move, ModelEdit edit, @Nullable ModelBatch fresh) throws IOException {
        return new CompensationReport(
                move,
                edit.report(),
                edit.undo(),
                largest(edit.relativeDrift(move.place().batch())),
                fresh,
                fresh == null ? null : Quantiles.of(edit.relativeDrift(fresh)).p50());
    }

    /**
     * {@return the largest relative change on the protected batch before the weights are rounded, {@code ||F' - F|| / ||F||}}
     */
    public double unrounded() {
        return largest(move.drift(move.at(1), move.place().batch()));
    }

    /** {@return the largest relative change on the protected batch when nothing compensates, {@code ||F' - F|| / ||F||}} */
    public double uncompensated() {
        return largest(move.drift(move.uncompensated(1), move.place().batch()));
    }

    private static double largest(double[] drift) {
        return Quantiles.of(drift).max();
    }

    /**
     * Lists what compensates and how well conditioned that is.
     *
     * @return one fact a row
     */
    public Table conditioning() {
        CompensatorFeatures features = move.site().features();
        double[] values = features.singularValues();
        return Table.of(
                        "Hidden layer %d: what moves, what compensates, and how well conditioned that is"
                                .formatted(move.place().hiddenLayer()),
                        Column.text("what", "What"),
                        Column.text("value", "Value"))
                .row("moving units", listed(move.site().moving()))
                .row(
                        "weights that move",
                        "%s, by %.3g %% of their norm"
                                .formatted(move.place().part().toString().toLowerCase(Locale.ROOT), 100 * move.size()))
                .row("compensating units", listed(move.site().compensators()))
                .row("protected inputs", Integer.toString(move.site().inputCount()))
                .row(
                        "condition of the compensators' features",
                        "%.3g, at most %.0e".formatted(features.condition(), CompensatorFeatures.LARGEST_CONDITION))
                .row("the same with each input scaled to norm 1", "%.3g".formatted(features.scaledCondition()))
                .row(
                        "largest and least singular value",
                        "%.3g and %.3g".formatted(values[0], values[values.length - 1]));
    }

    private static String listed(int[] units) {
        return IntStream.of(units).mapToObj(Integer::toString).collect(Collectors.joining(", "));
    }

    /**
     * Draws how the moving and the compensating units change the layer's output against one another.
     *
     * @return a line chart over the share $t$ of the change, from -1 to 1
     */
    public Figure contributions() {
        double[] along = move.contributions(1).row(0);
        double norm = Matrix.over(1, along.length, along).frobeniusNorm();
        double[] t = IntStream.range(0, TIMES)
                .mapToDouble(i -> -1 + 2.0 * i / (TIMES - 1))
                .toArray();
        List<Matrix> both = DoubleStream.of(t).mapToObj(move::contributions).toList();
        double[] moving = both.stream()
                .mapToDouble(each -> component(each.row(0), along, norm))
                .toArray();
        double[] compensating = both.stream()
                .mapToDouble(each -> component(each.row(1), along, norm))
                .toArray();
        double[] sum = IntStream.range(0, TIMES)
                .mapToDouble(i -> moving[i] + compensating[i])
                .toArray();
        return new Figure(
                "contributions",
                "Opposing changes of the units' contributions",
                "Change of what the moving and the compensating units add to the layer's output on the protected inputs, as its component along the change that the moving units make at t = 1, relative to the norm of that output. The two cancel, and their sum stays.",
                LineChart.of(
                        Axis.linear("share $t$ of the change", ""),
                        Axis.linear("change of the contribution", ""),
                        Series.of("moving units", Series.Style.LINE, t, moving),
                        Series.of("compensating units", Series.Style.LINE, t, compensating),
                        Series.of("sum", Series.Style.LINE, t, sum)));
    }

    private static double component(double[] change, double[] along, double norm) {
        double sum = 0;
        for (int i = 0; i < change.length; i++) {
            sum += norm == 0 ? 0 : change[i] * along[i] / norm;
        }
        return sum;
    }

    /**
     * Draws how far the outputs move for smaller moves of the same units in the same direction.
     *
     * @return a chart over the size of the move, both axes logarithmic
     */
    public Figure drift() {
        double[] size = new double[SIZES];
        double[] compensated = new double[SIZES];
        double[] alone = new double[SIZES];
        double[] other = new double[SIZES];
        for (int i = 0; i < SIZES; i++) {
            double t = Math.pow(LEAST_SHARE, 1 - (double) i / (SIZES - 1));
            Map<String, double[]> tensors = move.at(t);
            size[i] = Double.isFinite(move.size()) ? t * move.size() : t;
            compensated[i] = largest(move.drift(tensors, move.place().batch()));
            alone[i] = largest(move.drift(move.uncompensated(t), move.place().batch()));
            other[i] =
                    fresh == null ? 0 : Quantiles.of(move.drift(tensors, fresh)).p50();
        }
        double last = size[SIZES - 1];
        List<Series> series = new ArrayList<>(List.of(
                Series.of("protected, not compensated", Series.Style.LINE, size, alone),
                Series.of("protected, compensated", Series.Style.LINE, size, compensated),
                Series.of("protected, as written", Series.Style.POINTS, new double[] {last}, new double[] {stored()})));
        if (fresh != null) {
            series.add(Series.of("other inputs, compensated", Series.Style.LINE, size, other));
        }
        return new Figure(
                "drift",
                "Change of the outputs against the size of the move",
                "Largest relative change of the outputs on the protected inputs, in float64, for moves of the same units in the same direction: with the compensating units and without; the point is the file as written, rounded to its types."
                        + (fresh == null ? "" : " For inputs that are not protected, the median."),
                new LineChart(
                        Axis.log("size of the move, relative to the weights that move", ""),
                        Axis.log("relative change of the outputs", ""),
                        series));
    }

    /**
     * Lists how far the outputs moved.
     *
     * @return one measurement a row
     */
    public Table parity() {
        Table table = Table.of(
                        "Relative change of the outputs",
                        Column.text("inputs", "Inputs"),
                        Column.text("weights", "Weights"),
                        Column.text("statistic", "Statistic"),
                        Column.scientific("change", "Change", 2))
                .row("protected", "as written", "largest", stored())
                .row("protected", "before rounding", "largest", unrounded())
                .row("protected", "without compensation", "largest", uncompensated());
        return others == null ? table : table.row("others", "as written", "median", others);
    }

    /**
     * Writes {@code report.html}, {@code provenance.json}, {@code undo.safetensors}, figures and tables.
     *
     * @param folder made where it is missing
     * @param provenance where the result came from
     * @throws IOException when a file cannot be written
     */
    public void write(Path folder, Provenance provenance) throws IOException {
        HtmlPage page = HtmlPage.of(
                "Compensated move of hidden units",
                "%s of hidden layer %d moved by %.3g %% of the norm of their %s weights; %d units compensate, so that the outputs on %d protected inputs stay."
                        .formatted(
                                (move.site().moving().length == 1 ? "Unit " : "Units ")
                                        + listed(move.site().moving()),
                                move.place().hiddenLayer(),
                                100 * move.size(),
                                move.place().part() == UnitMove.Part.ALL
                                        ? "incoming and outgoing"
                                        : move.place().part().toString().toLowerCase(Locale.ROOT),
                                move.site().compensators().length,
                                move.site().inputCount()));
        page.keyFigures(List.of(
                new HtmlPage.KeyFigure("%.1e".formatted(stored()), "largest change on protected inputs, as written"),
                new HtmlPage.KeyFigure("%.1e".formatted(uncompensated()), "the same without compensation"),
                new HtmlPage.KeyFigure("%.3g".formatted(move.site().features().condition()), "condition"),
                new HtmlPage.KeyFigure(Long.toString(edit.changed()), "weights changed")));
        page.section("Outputs").table("outputs", parity()).figure(drift()).figure(contributions());
        page.section("Conditioning").table("conditioning", conditioning());
        page.section("What was written").table("weights", EditTable.of(edit));
        page.save(folder, provenance);
        provenance.write(folder.resolve("provenance.json"));
        undo.saveTo(folder.resolve(UNDO));
    }
}
