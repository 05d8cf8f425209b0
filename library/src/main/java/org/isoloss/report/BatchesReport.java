package org.isoloss.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.isoloss.evaluation.Criterion;
import org.isoloss.evaluation.JudgedBatch;
import org.isoloss.evaluation.Tolerances;
import org.jspecify.annotations.Nullable;

/** How an action for many batches does on batches that its training did not see: tables, pictures, and all numbers. */
public final class BatchesReport {
    /** Batches of one point in the pictures of what fits. */
    private static final int TOGETHER = 16;

    private final String name;
    private final List<JudgedBatch> batches;

    /**
     * Takes the results.
     *
     * @param name what was judged, as captions and files call it: letters, digits and hyphens
     * @param batches at least one
     */
    public BatchesReport(String name, List<JudgedBatch> batches) {
        this.name = name;
        this.batches = List.copyOf(batches);
    }

    /** {@return on how many batches every tolerance is met} */
    public int fits() {
        return (int) batches.stream().filter(JudgedBatch::fits).count();
    }

    /** {@return how many batches are not admissible} */
    public int leftOut() {
        return (int) batches.stream().filter(JudgedBatch::isLeftOut).count();
    }

    /** {@return what was measured, sorted, of the batches that are not left out: empty where it was not measured on any} */
    private double[] values(Criterion criterion) {
        return batches.stream()
                .flatMapToDouble(batch -> batch.value(criterion).stream())
                .sorted()
                .toArray();
    }

    /**
     * Returns a percentile over the batches that are not left out.
     *
     * @param criterion what was measured
     * @param share from 0 to 1
     * @return the number at this share of the sorted ones, the next larger one between two; NaN where nothing was measured
     */
    public double percentile(Criterion criterion, double share) {
        double[] sorted = values(criterion);
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * (sorted.length - 1))];
    }

    /** {@return one row for each thing measured: its least, median, 90th percentile and largest over the batches} */
    public Table summary() {
        List<Criterion> measured = Arrays.stream(Criterion.values())
                .filter(criterion -> values(criterion).length > 0)
                .toList();
        return Table.of(
                        "%s: %d batches that the training did not see; 95th percentiles at radius 0.5, one factor; motion and moving change are medians"
                                .formatted(name, batches.size()),
                        measured)
                .add(Column.text("measured", "Measured"), Criterion::key)
                .add(Column.scientific("least", "Least", 2), criterion -> percentile(criterion, 0))
                .add(Column.scientific("median", "Median", 2), criterion -> percentile(criterion, 0.5))
                .add(Column.scientific("p90", "p90", 2), criterion -> percentile(criterion, 0.9))
                .add(Column.scientific("largest", "Largest", 2), criterion -> percentile(criterion, 1))
                .add(Column.scientific("limit", "Limit", 1), Tolerances.PAPER::limit)
                .add(Column.count("missed", "Missed"), criterion -> (int) batches.stream()
                        .filter(batch -> batch.missed().contains(criterion))
                        .count())
                .table();
    }

    /** {@return one row for each batch} */
    public Table table() {
        return Table.of("%s: each batch".formatted(name), batches)
                .add(Column.count("batch", "Batch"), JudgedBatch::number)
                .add(Column.scientific("condition", "Condition", 2), batch -> finite(batch.condition()))
                .add(Column.scientific("distance", "Distance", 2), batch -> finite(batch.distance()))
                .add(Column.scientific("output", "Output", 2), value(Criterion.OUTPUT))
                .add(Column.scientific("composition", "Composition", 2), value(Criterion.COMPOSITION))
                .add(Column.scientific("inverse", "Inverse", 2), value(Criterion.INVERSE))
                .add(Column.scientific("moving_change", "Moving change", 2), value(Criterion.MOVING_CHANGE))
                .add(Column.scientific("cancellation", "Cancellation", 2), value(Criterion.CANCELLATION))
                .add(Column.flag("left_out", "Left out"), JudgedBatch::isLeftOut)
                .add(Column.flag("fits", "Fits"), JudgedBatch::fits)
                .table();
    }

    private static Function<JudgedBatch, @Nullable Object> value(Criterion criterion) {
        return batch -> batch.value(criterion).isPresent()
                ? finite(batch.value(criterion).getAsDouble())
                : null;
    }

    private static @Nullable Double finite(double number) {
        return Double.isFinite(number) ? number : null;
    }

    /** {@return one line: on how many batches it fits, and how many are left out} */
    public String verdict() {
        return "fits on %d of %d unseen batches; %s"
                .formatted(
                        fits(),
                        batches.size(),
                        leftOut() == 0
                                ? "none is left out"
                                : "%d left out, because the condition of the compensating features is above 1e4, and counted as missed"
                                        .formatted(leftOut()));
    }

    /** {@return everything for a JSON writer} */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("batches", batches.size());
        json.put("fits", fits());
        json.put("left_out", leftOut());
        json.put("summary", summary().toJsonRows());
        json.put("each", table().toJsonRows());
        return json;
    }

    /** {@return the output error and the share that fits, against the condition of the features and the distance from the pool} */
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        pair("condition", "condition of the compensating features", JudgedBatch::condition, figures);
        pair("distance", "distance from the pool", JudgedBatch::distance, figures);
        return figures;
    }

    private void pair(String key, String words, ToDoubleFunction<JudgedBatch> place, List<Figure> figures) {
        List<JudgedBatch> placed = batches.stream()
                .filter(batch -> Double.isFinite(place.applyAsDouble(batch)) && place.applyAsDouble(batch) > 0)
                .sorted(Comparator.comparingDouble(place))
                .toList();
        if (placed.isEmpty()
                || place.applyAsDouble(placed.getFirst())
                        == place.applyAsDouble(placed.getLast())) { // one place is no axis
            return;
        }
        List<Series> points = new ArrayList<>();
        points("fits", placed.stream().filter(JudgedBatch::fits).toList(), place, points);
        points(
                "misses",
                placed.stream()
                        .filter(batch -> !batch.fits() && !batch.isLeftOut())
                        .toList(),
                place,
                points);
        if (!points.isEmpty()) {
            double[] ends = {place.applyAsDouble(placed.getFirst()), place.applyAsDouble(placed.getLast())};
            double limit = Tolerances.PAPER.output();
            points.add(Series.of("tolerance", Series.Style.REFERENCE, ends, new double[] {limit, limit}));
            figures.add(new Figure(
                    "%s-output-%s".formatted(name, key),
                    "Output error on unseen batches against the " + words,
                    "Each point is a batch; %s.".formatted(verdict()),
                    new LineChart(Axis.log(words, ""), Axis.log("output error", "$s_F$"), points)));
        }
        figures.add(new Figure(
                "%s-fits-%s".formatted(name, key),
                "Share of unseen batches that fit against the " + words,
                "Each point stands for up to %d batches in the order of this axis, at their median; %s."
                        .formatted(TOGETHER, verdict()),
                new LineChart(
                        Axis.log(words, ""), Axis.linear("share that fits", ""), List.of(shares(placed, place)))));
    }

    private static void points(
            String series, List<JudgedBatch> batches, ToDoubleFunction<JudgedBatch> place, List<Series> points) {
        List<JudgedBatch> finite = batches.stream()
                .filter(batch -> Double.isFinite(batch.value(Criterion.OUTPUT).orElse(Double.NaN)))
                .toList();
        if (!finite.isEmpty()) {
            points.add(Series.of(
                    series,
                    Series.Style.POINTS,
                    finite.stream().mapToDouble(place).toArray(),
                    finite.stream()
                            .mapToDouble(batch -> batch.value(Criterion.OUTPUT).orElseThrow())
                            .toArray()));
        }
    }

    private static Series shares(List<JudgedBatch> placed, ToDoubleFunction<JudgedBatch> place) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int from = 0; from < placed.size(); from += TOGETHER) {
            List<JudgedBatch> group = placed.subList(from, Math.min(from + TOGETHER, placed.size()));
            x.add(place.applyAsDouble(group.get(group.size() / 2)));
            y.add(group.stream().filter(JudgedBatch::fits).count() / (double) group.size());
        }
        return Series.line("fits", x, y);
    }
}
