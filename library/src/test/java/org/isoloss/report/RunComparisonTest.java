package org.isoloss.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.report.RunComparison.ComparedRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunComparisonTest {
    /** Two made-up runs of two seeds. */
    static RunComparison sample() {
        return RunComparison.of(List.of(run("runs/a b", 7), run("runs/c", 8)));
    }

    private static ComparedRun run(String name, long seed) {
        return new ComparedRun(
                name, "linear", "hybrid", seed, List.of(0.0, 50.0), List.of(2.0, 1.0), VerdictTest.missing());
    }

    @Test
    void theFirstScreenHasTheRangesAndTheCommandsBeginWithTheTasks(@TempDir Path folder) throws IOException {
        sample().write(folder.resolve("page"), ProvenanceTest.sample());

        assertThat(folder.resolve("page/report.html"))
                .content(UTF_8)
                .contains(
                        "0 of 2 runs meet every tolerance. The smallest output error is 1.2e-3, of runs/a b.",
                        "Tasks: linear; objectives: hybrid.",
                        "<dd>From 20.0 to 20.0 % of their norm",
                        "change by less than 1.2e-3 to 1.2e-3 of",
                        "<pre><code>isoloss discover &#39;runs/a b/task.yaml&#39; --seed 7 --out &#39;runs/a b-again&#39;\n",
                        "isoloss evaluate runs/c-again --declared\nisoloss report &#39;runs/a b-again&#39; runs/c-again --out ");
    }

    @Test
    void oneRunIsNotCompared() {
        assertThatThrownBy(() -> RunComparison.of(List.of(run("runs/a", 7))))
                .hasMessage("RunComparison: 1 runs, expected at least 2");
    }
}
