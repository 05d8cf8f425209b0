package org.isoloss.report;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.ExactFlow;
import org.isoloss.evaluation.Quantiles;

/** A learned action beside the exact flow: words, a picture and a table. */
final class ExactFlowReport {
    private final Evaluation evaluation;
    private final ExactFlow flow;

    ExactFlowReport(Evaluation evaluation, ExactFlow flow) {
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
        return new Figure(
                "yardstick",
                "Errors of the learned action and of the exact flow",
                "95th percentiles of the output and composition errors against the coefficient radius, one factor: those of the learned action, and those of the flow of a projected field that moves the parameters as far.",
                new LineChart(
                        Axis.linear("coefficient radius $\\rho$", ""),
                        Axis.log("error", ""),
                        Series.present(List.of(
                                line("learned, output", evaluation.cells(), ErrorCell::output),
                                line("learned, composition", evaluation.cells(), ErrorCell::composition),
                                line("flow, output", flow.cells(), ErrorCell::output),
                                line("flow, composition", flow.cells(), ErrorCell::composition)))));
    }

    /** The cells of one factor; a cell with an error that is not a number has no point. */
    private static Optional<Series> line(String name, List<ErrorCell> cells, Function<ErrorCell, Quantiles> error) {
        return Series.over(
                name,
                cells.stream().filter(cell -> cell.factors() == 1).toList(),
                ErrorCell::radius,
                cell -> error.apply(cell).p95());
    }

    /** What one of the two does in a cell. */
    private record Line(String action, ErrorCell cell) {}

    Table table() {
        List<Line> lines = flow.cells().stream()
                .flatMap(exact -> Stream.of(
                        new Line("learned", evaluation.cell(exact.radius(), exact.factors())), new Line("flow", exact)))
                .toList();
        Columns<Line> table = Table.<Line>of(
                        "The learned action and the exact flow: 95th percentiles; motion is the median", lines)
                .add(Column.fixed("radius", "Radius", 1), line -> line.cell.radius())
                .add(Column.count("factors", "Factors"), line -> line.cell.factors())
                .add(Column.text("action", "Action"), Line::action);
        return RunPage.errors(table, Line::cell)
                .add(
                        Column.scientific("subdivision", "Subdivision", 2),
                        line -> line.cell.subdivision().p95())
                .table();
    }
}
