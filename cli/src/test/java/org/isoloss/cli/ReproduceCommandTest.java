package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReproduceCommandTest {
    @TempDir
    Path folder;

    @Test
    void oneResultIsMade() {
        Run run = Run.of("reproduce", "figure1", "--out", folder.toString(), "--format", "json");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("figure1a", "figure1b", "figure1c");
        assertThat(folder.resolve("figure1c.svg")).content().contains("otherwise");
        assertThat(folder.resolve("provenance-figure1.json")).content().contains("reproduce");
    }

    @Test
    void anUnknownResultIsWrongUsage() {
        Run run = Run.of("reproduce", "table10");
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err())
                .contains("expected table1, table2,", "figure7, small, transformers or all, got 'table10'");
    }

    @Test
    void anUnknownModelAndAMissingFolderAreOneLine() {
        Run unknown = Run.of("reproduce", "table7", "--model", "gpt=" + folder, "--out", folder.toString());
        assertThat(unknown.code()).isEqualTo(ExitCode.FAILED);
        assertThat(unknown.err()).hasLineCount(1).contains("model 'gpt' is unknown; allowed: pythia-160m");
        Run missing = Run.of("reproduce", "table7", "--model", "pythia-1b=" + folder.resolve("none"));
        assertThat(missing.code()).isEqualTo(ExitCode.FAILED);
        assertThat(missing.err()).hasLineCount(1).contains("none");
    }

    @Test
    void anUnknownVariantIsOneLine() {
        Run run = Run.of("reproduce", "table1", "--variants", "mine", "--out", folder.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("variant 'mine' is unknown; allowed: ours, conjugated, paper");
    }
}
