package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.EvaluationGrid;
import org.isoloss.linalg.Matrix;
import org.isoloss.report.Axis;
import org.isoloss.report.Column;
import org.isoloss.report.Figure;
import org.isoloss.report.HeatMap;

/** The whole grid of radii and factors, where longer words show how far what was learned holds. */
final class GridMaps {
    private static final Metric OUTPUT =
            new Metric("output", cell -> cell.output().p95());
    private static final Metric COMPOSITION =
            new Metric("composition", cell -> cell.composition().p95());
    private static final Metric INVERSE =
            new Metric("inverse", cell -> cell.inverse().p95());

    private GridMaps() {}

    /** What is measured in each cell. */
    private record Metric(String name, ToDoubleFunction<ErrorCell> of) {
        double median(SettingFits fits, double radius, int factors) {
            return fits.median(evaluation -> of.applyAsDouble(evaluation.cell(radius, factors)));
        }
    }

    static Made make(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "grids",
                "Every radius and number of factors: medians over seeds of 95th percentiles",
                study.protocol(),
                ComparedTable.with(
                        ComparedTable.fitKeys(),
                        Column.fixed("radius", "Radius", 1),
                        Column.count("factors", "Factors")),
                List.of(),
                List.of(
                        Column.scientific("output", "Output", 2),
                        Column.scientific("composition", "Composition", 2),
                        Column.scientific("inverse", "Inverse", 2),
                        Column.count("seeds", "Seeds")));
        List<Figure> figures = new ArrayList<>();
        for (String setting : FitTables.SETTINGS) {
            for (Variant variant : study.protocol().variants()) {
                SettingFits fits = study.fits(setting, ObjectiveKind.HYBRID, variant);
                for (double radius : EvaluationGrid.PAPER.radii()) {
                    for (int factors : EvaluationGrid.PAPER.factors()) {
                        List<Object> keys = new ArrayList<>(ComparedTable.fitKeys(fits));
                        keys.addAll(List.of(radius, factors));
                        table = table.row(
                                keys,
                                List.of(),
                                null,
                                OUTPUT.median(fits, radius, factors),
                                COMPOSITION.median(fits, radius, factors),
                                INVERSE.median(fits, radius, factors),
                                fits.seeds());
                    }
                }
                for (Metric metric : List.of(OUTPUT, COMPOSITION)) {
                    map(study, fits, metric).ifPresent(figures::add);
                }
            }
        }
        return new Made(List.of(table), figures);
    }

    /** Nothing where a median is not a positive number, which a shade cannot show; the table has it. */
    private static Optional<Figure> map(Study study, SettingFits fits, Metric metric) {
        List<Double> radii = EvaluationGrid.PAPER.radii();
        List<Integer> factors = EvaluationGrid.PAPER.factors();
        Matrix cells = Matrix.zeros(radii.size(), factors.size());
        for (int i = 0; i < radii.size(); i++) {
            for (int j = 0; j < factors.size(); j++) {
                double value = metric.median(fits, radii.get(i), factors.get(j));
                if (!(value > 0) || Double.isInfinite(value)) {
                    return Optional.empty();
                }
                cells.set(i, j, value);
            }
        }
        String variant =
                fits.variant().equals(Variant.OURS) ? "" : "-" + fits.variant().name();
        HeatMap map = new HeatMap(
                        "radius of the words",
                        radii.stream().map(String::valueOf).toList(),
                        "factors",
                        factors.stream().map(String::valueOf).toList(),
                        Axis.log(metric.name() + " error", ""),
                        cells)
                .marked(radii.indexOf(FitTables.RADIUS), factors.indexOf(1));
        return Optional.of(new Figure(
                "grid-%s%s-%s".formatted(fits.setting(), variant, metric.name()),
                "%s: %s error by radius and factors".formatted(fits.setting(), metric.name()),
                "Medians over seeds of the 95th percentile of the %s error in each cell of the test grid, the darker the larger. The frame marks the cell of the paper's tables: radius 0.5, one factor. (%s)"
                        .formatted(metric.name(), study.protocol().words()),
                map));
    }
}
