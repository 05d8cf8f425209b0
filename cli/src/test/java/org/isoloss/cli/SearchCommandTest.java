package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SearchCommandTest {
    @TempDir
    Path folder;

    private Path task = Path.of("");

    @BeforeEach
    void narrow() throws Exception {
        task = folder.resolve("linear.yaml");
        Files.writeString(
                task,
                Files.readString(Path.of("..", "examples", "linear.yaml"))
                        .replace("recipe:\n", "recipe:\n  width: 8\n  depth: 1\n"));
    }

    private Run search(String... more) {
        String[] all = new String[more.length + 6];
        String[] first = {
            "search", task.toString(), "--quiet", "--out", folder.resolve("out").toString(), "--seeds=101"
        };
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return Run.of(all);
    }

    @Test
    void showsTrialsAndWinners() {
        Run run = search("--objective", "finite", "--budget", "0.0004");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("strong 3e-4", "peak 6e-3, preservation 30, law 10", "QUICK");
        assertThat(folder.resolve("out").resolve("search.html")).content().contains("Winners");
        Run json = search("--objective", "finite", "--budget", "0.0004", "--format", "json");
        assertThat(json.out()).contains("\"selected\"", "recipe.peak");
    }

    @Test
    void refusesAnotherObjectiveAndAnEmptyBudget() {
        Run objective = search("--objective", "both");
        assertThat(objective.code()).isEqualTo(ExitCode.USAGE);
        assertThat(objective.err()).contains("expected hybrid, finite or infinitesimal, got 'both'");
        Run budget = search("--budget", "0");
        assertThat(budget.code()).isEqualTo(ExitCode.FAILED);
        assertThat(budget.err()).hasLineCount(1).contains("the budget is 0.0");
    }
}
