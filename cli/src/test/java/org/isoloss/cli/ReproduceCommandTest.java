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
        assertThat(folder.resolve("provenance.json")).content().contains("reproduce");
    }

    @Test
    void anUnknownResultIsWrongUsage() {
        Run run = Run.of("reproduce", "table10");
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("expected table1, table2,", "or small, got 'table10'");
    }

    @Test
    void anUnknownVariantIsOneLine() {
        Run run = Run.of("reproduce", "table1", "--variants", "mine", "--out", folder.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("variant 'mine' is unknown; allowed: ours, conjugated, paper");
    }
}
