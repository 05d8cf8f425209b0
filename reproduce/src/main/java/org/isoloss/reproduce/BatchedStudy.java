package org.isoloss.reproduce;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.isoloss.action.BatchedAction;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.Criterion;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.evaluation.JudgedBatch;
import org.isoloss.evaluation.Tolerances;
import org.isoloss.evaluation.UnseenBatches;
import org.isoloss.network.SitePool;
import org.isoloss.report.BatchesReport;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.reproduce.StudyCells.Cell;
import org.isoloss.reproduce.StudyCells.Work;
import org.isoloss.task.BatchedSite;

/**
 * Beside the paper: one action for many batches, on batches of another pool. Numbers are medians over the seeds of what 64 batches of a
 * seed have; the same actions, at hand for one batch only, are the control.
 */
final class BatchedStudy {
    static final List<String> SETTINGS = List.of(
            "batched-sigmoid-k1",
            "batched-sigmoid-k2",
            "batched-digits-4",
            "batched-digits-8",
            "batched-neox-layer6-8");

    private BatchedStudy() {}

    static List<FitRequest> needs(Study study) throws IOException {
        return needs(study, SETTINGS);
    }

    private static List<FitRequest> needs(Study study, List<String> settings) throws IOException {
        List<FitRequest> requests = new ArrayList<>();
        for (String setting : settings) {
            requests.addAll(study.requests(setting, ObjectiveKind.HYBRID, Variant.OURS));
        }
        return requests;
    }

    static Made make(Study study, Work work) throws IOException, InterruptedException {
        return make(study, SETTINGS, work);
    }

    /** Makes a part of it of the finished fits. */
    static Made make(Study study, List<String> settings, Work work) throws IOException, InterruptedException {
        List<Cell> cells = new ArrayList<>();
        for (FitRequest request : needs(study, settings)) {
            if (!study.cache().hasDiverged(request)) {
                cells.add(Cell.of(request.label(), request.seed(), () -> rows(study, request)));
            }
        }
        List<Map<String, Object>> rows = StudyCells.rows("unseen batches", study.batchesFolder(), cells, work);
        List<Figure> figures = new ArrayList<>();
        ComparedTable table = table(study);
        for (String setting : settings) {
            List<Map<String, Object>> own = rows.stream()
                    .filter(row -> setting.equals(row.get("setting")))
                    .toList();
            if (!own.isEmpty()) {
                table = row(table, setting, own);
                figures.addAll(new BatchesReport(setting, batches(own, false)).figures());
            }
        }
        return new Made(List.of(table), figures);
    }

    private static List<Map<String, Object>> rows(Study study, FitRequest request) {
        try {
            BatchedSite site = study.cache().setting(request).batches().orElseThrow();
            SitePool unseen = site.unseen().orElseThrow();
            BatchedAction action = (BatchedAction) study.cache().action(request);
            var judge = new UnseenBatches(site.pool(), site::problem, EvaluationGrid.DECLARED, Tolerances.PAPER);
            List<Map<String, Object>> rows = new ArrayList<>();
            judge.judge(action, unseen, UnseenBatches.COUNT, () -> {}, Streams.TEST.stream(request.seed()))
                    .forEach(batch -> rows.add(row(request, batch, false)));
            judge.judgeIgnoring(action, unseen, UnseenBatches.COUNT, () -> {}, Streams.TEST.stream(request.seed()))
                    .forEach(batch -> rows.add(row(request, batch, true)));
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> row(FitRequest request, JudgedBatch batch, boolean ignoring) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("setting", request.task().name());
        row.put("seed", request.seed());
        row.put("ignoring", ignoring);
        row.put("batch", batch.number());
        row.put("condition", Double.toString(batch.condition())); // may be infinite
        row.put("distance", Double.toString(batch.distance()));
        batch.values().forEach((criterion, value) -> row.put(criterion.key(), Double.toString(value)));
        row.put("missed", batch.missed().stream().map(Criterion::key).toList());
        row.put("fits", batch.fits());
        return row;
    }

    private static List<JudgedBatch> batches(List<Map<String, Object>> rows, boolean ignoring) {
        return rows.stream()
                .filter(row -> Boolean.valueOf(ignoring).equals(row.get("ignoring")))
                .map(BatchedStudy::batch)
                .toList();
    }

    private static JudgedBatch batch(Map<String, Object> row) {
        Map<Criterion, Double> values = new LinkedHashMap<>();
        for (Criterion criterion : Criterion.values()) {
            if (row.containsKey(criterion.key())) {
                values.put(criterion, Double.valueOf(String.valueOf(row.get(criterion.key()))));
            }
        }
        return new JudgedBatch(
                CensusRow.count(row, "batch"),
                Double.parseDouble(String.valueOf(row.get("condition"))),
                Double.parseDouble(String.valueOf(row.get("distance"))),
                values,
                missed(row),
                Boolean.TRUE.equals(row.get("fits")));
    }

    private static List<Criterion> missed(Map<String, Object> row) {
        return row.get("missed") instanceof List<?> keys
                ? keys.stream().map(key -> Criterion.of(String.valueOf(key))).toList()
                : List.of();
    }

    private static ComparedTable table(Study study) {
        return ComparedTable.of(
                "batched",
                "One action for many batches on batches that its training did not see, 64 for each seed: fits over all seeds; of errors the median over the seeds of the median, the 90th percentile and the largest over batches",
                study.protocol(),
                List.of(Column.text("setting", "Setting")),
                List.of(),
                List.of(
                        Column.count("fits", "Fits"),
                        Column.count("batches", "Of"),
                        Column.count("left_out", "Left out"),
                        Column.percent("share", "Share", 1),
                        Column.scientific("output", "Output", 2),
                        Column.scientific("output_p90", "p90", 2),
                        Column.scientific("output_largest", "Largest", 2),
                        Column.scientific("composition", "Composition", 2),
                        Column.scientific("inverse", "Inverse", 2),
                        Column.scientific("cancellation", "Cancellation", 2),
                        Column.scientific("motion", "Motion", 2),
                        Column.scientific("motion_p90", "Motion p90", 2),
                        Column.scientific("condition_largest", "Largest condition", 2),
                        Column.count("ignoring_fits", "Fits, ignoring X"),
                        Column.scientific("ignoring_output", "Output, ignoring X", 2)));
    }

    private static ComparedTable row(ComparedTable table, String setting, List<Map<String, Object>> rows) {
        List<BatchesReport> seeds = bySeed(rows, false);
        List<BatchesReport> ignoring = bySeed(rows, true);
        int fits = seeds.stream().mapToInt(BatchesReport::fits).sum();
        List<JudgedBatch> all = batches(rows, false);
        return table.row(
                List.of(setting),
                List.of(),
                null,
                fits,
                all.size(),
                seeds.stream().mapToInt(BatchesReport::leftOut).sum(),
                (double) fits / all.size(),
                median(seeds, Criterion.OUTPUT, 0.5),
                median(seeds, Criterion.OUTPUT, 0.9),
                median(seeds, Criterion.OUTPUT, 1),
                median(seeds, Criterion.COMPOSITION, 0.5),
                median(seeds, Criterion.INVERSE, 0.5),
                median(seeds, Criterion.CANCELLATION, 0.5),
                median(seeds, Criterion.MOTION, 0.5),
                median(seeds, Criterion.MOTION, 0.9),
                all.stream()
                        .filter(batch -> !batch.isLeftOut())
                        .mapToDouble(JudgedBatch::condition)
                        .max()
                        .orElse(Double.NaN),
                ignoring.stream().mapToInt(BatchesReport::fits).sum(),
                median(ignoring, Criterion.OUTPUT, 0.5));
    }

    private static List<BatchesReport> bySeed(List<Map<String, Object>> rows, boolean ignoring) {
        Map<Object, List<Map<String, Object>>> seeds = new LinkedHashMap<>();
        rows.forEach(row -> seeds.computeIfAbsent(row.get("seed"), seed -> new ArrayList<>())
                .add(row));
        return seeds.values().stream()
                .map(own -> new BatchesReport("seed", batches(own, ignoring)))
                .toList();
    }

    private static double median(List<BatchesReport> seeds, Criterion criterion, double share) {
        ToDoubleFunction<BatchesReport> number = report -> report.percentile(criterion, share);
        double[] sorted = seeds.stream().mapToDouble(number).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1
                ? sorted[middle]
                : Arrays.stream(sorted, middle - 1, middle + 1).average().orElseThrow();
    }
}
