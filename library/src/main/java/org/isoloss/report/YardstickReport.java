package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.TestCell;
import org.isoloss.evaluation.Yardstick;

/** A learned action beside the exact flow: words, a picture and a table. */
final class YardstickReport {
    private final Evaluation evaluation;
    private final Yardstick flow;

    YardstickReport(Evaluation evaluation, Yardstick flow) {
        this.evaluation = evaluation;
        this.flow = flow;
    }

    String words() {
        String motion =
                "The flow of a random direction, projected at each point onto the null space of the Jacobian of the protected outputs and integrated in float64, moves the parameters as far as the learned action: %.3g s_theta at t = 0.3. Nothing was trained for it. Its errors are those of the arithmetic; %d samples in each cell."
                        .formatted(flow.matchedMotion(), flow.samples());
        return flow.firstStop()
                .map(stop ->
                        motion + " %d flows stopped on the way, the first with: %s".formatted(flow.stopped(), stop))
                .orElse(motion);
    }

    Figure figure() {
        List<Series> series = new ArrayList<>();
        add(series, "learned, output", evaluation.cells(), cell -> cell.output().p95());
        add(
                series,
                "learned, composition",
                evaluation.cells(),
                cell -> cell.composition().p95());
        add(series, "flow, output", flow.cells(), cell -> cell.output().p95());
        add(
                series,
                "flow, composition",
                flow.cells(),
                cell -> cell.composition().p95());
        return new Figure(
                "yardstick",
                "Errors of the learned action and of the exact flow",
                "95th percentiles of the output and composition errors against the coefficient radius, one factor: those of the learned action, and those of the flow of a projected field that moves the parameters as far.",
                new LineChart(Axis.linear("coefficient radius", ""), Axis.log("error", ""), series));
    }

    /** The cells of one factor; a cell with an error that is no number has no point. */
    private static void add(List<Series> series, String name, List<TestCell> cells, ToDoubleFunction<TestCell> error) {
        List<TestCell> shown = cells.stream()
                .filter(cell -> cell.factors() == 1 && Double.isFinite(error.applyAsDouble(cell)))
                .toList();
        if (!shown.isEmpty()) {
            series.add(Series.of(
                    name,
                    Series.Style.LINE,
                    shown.stream().mapToDouble(TestCell::radius).toArray(),
                    shown.stream().mapToDouble(error).toArray()));
        }
    }

    Table table() {
        Table table = Table.of(
                "The learned action and the exact flow: 95th percentiles; motion is the median",
                Column.fixed("radius", "Radius", 1),
                Column.count("factors", "Factors"),
                Column.text("action", "Action"),
                Column.fixed("motion_percent", "Motion (%)", 2),
                Column.scientific("output", "Output/s_F", 2),
                Column.scientific("composition", "Composition", 2),
                Column.scientific("inverse", "Inverse", 2),
                Column.scientific("transport", "Transport", 2),
                Column.scientific("subdivision", "Subdivision", 2));
        for (TestCell exact : flow.cells()) {
            table = table.row(row("learned", evaluation.cell(exact.radius(), exact.factors())))
                    .row(row("flow", exact));
        }
        return table;
    }

    private static Object[] row(String name, TestCell cell) {
        return new Object[] {
            cell.radius(),
            (long) cell.factors(),
            name,
            cell.motionPercent().p50(),
            cell.output().p95(),
            cell.composition().p95(),
            cell.inverse().p95(),
            cell.transport().p95(),
            cell.subdivision().p95()
        };
    }
}
