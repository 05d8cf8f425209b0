package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVRecord;
import org.isoloss.report.Column;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ComparedTableTest {
    private static ComparedTable table() {
        return ComparedTable.of(
                "t",
                "caption",
                Protocol.FULL,
                List.of(Column.text("setting", "Setting")),
                List.of(Column.scientific("output", "Output", 2)),
                List.of());
    }

    private static @Nullable CSVRecord linear() {
        return PaperTable.of("table1").row(Map.of("setting", "linear"));
    }

    @Test
    void aNumberStandsBesideThePapers() {
        assertThat(table().row(List.of("linear"), List.of(9.46e-4), linear()).json())
                .contains("\"output_paper\" : 4.73E-4", "\"output_ratio\" : 2.0");
    }

    /** One row of the paper is enough for its columns. */
    @Test
    void withoutAnyRowOfThePaperThereAreNoColumnsForIt() {
        ComparedTable none = table().row(List.of("mine"), List.of(1.0), null);
        assertThat(none.json()).doesNotContain("paper", "ratio");
        assertThat(none.table().toText()).doesNotContain("paper", "ratio");
        assertThat(none.row(List.of("linear"), List.of(1.0), linear()).json()).contains("output_paper", "output_ratio");
    }
}
