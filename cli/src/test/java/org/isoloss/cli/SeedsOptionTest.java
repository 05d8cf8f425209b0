package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** One seed or several: never one of them passed over. */
class SeedsOptionTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "discover examples/linear.yaml",
                "fields examples/linear.yaml",
                "recover examples/recover/linear-2-2-2.yaml",
                "reproduce completeness",
                "search examples/linear.yaml"
            })
    void oneSeedAndSeveralAreRefused(String line) {
        String[] words =
                line.replace("examples", Path.of("..", "examples").toString()).split(" ", -1);
        Run run = Run.of(
                words[0],
                words[1],
                "--seed",
                "3",
                "--seeds",
                "1..2",
                "--out",
                folder.resolve("out").toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("--seed and --seeds both name seeds; give one of them");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    /** It was taken by every command, and read by some. */
    @Test
    void oneSeedIsUsed() throws Exception {
        Path out = folder.resolve("out");
        Run run = Run.of(
                "recover",
                Path.of("..", "examples", "recover", "linear-2-2-2.yaml").toString(),
                "--seed",
                "7",
                "--out",
                out.toString(),
                "--quiet");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(JsonMapper.shared()
                        .readTree(out.resolve("provenance.json"))
                        .get("seeds")
                        .values())
                .singleElement()
                .satisfies(seed -> assertThat(seed.asLong()).isEqualTo(7));
    }

    @Test
    void seedsAreRefusedWhereNothingIsDrawn() {
        Run run = Run.of("recover", "--at", "weights.safetensors", "--data", "data.csv", "--seeds", "1..2");
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("--at draws nothing at random and takes no --seeds");
    }
}
