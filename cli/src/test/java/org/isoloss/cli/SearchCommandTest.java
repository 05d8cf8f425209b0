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
        String[] all = new String[more.length + 7];
        String[] first = {
            "search",
            task.toString(),
            "--quiet",
            "--out",
            folder.resolve("out").toString(),
            "--seeds=101",
            "--selection-seeds=11..12"
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
    void changesCompeteWithTheTaskFileAndTheSelectionMayBeAll() {
        Run run = Run.of(
                "search",
                task.toString(),
                "--quiet",
                "--out",
                folder.resolve("out").toString(),
                "--selection-seeds=11..12",
                "--budget=0.0004",
                "--try=recipe.peak=6e-3,recipe.block=8",
                "--selection-only");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("of the task file", "recipe.peak=6e-3, recipe.block=8", "seeds 11, 12");
        assertThat(folder.resolve("out/search.csv")).exists();
        assertThat(folder.resolve("out/search-fits.csv")).doesNotExist();
        assertThat(folder.resolve("out/provenance.json")).content().contains("\"seeds\" : [ 11, 12 ]");
    }

    @Test
    void refusesAChangeWithoutAValueAndSeedsThatSelect() {
        Run unread = search("--selection-only");
        assertThat(unread.code()).isEqualTo(ExitCode.USAGE);
        assertThat(unread.err()).contains("--selection-only makes no fits with fresh seeds, so it takes no --seeds");
        Run change = search("--try", "recipe.peak");
        assertThat(change.code()).isEqualTo(ExitCode.USAGE);
        assertThat(change.err()).contains("expected KEY=VALUE, such as recipe.peak=6e-3, got 'recipe.peak'");
        Run seeds = Run.of(
                "search",
                task.toString(),
                "--seeds=12",
                "--out",
                folder.resolve("out").toString());
        assertThat(seeds.code()).isEqualTo(ExitCode.FAILED);
        assertThat(seeds.err())
                .contains("seeds 11 to 15 choose the recipes; the fits that are reported take others, got 12");
        assertThat(folder.resolve("out")).doesNotExist(); // before any fit
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
