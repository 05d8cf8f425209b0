package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.commons.csv.CSVRecord;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.Quantiles;
import org.isoloss.evaluation.ReferenceSpan;
import org.isoloss.report.Column;
import org.jspecify.annotations.Nullable;

/**
 * Tables 1 to 4: statistics of the fits' evaluations.
 *
 * <p>Labels {@code tab:experimental-main} and {@code tab:experimental-objectives} of the paper.
 */
final class FitTables {
    /** The seven settings of the paper, by the names of our task files, in its order. */
    static final List<String> SETTINGS =
            List.of("linear", "relu", "sigmoid-k1", "sigmoid-k2", "tanh", "gelu", "local-host");

    /** The declared cell: radius and factors. */
    static final double RADIUS = 0.5;

    private static final Map<String, Column> COLUMNS = columns();
    private static final Map<String, ToDoubleFunction<ErrorCell>> METRICS = metrics();

    private FitTables() {}

    private static Map<String, Column> columns() {
        Map<String, Column> columns = new LinkedHashMap<>();
        columns.put("motion_percent", Column.fixed("motion_percent", "Motion (%)", 2));
        for (String error : List.of("output", "composition", "inverse", "transport")) {
            columns.put(
                    error, Column.scientific(error, Character.toUpperCase(error.charAt(0)) + error.substring(1), 2));
        }
        return columns;
    }

    private static Map<String, ToDoubleFunction<ErrorCell>> metrics() {
        Map<String, ToDoubleFunction<ErrorCell>> metrics = new LinkedHashMap<>();
        metrics.put("motion_percent", cell -> cell.motionPercent().p50());
        metrics.put("output", cell -> cell.output().p95());
        metrics.put("composition", cell -> cell.composition().p95());
        metrics.put("inverse", cell -> cell.inverse().p95());
        metrics.put("transport", cell -> cell.transport().p95());
        return metrics;
    }

    /** The 95th percentile of a metric in the declared cell; motion is the median. */
    static ToDoubleFunction<Evaluation> declared(String metric) {
        ToDoubleFunction<ErrorCell> of = metric(metric);
        return evaluation -> of.applyAsDouble(evaluation.cell(RADIUS, 1));
    }

    /** The 95th percentile of a metric in a cell; motion is the median. */
    static ToDoubleFunction<ErrorCell> metric(String metric) {
        ToDoubleFunction<ErrorCell> of = METRICS.get(metric);
        if (of == null) {
            throw new IllegalArgumentException(
                    "FitTables: metric '%s' is unknown, expected one of %s".formatted(metric, METRICS.keySet()));
        }
        return of;
    }

    static Made main(Study study) throws IOException {
        List<String> metrics = List.of("motion_percent", "output", "composition", "inverse");
        ComparedTable table = compared(
                "table1",
                "Learned one-generator actions: medians over seeds of 95th percentiles at radius 0.5, one factor; motion is the median",
                study.protocol(),
                metrics);
        PaperTable paper = PaperTable.of("table1");
        for (String setting : SETTINGS) {
            for (Variant variant : study.protocol().variants()) {
                SettingFits fits = study.fits(setting, ObjectiveKind.HYBRID, variant);
                table = add(table, fits, metrics, paper.row(Map.of("setting", setting)));
            }
        }
        return Made.of(table);
    }

    /** The settings and objectives of the second table, in the paper's order. */
    static List<CSVRecord> objectives() {
        return PaperTable.of("table2").rows();
    }

    static Made objectives(Study study) throws IOException {
        List<String> metrics = List.of("output", "composition", "inverse", "transport");
        ComparedTable table = compared(
                "table2",
                "Objectives compared: medians over seeds of 95th percentiles at radius 0.5, one factor",
                study.protocol(),
                metrics);
        for (CSVRecord row : objectives()) {
            ObjectiveKind objective = Study.objective(row);
            for (Variant variant : study.protocol().variants()) {
                if (variant.objectives().contains(objective)) {
                    table = add(table, study.fits(row.get("setting"), objective, variant), metrics, row);
                }
            }
        }
        return Made.of(table);
    }

    /** The fits of the recipes that a search selected, beside the paper's numbers for the setting and objective. */
    static ComparedTable searched(List<SettingFits> winners, Protocol protocol) {
        List<String> metrics = List.of("output", "composition", "inverse", "transport");
        ComparedTable table = compared(
                "search-fits",
                "Recipes selected by the search: medians over seeds of 95th percentiles at radius 0.5, one factor",
                protocol,
                metrics);
        for (SettingFits fits : winners) {
            CSVRecord paper = PaperTable.of("table2")
                    .row(Map.of("setting", fits.setting(), "objective", SettingFits.label(fits.objective())));
            table = add(table, fits, metrics, paper);
        }
        return table;
    }

    private static ComparedTable compared(String name, String caption, Protocol protocol, List<String> metrics) {
        List<Column> measures = new ArrayList<>();
        metrics.forEach(metric -> measures.add(COLUMNS.get(metric)));
        measures.add(Column.count("fits", "Fits"));
        return ComparedTable.of(
                name, caption, protocol, ComparedTable.fitKeys(), measures, List.of(Column.count("seeds", "of seeds")));
    }

    private static ComparedTable add(
            ComparedTable table, SettingFits fits, List<String> metrics, @Nullable CSVRecord paper) {
        List<Number> values = new ArrayList<>();
        metrics.forEach(metric -> values.add(fits.median(declared(metric))));
        values.add(fits.fitCount());
        return table.row(ComparedTable.fitKeys(fits), values, paper, fits.seeds());
    }

    static Made dataDependence(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "table3",
                "The same moved weights on the conditioning batch and on a fresh one: medians over seeds of 95th percentiles, 128 samples, one to three factors",
                study.protocol(),
                ComparedTable.fitKeys(),
                List.of(
                        Column.scientific("conditioning", "Conditioning batch", 2),
                        Column.scientific("fresh", "Fresh batch", 2)),
                List.of(Column.count("seeds", "Seeds")));
        for (CSVRecord row : PaperTable.of("table3").rows()) {
            for (Variant variant : study.protocol().variants()) {
                SettingFits fits = study.fits(row.get("setting"), ObjectiveKind.HYBRID, variant);
                table = table.row(
                        ComparedTable.fitKeys(fits),
                        List.of(
                                fits.median(evaluation -> evaluation
                                        .dataDependence()
                                        .orElseThrow()
                                        .conditioning()
                                        .p95()),
                                fits.median(evaluation -> evaluation
                                        .dataDependence()
                                        .orElseThrow()
                                        .fresh()
                                        .p95())),
                        row,
                        fits.seeds());
            }
        }
        return Made.of(table);
    }

    static Made referenceSpans(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "table4",
                "Fields against the known symmetries: largest dimension and rank over seeds, median over seeds of the mean distance from the reference span, 24 points",
                study.protocol(),
                ComparedTable.fitKeys(),
                List.of(
                        Column.count("field_dimension", "Field dim."),
                        Column.count("orbit_rank", "Orbit rank"),
                        Column.scientific("reference_error", "Reference-span error", 2)),
                List.of(Column.count("seeds", "Seeds")));
        for (CSVRecord row : PaperTable.of("table4").rows()) {
            for (Variant variant : study.protocol().variants()) {
                SettingFits fits = study.fits(row.get("setting"), ObjectiveKind.HYBRID, variant);
                List<ReferenceSpan> spans = fits.parts(Evaluation::referenceSpan);
                table = table.row(
                        ComparedTable.fitKeys(fits),
                        List.of(
                                spans.stream()
                                        .mapToInt(span -> span.fieldDimension()
                                                .map(rank -> rank.rank())
                                                .orElse(0))
                                        .max()
                                        .orElse(0),
                                spans.stream()
                                        .mapToInt(ReferenceSpan::orbitRank)
                                        .max()
                                        .orElse(0),
                                Quantiles.of(fits.statistics(evaluation -> evaluation
                                                .referenceSpan()
                                                .orElseThrow()
                                                .meanError()))
                                        .p50()),
                        row,
                        fits.seeds());
            }
        }
        return Made.of(table);
    }
}
