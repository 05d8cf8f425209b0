package org.isoloss.reproduce;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.isoloss.discovery.ObjectiveKind;
import org.isoloss.evaluation.BracketCompatibility;
import org.isoloss.evaluation.ErrorCell;
import org.isoloss.evaluation.Evaluation;
import org.isoloss.evaluation.InfinitesimalAction;
import org.isoloss.evaluation.ReferenceSpan;
import org.isoloss.report.Column;

/**
 * Beside the paper: two generators learned at once. Their fields should span two dimensions inside the known symmetries, and
 * mixed words should compose.
 */
final class TwoGenerators {
    static final List<String> SETTINGS = List.of("linear-two");

    private TwoGenerators() {}

    static Made table(Study study) throws IOException {
        ComparedTable table = ComparedTable.of(
                "generators",
                "Two generators on the linear network, seed by seed: fields against the known symmetries at 24 points, errors of words that mix both generators (95th percentiles at radius 0.5, the worse of one, two and four factors), and brackets",
                study.protocol(),
                List.of(Column.text("setting", "Setting"), Column.count("seed", "Seed")),
                List.of(),
                List.of(
                        Column.count("field_dimension", "Field dim."),
                        Column.count("orbit_rank", "Orbit rank"),
                        Column.scientific("reference_error", "Reference-span error", 2),
                        Column.scientific("output", "Output", 2),
                        Column.scientific("composition", "Composition", 2),
                        Column.scientific("inverse", "Inverse", 2),
                        Column.scientific("bracket", "Bracket residual (p95)", 2),
                        Column.count("algebra_dimension", "Generated algebra dim.")));
        for (FitRequest request : study.requests(SETTINGS.getFirst(), ObjectiveKind.HYBRID, Variant.OURS)) {
            Optional<Evaluation> evaluation = study.cache().evaluation(request);
            if (evaluation.isPresent()) {
                table = row(table, request, evaluation.get());
            }
        }
        if (table.table().toJsonRows().isEmpty()) {
            throw new IllegalArgumentException("every fit of two generators diverged; lower the learning rate");
        }
        return Made.of(table);
    }

    private static ComparedTable row(ComparedTable table, FitRequest request, Evaluation evaluation) {
        Optional<ReferenceSpan> span = evaluation.referenceSpan();
        Optional<InfinitesimalAction> fields = evaluation.infinitesimalAction();
        List<ErrorCell> cells = List.of(
                evaluation.cell(FitTables.RADIUS, 1),
                evaluation.cell(FitTables.RADIUS, 2),
                evaluation.cell(FitTables.RADIUS, 4));
        return table.row(
                List.of(request.task().name(), request.seed()),
                List.of(),
                null,
                span.flatMap(ReferenceSpan::fieldDimension)
                        .map(rank -> rank.rank())
                        .orElse(0),
                span.map(ReferenceSpan::orbitRank).orElse(0),
                span.map(ReferenceSpan::meanError).orElse(Double.NaN),
                worst(cells, "output"),
                worst(cells, "composition"),
                worst(cells, "inverse"),
                fields.flatMap(InfinitesimalAction::brackets)
                        .map(TwoGenerators::residual)
                        .orElse(Double.NaN),
                fields.map(InfinitesimalAction::algebraDimension).orElse(0));
    }

    private static double worst(List<ErrorCell> cells, String error) {
        return cells.stream()
                .mapToDouble(cell -> FitTables.metric(error).applyAsDouble(cell))
                .max()
                .orElseThrow();
    }

    private static double residual(BracketCompatibility brackets) {
        return brackets.pairs().getFirst().quantiles().p95();
    }
}
