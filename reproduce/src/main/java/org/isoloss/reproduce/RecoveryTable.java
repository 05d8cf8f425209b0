package org.isoloss.reproduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.affine.AffineFields;
import org.isoloss.affine.ConstraintSolver;
import org.isoloss.affine.Recovery;
import org.isoloss.report.Column;
import org.isoloss.report.RecoveryReport;
import org.isoloss.task.RecoveryTask;

/** Table 5: affine fields, which nothing is trained for. */
final class RecoveryTable {
    private static final List<String> NETWORKS =
            List.of("linear-2-2-2", "linear-2-2-2-2", "relu-2-3-2", "relu-2-3-3-1", "relu-2-2-2-2-2-1");

    private RecoveryTable() {}

    /** What is recovered of a network of the examples. */
    static RecoveryReport report(Study study, String network) throws IOException {
        RecoveryTask task =
                RecoveryTask.read(study.examples().resolve("recover").resolve(network + ".yaml"), Map.of());
        // one decomposition of all constraints, as the captions say
        Recovery recovery = task.question(ConstraintSolver.DENSE).recover();
        return new RecoveryReport(task.name(), recovery, 0);
    }

    static Made table(Study study) throws IOException {
        Protocol ownSeeds = new Protocol(
                AffineFields.SEEDS, false, Map.of(), study.protocol().variants());
        ComparedTable table = ComparedTable.of(
                "table5",
                "Recovery by the affine-field solver: medians over extraction seeds of 95th percentiles over 128 samples, four factors",
                ownSeeds,
                List.of(Column.text("network", "Network"), Column.text("widths", "Widths")),
                List.of(
                        Column.count("dimension", "Dimension"),
                        Column.count("center", "Center"),
                        Column.count("derived", "Derived"),
                        Column.scientific("output", "Output error", 2)),
                List.of());
        PaperTable paper = PaperTable.of("table5");
        for (String network : NETWORKS) {
            Map<String, Object> row = new LinkedHashMap<>();
            report(study, network).paperTable().toJsonRows().getFirst().forEach((key, value) -> {
                if (value != null) {
                    row.put(key, value);
                }
            });
            String kind = (String) row.get("network");
            String widths = (String) row.get("widths");
            List<Number> values = new ArrayList<>();
            for (String key : List.of("dimension", "center", "derived", "output_error")) {
                if (!(row.get(key) instanceof Number number)) {
                    throw new IllegalStateException(
                            "%s: no %s was recovered; run 'isoloss recover' to see why".formatted(network, key));
                }
                values.add(number);
            }
            table = table.row(List.of(kind, widths), values, paper.row(Map.of("network", kind, "widths", widths)));
        }
        return Made.of(table);
    }
}
