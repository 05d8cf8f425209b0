package org.isoloss.report;

import org.isoloss.checkpoint.EditReport;

/** What an edit did to the stored weights, for a reader. */
public final class EditTable {
    private EditTable() {}

    /**
     * Lists how many weights were meant to change and how many did.
     *
     * @param report of the writer
     * @return one tensor a row
     */
    public static Table of(EditReport report) {
        Table table = Table.of(
                "Weights that changed, after rounding to the stored type",
                Column.text("tensor", "Tensor"),
                Column.text("type", "Type"),
                Column.count("weights", "Weights"),
                Column.count("meant", "Meant"),
                Column.count("changed", "Changed"),
                Column.count("median_ulps", "Median ulps"),
                Column.count("max_ulps", "Largest ulps"));
        for (EditReport.EditedTensor tensor : report.tensors()) {
            table = table.row(
                    tensor.name(),
                    tensor.type().toString(),
                    tensor.weights(),
                    tensor.requested(),
                    tensor.changed(),
                    tensor.medianUlps(),
                    tensor.maxUlps());
        }
        return table;
    }
}
