package org.isoloss.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.isoloss.evaluation.Criterion;
import org.isoloss.evaluation.JudgedBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class BatchesReportTest {
    /** Batches of condition 1 to 20 with output errors 1e-4 to 20e-4, of which the first ten fit, and one that is left out. */
    private static List<JudgedBatch> batches() {
        List<JudgedBatch> batches = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            batches.add(new JudgedBatch(
                    i,
                    i,
                    0.1 * i,
                    Map.of(Criterion.OUTPUT, i * 1e-4, Criterion.MOTION, 0.1),
                    i <= 10 ? List.of() : List.of(Criterion.OUTPUT),
                    i <= 10));
        }
        batches.add(new JudgedBatch(21, Double.POSITIVE_INFINITY, Double.NaN, Map.of(), List.of(), false));
        return batches;
    }

    private final BatchesReport report = new BatchesReport("sample", batches());

    @Test
    void whatFitsAndWhatIsLeftOutIsCounted() {
        assertThat(report.fits()).isEqualTo(10);
        assertThat(report.leftOut()).isEqualTo(1);
        assertThat(report.verdict())
                .isEqualTo(
                        "fits on 10 of 21 unseen batches; 1 left out, because the condition of the compensating features is above 1e4, and counted as missed");
        assertThat(report.percentile(Criterion.OUTPUT, 0.5)).isEqualTo(11e-4);
        assertThat(report.percentile(Criterion.OUTPUT, 1)).isEqualTo(20e-4);
        assertThat(report.percentile(Criterion.CANCELLATION, 0.5)).isNaN();
    }

    @Test
    void tablesHaveEachMeasureAndEachBatch() {
        assertThat(report.summary().toText()).contains("output", "motion").doesNotContain("cancellation");
        Map<String, @Nullable Object> output = report.summary().toJsonRows().getFirst();
        assertThat(output).containsEntry("measured", "output").containsEntry("missed", 10);
        assertThat(report.table().toJsonRows()).hasSize(21);
        assertThat(report.table().toJsonRows().getLast())
                .containsEntry("left_out", true)
                .containsEntry("condition", null);
        assertThat(JsonMapper.shared().writeValueAsString(report.json())).contains("\"fits\":10");
    }

    @Test
    void picturesShowErrorsAndSharesOnBothAxes() {
        assertThat(report.figures())
                .extracting(Figure::name)
                .containsExactly(
                        "sample-output-condition",
                        "sample-fits-condition",
                        "sample-output-distance",
                        "sample-fits-distance");
        // sixteen batches in the first point, of which ten fit, and four in the second
        assertThat(report.figures().get(1).chart().data("shares").toJsonRows())
                .extracting(row -> row.get("y"))
                .containsExactly(10.0 / 16, 0.0);
    }
}
