package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One action for many batches, from a task file to another batch. */
class BatchedCommandTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final String DIGITS =
            EXAMPLES.resolve("digits").resolve("digits.csv.gz").toString();
    private static final String[] OTHER = {"--data", DIGITS, "--label", "--scale", "16", "--rows", "1500..1504"};

    @TempDir
    Path folder;

    private Path discovered(String task, String... more) {
        Path run = folder.resolve("run");
        List<String> arguments = new ArrayList<>(List.of(
                "discover",
                EXAMPLES.resolve(task + ".yaml").toString(),
                "--seed",
                "11",
                "--set",
                "recipe.steps=" + (task.contains("neox") ? 20 : 600),
                "--set",
                "recipe.batch=16",
                "--out",
                run.toString(),
                "--quiet"));
        arguments.addAll(List.of(more));
        Run done = Run.of(arguments.toArray(String[]::new));
        assertThat(done.code()).as(done.err()).isEqualTo(ExitCode.DONE);
        return run;
    }

    private static Run with(String[] more, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(more));
        return Run.of(all.toArray(String[]::new));
    }

    @Test
    void anActionIsJudgedOnUnseenBatchesAndUsedOnAnother() throws Exception {
        Path run = discovered("batched-digits-4");
        JsonNode unseen = Run.json(Run.of("evaluate", run.toString(), "--unseen", "4", "--format", "json", "--quiet"));
        JsonNode judged = unseen.get("runs").get(0);

        assertThat(judged.get("batches").asInt()).isEqualTo(4);
        assertThat(judged.get("fits").asInt()).isEqualTo(4);
        assertThat(judged.get("each").size()).isEqualTo(4);
        JsonNode stored = JsonMapper.shared().readTree(Files.readString(run.resolve("unseen.json")));
        assertThat(stored.get("summary")).isEqualTo(judged.get("summary"));
        assertThat(run.resolve("figures").resolve("batched-digits-4-output-condition.svg"))
                .exists();
        assertThat(run.resolve("tables").resolve("unseen-batches.csv")).exists();

        Run text = Run.of("evaluate", run.toString(), "--unseen=4", "--quiet", "--require-fit");
        assertThat(text.code()).isEqualTo(ExitCode.DONE);
        assertThat(text.out()).endsWith("seed 11 fits on 4 of 4 unseen batches; none is left out\n");

        JsonNode other = Run.json(with(OTHER, "evaluate", run.toString(), "--declared", "--format", "json", "--quiet"));
        assertThat(other.get("missed").get("11")).isEmpty();
        assertThat(run.resolve("evaluation.json"))
                .as("another batch leaves the run as it is")
                .doesNotExist();

        Run five = Run.of(
                "evaluate", run.toString(), "--data", DIGITS, "--label", "--scale", "16", "--rows", "1500..1505");
        assertThat(five.code()).isEqualTo(ExitCode.FAILED);
        assertThat(five.err())
                .endsWith(
                        "the batch has 5 inputs of 65 numbers, expected 4 of 65: as many inputs as compensating units\n");

        Path edited = folder.resolve("edited.safetensors");
        JsonNode applied = Run.json(
                with(OTHER, "apply", run.toString(), "--t", "0.5", "--out", edited.toString(), "--format", "json"));
        assertThat(applied.get("protected_max_relative").asDouble()).isLessThan(1e-3);
        // the edit for the batch of the task does not protect the other one
        JsonNode own = Run.json(Run.of(
                "apply",
                run.toString(),
                "--t",
                "0.5",
                "--out",
                folder.resolve("own.safetensors").toString(),
                "--format",
                "json"));
        assertThat(own.get("protected_max_relative").asDouble()).isLessThan(1e-3);
        assertThat(drift("own.safetensors")).isGreaterThan(10 * drift("edited.safetensors"));
    }

    @Test
    void anotherPrefixIsReadFromAFile() throws Exception {
        String text = "{tokens: [354, 325, 287, 350, 346, 324, 77, 287, 350, 264, 1011, 348]}";
        Path run = discovered("batched-neox-layer6-8", "--set", "pool=" + text, "--set", "unseen=" + text);
        Path ids = folder.resolve("ids.csv");
        Files.writeString(ids, "302,306,529,292,816,1014,281,261\n");
        Run other = Run.of("evaluate", run.toString(), "--declared", "--data", ids.toString(), "--quiet");
        assertThat(other.code()).as(other.err()).isEqualTo(ExitCode.DONE);
        assertThat(other.out()).contains("batched-neox-layer6-8: 95th percentiles");

        Files.writeString(ids, "302,306,529,292,816,1014,281,2.5\n");
        Run half = Run.of("evaluate", run.toString(), "--data", ids.toString(), "--quiet");
        assertThat(half.code()).isEqualTo(ExitCode.FAILED);
        assertThat(half.err()).endsWith("holds 2.5, expected ids of tokens, which are whole numbers\n");
    }

    /** The largest difference on the other batch between the network and an edit. */
    private double drift(String edited) {
        Run check = with(
                OTHER,
                "check",
                EXAMPLES.resolve("digits").resolve("tanh.safetensors").toString(),
                folder.resolve(edited).toString(),
                "--format",
                "json");
        assertThat(check.code()).as(check.err()).isIn(ExitCode.DONE, ExitCode.UNUSABLE);
        return JsonMapper.shared()
                .readTree(check.out())
                .get("summary")
                .get(0)
                .get("relative")
                .asDouble();
    }

    @Test
    void whatOneBatchCannotDoIsRefusedInOneLine() {
        Path run = folder.resolve("run");
        assertThat(Run.of(
                                "discover",
                                EXAMPLES.resolve("sigmoid-k1.yaml").toString(),
                                "--seed",
                                "1",
                                "--set",
                                "recipe.steps=3",
                                "--set",
                                "recipe.width=8",
                                "--out",
                                run.toString(),
                                "--quiet")
                        .code())
                .isEqualTo(ExitCode.DONE);
        Run unseen = Run.of("evaluate", run.toString(), "--unseen");
        assertThat(unseen.code()).isEqualTo(ExitCode.FAILED);
        assertThat(unseen.err())
                .endsWith(
                        "the action is for one batch, and '--unseen' judges an action for many; learn one with 'action: batched'\n");
        Run other = with(OTHER, "evaluate", run.toString());
        assertThat(other.code()).isEqualTo(ExitCode.FAILED);
        assertThat(other.err())
                .endsWith(
                        "the action is for one batch, and --data gives another; learn one for many with 'action: batched'\n");
        assertThat(Run.of("evaluate", run.toString(), "--unseen", "0").code()).isEqualTo(2);
    }
}
