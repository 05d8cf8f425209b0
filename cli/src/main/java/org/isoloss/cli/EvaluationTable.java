package org.isoloss.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.ExactFlow;
import org.isoloss.evaluation.Median;
import org.isoloss.report.Column;
import org.isoloss.report.ErrorMeasure;
import org.isoloss.report.Table;

/** The evaluations of the seeds of one task, side by side, with their medians and, where there are any, those of exact flows. */
final class EvaluationTable {
    private static final double RADIUS = 0.5;

    private static final String TWO_FACTORS = ", two factors";

    private final String name;
    private final Map<Long, Evaluation> evaluations;
    private final List<ErrorMeasure> metrics;

    /**
     * Takes what was measured.
     *
     * @param name of the task
     * @param evaluations by seed, at least one
     */
    EvaluationTable(String name, Map<Long, Evaluation> evaluations) {
        this.name = name;
        this.evaluations = evaluations;
        this.metrics = new ArrayList<>(ErrorMeasure.ALWAYS);
        if (cells().stream().allMatch(ErrorMeasure::isAtSite)) {
            metrics.addAll(ErrorMeasure.AT_SITES);
        }
    }

    private List<ErrorCell> cells() {
        List<ErrorCell> cells = new ArrayList<>();
        evaluations.values().forEach(evaluation -> cells.add(evaluation.cell(RADIUS, 1)));
        flows().forEach(flow -> cells.add(flow.cell(RADIUS, 1)));
        return cells;
    }

    private List<ExactFlow> flows() {
        return evaluations.values().stream()
                .flatMap(evaluation -> evaluation.yardstick().stream())
                .toList();
    }

    private long fits() {
        return evaluations.values().stream().filter(Evaluation::fits).count();
    }

    /** For each seed the two cells that decide, its flow below them, the medians of one factor last. */
    Table table() {
        List<Column> columns = new ArrayList<>(List.of(Column.text("seed", "Seed")));
        metrics.forEach(metric -> columns.add(metric.column()));
        columns.add(Column.text("fits", "Fits"));
        Table table = Table.of(
                "%s: 95th percentiles at radius 0.5, one factor; %s"
                        .formatted(
                                name,
                                metrics.size() > ErrorMeasure.ALWAYS.size()
                                        ? "motion and moving change are medians"
                                        : "motion is the median"),
                columns.toArray(Column[]::new));
        for (Map.Entry<Long, Evaluation> entry : evaluations.entrySet()) {
            Evaluation evaluation = entry.getValue();
            table = table.row(row(entry.getKey().toString(), evaluation.cell(RADIUS, 1), verdict(evaluation.fits())))
                    .row(row(entry.getKey() + TWO_FACTORS, evaluation.cell(RADIUS, 2), ""));
            if (evaluation.yardstick().isPresent()) {
                ExactFlow flow = evaluation.yardstick().get();
                table = table.row(row(entry.getKey() + " flow", flow.cell(RADIUS, 1), verdict(flow.fits())))
                        .row(row(entry.getKey() + " flow" + TWO_FACTORS, flow.cell(RADIUS, 2), ""));
            }
        }
        table = table.row(medians(
                "median",
                evaluations.values().stream()
                        .map(evaluation -> evaluation.cell(RADIUS, 1))
                        .toList(),
                fits()));
        return flows().isEmpty()
                ? table
                : table.row(medians(
                        "median flow",
                        flows().stream().map(flow -> flow.cell(RADIUS, 1)).toList(),
                        flows().stream().filter(ExactFlow::fits).count()));
    }

    private static String verdict(boolean fits) {
        return fits ? "yes" : "no";
    }

    private Object[] row(String title, ErrorCell cell, String fits) {
        List<Object> row = new ArrayList<>(List.of(title));
        metrics.forEach(metric -> row.add(metric.of().applyAsDouble(cell)));
        row.add(fits);
        return row.toArray();
    }

    private Object[] medians(String title, List<ErrorCell> cells, long fits) {
        List<Object> row = new ArrayList<>(List.of(title));
        metrics.forEach(metric -> row.add(median(cells, metric)));
        row.add("%d/%d".formatted(fits, cells.size()));
        return row.toArray();
    }

    private static double median(List<ErrorCell> cells, ErrorMeasure metric) {
        return Median.of(cells.stream().mapToDouble(metric.of()).toArray()).p50();
    }

    /** The medians by key, for a program; of the flows below {@code yardstick}. */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("task", name);
        json.put("seeds", List.copyOf(evaluations.keySet()));
        json.put("fits", fits());
        putMedians(
                json,
                evaluations.values().stream()
                        .map(evaluation -> evaluation.cell(RADIUS, 1))
                        .toList());
        List<ExactFlow> flows = flows();
        if (!flows.isEmpty()) {
            Map<String, Object> exact = new LinkedHashMap<>();
            exact.put("fits", flows.stream().filter(ExactFlow::fits).count());
            putMedians(exact, flows.stream().map(flow -> flow.cell(RADIUS, 1)).toList());
            exact.put("stopped", flows.stream().mapToInt(ExactFlow::stopped).sum());
            json.put("yardstick", exact);
        }
        return json;
    }

    private void putMedians(Map<String, Object> json, List<ErrorCell> cells) {
        metrics.forEach(metric -> json.put(metric.column().key(), median(cells, metric)));
    }
}
