package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.discovery.Streams;
import org.isoloss.evaluation.PairedHost;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.report.Axis;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.report.LineChart;
import org.isoloss.report.Series;
import org.isoloss.task.Setting;

/**
 * Table 6 and Figure 2 (c): discovery on one unit of a host beside discovery on all of it.
 *
 * <p>Label {@code tab:experimental-paired} of the paper.
 */
final class HostResults {
    /** The part and the whole, by the names of our task files. */
    static final List<String> SETTINGS = List.of("local-host", "full-host");

    private HostResults() {}

    /** For each seed for which both fits are there, one comparison a radius. */
    private static Map<Long, List<PairedHost>> pairs(Study study, Variant variant) throws IOException {
        Map<Long, List<PairedHost>> pairs = new LinkedHashMap<>();
        for (long seed : study.protocol().seeds()) {
            FitRequest local = study.request(SETTINGS.getFirst(), ObjectiveKind.HYBRID, variant, seed);
            FitRequest full = study.request(SETTINGS.getLast(), ObjectiveKind.HYBRID, variant, seed);
            if (!study.cache().hasDiverged(local) && !study.cache().hasDiverged(full)) {
                Setting part = study.cache().setting(local);
                Setting whole = study.cache().setting(full);
                pairs.put(
                        seed,
                        PairedHost.of(
                                study.cache().action(local),
                                part.dense().support(),
                                study.cache().action(full),
                                whole.problem().target(),
                                whole.problem().points(),
                                Streams.TEST.stream(seed)));
            }
        }
        if (pairs.isEmpty()) {
            throw new IllegalArgumentException("every fit of the host diverged; lower the learning rate");
        }
        return pairs;
    }

    private static double[] seeds(Map<Long, List<PairedHost>> pairs, int radius, ToDoubleFunction<PairedHost> of) {
        return pairs.values().stream()
                .mapToDouble(pair -> of.applyAsDouble(pair.get(radius)))
                .toArray();
    }

    private static double median(Map<Long, List<PairedHost>> pairs, int radius, ToDoubleFunction<PairedHost> of) {
        return Quantiles.of(seeds(pairs, radius, of)).p50();
    }

    static Made table(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "table6",
                "Local and full discovery in the (2, 8, 8, 1) host on the same parameters, inputs and coefficients, two factors: medians over seeds of median displacements and of 95th percentiles of absolute output errors",
                study.protocol(),
                List.of(
                        Column.fixed("radius", "Radius", 1),
                        Column.text("recipe", "Recipe"),
                        Column.text("action", "Action")),
                List.of(
                        Column.fixed("local_motion", "Local motion", 4),
                        Column.fixed("full_motion", "Full motion", 4),
                        Column.scientific("local_output", "Local output", 2),
                        Column.scientific("full_output", "Full output", 2)),
                List.of(
                        Column.ratio("least_seed_ratio", "Full/local, least seed", 1),
                        Column.ratio("largest_seed_ratio", "largest seed", 1),
                        Column.count("seeds", "Seeds")));
        ComparedTable each = ComparedTable.of(
                "table6-seeds",
                "Local and full discovery, seed by seed: absolute output errors, 95th percentiles",
                study.protocol(),
                List.of(
                        Column.count("seed", "Seed"),
                        Column.fixed("radius", "Radius", 1),
                        Column.text("recipe", "Recipe"),
                        Column.text("action", "Action")),
                List.of(),
                List.of(
                        Column.scientific("local_output", "Local output", 2),
                        Column.scientific("full_output", "Full output", 2),
                        Column.ratio("full_over_local", "Full/local", 1)));
        PaperTable paper = PaperTable.of("table6");
        for (Variant variant : study.protocol().variants()) {
            Map<Long, List<PairedHost>> pairs = pairs(study, variant);
            for (int i = 0; i < PairedHost.RADII.size(); i++) {
                double radius = PairedHost.RADII.get(i);
                double[] ratios = seeds(pairs, i, PairedHost::ratio);
                table = table.row(
                        List.of(radius, variant.recipe(), variant.action()),
                        List.of(
                                median(pairs, i, PairedHost::localMotion),
                                median(pairs, i, PairedHost::fullMotion),
                                median(pairs, i, PairedHost::localOutput),
                                median(pairs, i, PairedHost::fullOutput)),
                        paper.row(Map.of("radius", Double.toString(radius))),
                        Arrays.stream(ratios).min().orElseThrow(),
                        Arrays.stream(ratios).max().orElseThrow(),
                        pairs.size());
                for (Map.Entry<Long, List<PairedHost>> pair : pairs.entrySet()) {
                    PairedHost at = pair.getValue().get(i);
                    each = each.row(
                            List.of(pair.getKey(), radius, variant.recipe(), variant.action()),
                            List.of(),
                            null,
                            at.localOutput(),
                            at.fullOutput(),
                            at.ratio());
                }
            }
        }
        return Made.of(table, each);
    }

    /** Output error over displacement, the four radii as points. */
    static Figure figure(Study study, Variant variant, String name) throws IOException {
        Map<Long, List<PairedHost>> pairs = pairs(study, variant);
        List<Series> series = new ArrayList<>();
        series.add(line("one unit, 10 weights", pairs, PairedHost::localMotion, PairedHost::localOutput));
        series.add(line("all 88 weights", pairs, PairedHost::fullMotion, PairedHost::fullOutput));
        return new Figure(
                name,
                "(c) Subnetwork discovery",
                "Absolute error of the whole network's outputs, 95th percentile, over the median displacement of the weights, for discovery on the weights of one unit and on all weights of the host: the same parameters, inputs and coefficients, radii 0.1, 0.3, 0.5 and 0.8. Medians over seeds; the shading spans the seeds. (%s)"
                        .formatted(study.protocol().words()),
                new LineChart(
                        Axis.linear("displacement of the weights", ""),
                        Axis.log("full-network output error", ""),
                        series));
    }

    private static Series line(
            String name,
            Map<Long, List<PairedHost>> pairs,
            ToDoubleFunction<PairedHost> motion,
            ToDoubleFunction<PairedHost> error) {
        int count = PairedHost.RADII.size();
        double[] x = new double[count];
        double[] y = new double[count];
        double[] low = new double[count];
        double[] high = new double[count];
        for (int i = 0; i < count; i++) {
            x[i] = median(pairs, i, motion);
            y[i] = median(pairs, i, error);
            double[] errors = seeds(pairs, i, error);
            low[i] = Arrays.stream(errors).min().orElseThrow();
            high[i] = Arrays.stream(errors).max().orElseThrow();
        }
        return Series.of(name, Series.Style.LINE, x, y).withBand(low, high);
    }
}
