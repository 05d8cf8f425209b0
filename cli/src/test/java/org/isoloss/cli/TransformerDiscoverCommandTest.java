package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransformerDiscoverCommandTest {
    private static final Path MODEL = Path.of("..", "examples", "neox-wikitext-1.8m");

    @TempDir
    Path folder;

    private Run discover(Path out, String... more) {
        String[] arguments = new String[13 + more.length];
        String[] first = {
            "transformer",
            "discover",
            MODEL.toString(),
            "--prefix",
            "354,325,287,350,346,324,77,287",
            "--layer",
            "6",
            "--set",
            "recipe.width=8",
            "--quiet",
            "--out",
            out.toString(),
            "--seeds=101"
        };
        System.arraycopy(first, 0, arguments, 0, first.length);
        System.arraycopy(more, 0, arguments, first.length, more.length);
        return Run.of(arguments);
    }

    @Test
    void theTaskItWritesDoesTheSame() throws IOException {
        Path run = folder.resolve("run");
        Run learned = discover(run, "--set", "recipe.steps=15");
        assertThat(learned.code()).as(learned.err()).isEqualTo(ExitCode.DONE);
        assertThat(learned.out()).contains("neox-wikitext-1-8m-layer6-8: 1 of 1 fits finished");

        Path again = folder.resolve("again");
        Path task = run.resolve("neox-wikitext-1-8m-layer6-8.yaml");
        Run repeated = Run.of("discover", task.toString(), "--seeds", "101", "--out", again.toString(), "--quiet");

        assertThat(repeated.code()).as(repeated.err()).isEqualTo(ExitCode.DONE);
        assertThat(Files.readAllBytes(again.resolve("action.safetensors")))
                .isEqualTo(Files.readAllBytes(run.resolve("action.safetensors")));
    }

    @Test
    void anotherTaskInTheSameFolderIsRefused() {
        Path run = folder.resolve("run");
        assertThat(discover(run, "--set", "recipe.steps=5").code()).isEqualTo(ExitCode.DONE);
        Run other = discover(run, "--set", "recipe.steps=6");
        assertThat(other.code()).isEqualTo(ExitCode.FAILED);
        assertThat(other.err()).hasLineCount(1).contains("another task");
    }

    @Test
    void aGatedRowOfABlockWithoutGateIsRefused() {
        Run run = discover(folder.resolve("run"), "--rows", "gate_and_up");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("blocks of this model have no gate");
        assertThat(folder.resolve("run/action.safetensors")).doesNotExist();
    }
}
