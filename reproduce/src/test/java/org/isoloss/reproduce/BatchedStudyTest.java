package org.isoloss.reproduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.isoloss.report.Figure;
import org.isoloss.reproduce.StudyCells.Work;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchedStudyTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    @TempDir
    Path folder;

    private Study study(String steps) {
        return new Study(
                EXAMPLES,
                folder,
                Protocol.QUICK
                        .withSeeds(List.of(11L))
                        .withChanges(Map.of("recipe.steps", steps, "recipe.batch", "16")));
    }

    private Made made(Study study, String setting) throws IOException, InterruptedException {
        List<FitRequest> requests = BatchedStudy.needs(study).stream()
                .filter(request -> request.task().name().equals(setting))
                .toList();
        study.cache().complete("batched", requests, 1, StudyProgress.SILENT);
        return BatchedStudy.make(study, List.of(setting), new Work(1, StudyProgress.SILENT));
    }

    /** A thousand steps are enough for the scalar network; the control, which takes no note of the batch, misses. */
    @Test
    void aSettingIsJudgedOnUnseenBatches() throws IOException, InterruptedException {
        Made made = made(study("1000"), "batched-sigmoid-k1");
        Map<String, @Nullable Object> row =
                made.tables().getFirst().table().toJsonRows().getFirst();

        assertThat(row).containsEntry("setting", "batched-sigmoid-k1").containsEntry("batches", 64);
        assertThat((int) number(row, "fits")).isGreaterThan(55);
        assertThat(number(row, "composition")).isLessThan(1e-10);
        assertThat((int) number(row, "ignoring_fits")).isLessThan(10);
        assertThat(number(row, "ignoring_output")).isGreaterThan(100 * number(row, "output"));
        assertThat(made.figures())
                .extracting(Figure::name)
                .containsExactly("batched-sigmoid-k1-output-distance", "batched-sigmoid-k1-fits-distance");
        // what is there is not judged again, and is the same
        assertThat(made(study("1000"), "batched-sigmoid-k1").tables().getFirst().json())
                .isEqualTo(made.tables().getFirst().json());
    }

    @Test
    void tooFewStepsDoNotFit() throws IOException, InterruptedException {
        Made made = made(study("2"), "batched-sigmoid-k1");

        assertThat(made.tables().getFirst().table().toJsonRows().getFirst()).containsEntry("fits", 0);
    }

    private static double number(Map<String, @Nullable Object> row, String key) {
        return Double.parseDouble(String.valueOf(row.get(key)));
    }

    @Tag("slow")
    @Test
    void everySettingIsJudged() throws IOException, InterruptedException {
        Study study = study("300");
        study.cache().complete("batched", BatchedStudy.needs(study), 2, StudyProgress.SILENT);
        Made made = PaperResult.BATCHED.make(study, new Work(2, StudyProgress.SILENT));

        assertThat(made.tables().getFirst().table().toJsonRows()).hasSize(5);
        assertThat(made.figures()).hasSize(18);
    }
}
