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
        return Table.of("Weights that changed, after rounding to the stored type", report.tensors())
                .add(Column.text("tensor", "Tensor"), EditReport.EditedTensor::name)
                .add(Column.text("type", "Type"), tensor -> tensor.type().toString())
                .add(Column.count("weights", "Weights"), EditReport.EditedTensor::weights)
                .add(Column.count("meant", "Meant"), EditReport.EditedTensor::requested)
                .add(Column.count("changed", "Changed"), EditReport.EditedTensor::changed)
                .add(Column.count("median_ulps", "Median ulps"), EditReport.EditedTensor::medianUlps)
                .add(Column.count("max_ulps", "Largest ulps"), EditReport.EditedTensor::maxUlps)
                .table();
    }
}
