package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be used is refused in one line, with a code other than 0, and leaves nothing behind. */
class BadInputTest {
    private static final String TASK = """
            name: bad
            network:
              checkpoint: weights.safetensors
              activation: tanh
            data:
              file: data.csv
            site:
              coordinates: plain
            points:
              deviation: 0.2
            recipe:
              steps: 3
              width: 4
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void writeWhatIsRight() throws IOException {
        Files.writeString(folder.resolve("task.yaml"), TASK);
        Files.writeString(folder.resolve("data.csv"), "1,0.5\n-1,2\n");
        weights(2, new float[] {1, 0, 0, 1, 1, -1});
    }

    /** A network of widths 2, 3, 1. */
    private void weights(int inputs, float[] first) throws IOException {
        new SafetensorsWriter()
                .add("0.weight", Shape.of(3, inputs), first)
                .add("2.weight", Shape.of(1, 3), new float[] {1, 2, 3})
                .saveTo(folder.resolve("weights.safetensors"));
    }

    private Path out() {
        return folder.resolve("out");
    }

    private String[] discover(String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("discover", folder.resolve("task.yaml").toString(), "--out", out().toString(), "--quiet"));
        arguments.addAll(Arrays.asList(more));
        return arguments.toArray(String[]::new);
    }

    private void assertRefused(String message, String... arguments) throws IOException {
        List<Path> before = files();
        Run run = Run.of(arguments);

        assertThat(run.err()).hasLineCount(1).contains(message).doesNotContain("Exception", "unexpected");
        assertThat(run.code()).isIn(ExitCode.FAILED, ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(files()).isEqualTo(before);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void whatIsRightIsDone() {
        assertThat(Run.of(discover()).err()).isEmpty();
    }

    @Test
    void emptyAndTruncatedWeights() throws IOException {
        Path weights = folder.resolve("weights.safetensors");
        byte[] bytes = Files.readAllBytes(weights);
        Files.write(weights, new byte[0]);
        assertRefused("weights.safetensors", discover());
        Files.write(weights, Arrays.copyOf(bytes, bytes.length - 3));
        assertRefused("weights.safetensors", discover());
        Files.write(weights, Arrays.copyOf(bytes, 20));
        assertRefused("weights.safetensors", discover());
        Files.delete(weights);
        assertRefused("weights.safetensors", discover());
    }

    @Test
    void wrongWidths() throws IOException {
        weights(5, new float[15]);
        assertRefused("has 2 numbers an input, the network takes 5", discover());
        new SafetensorsWriter()
                .add("0.weight", Shape.of(3, 2), new float[6])
                .add("2.weight", Shape.of(1, 4), new float[4])
                .saveTo(folder.resolve("weights.safetensors"));
        assertRefused("2.weight", discover());
    }

    @Test
    void weightsAndDataThatAreNotNumbers() throws IOException {
        weights(2, new float[] {1, Float.NaN, 0, 1, 1, -1});
        assertRefused("0.weight", discover());
        weights(2, new float[] {1, 0, 0, 1, 1, -1});
        Files.writeString(folder.resolve("data.csv"), "1,NaN\n-1,2\n");
        assertRefused("data", discover());
        Files.writeString(folder.resolve("data.csv"), "1,0.5\n-1,two\n");
        assertRefused("data.csv", discover());
    }

    @Test
    void singularCompensators() throws IOException {
        weights(2, new float[] {1, 1, 1, 1, 1, 1});
        assertRefused("CompensationSite", discover());
    }

    @Test
    void moreInputsThanUnits() throws IOException {
        Files.writeString(folder.resolve("data.csv"), "1,0.5\n-1,2\n0.3,0.4\n2,1\n");
        assertRefused("4 protected inputs need 4 compensating units", discover());
    }

    @Test
    void aMisspeltKeyAndAnUnknownRecipe() throws IOException {
        assertRefused("key 'recipe.stepz' is unknown", discover("--set", "recipe.stepz=3"));
        assertRefused("recipe: base 'best' is unknown", discover("--set", "recipe.base=best"));
        assertRefused("key 'recipe': recipe.steps is 0, expected 1 to", discover("--set", "recipe.steps=0"));
        Files.writeString(folder.resolve("task.yaml"), TASK.replace("activation", "activaton"));
        assertRefused("task.yaml, line 4: key 'network.activaton' is unknown", discover());
        assertRefused("no such file or folder: absent.yaml", "discover", "absent.yaml");
    }

    @Test
    void aFolderThatIsNoRun() throws IOException {
        Files.createDirectory(out());
        Files.writeString(out().resolve("thesis.tex"), "x");
        assertRefused("is not an isoloss run", discover());
        assertRefused("is not an isoloss run", "evaluate", out().toString());
        assertRefused("is not an isoloss run", "demo", "--quiet", "--out", out().toString());
        assertRefused(
                "no such file or folder", "evaluate", folder.resolve("absent").toString());
    }

    @Test
    void aRunOfAnotherVersion() throws IOException {
        Files.createDirectory(out());
        Files.writeString(out().resolve("task.yaml"), "# isoloss run, format 99, seed 1\n" + TASK);
        String refusal = "is a run of format '99', expected '1'";
        assertRefused(refusal, discover());
        assertRefused(refusal, "evaluate", out().toString());
        assertRefused(refusal, "apply", out().toString(), "--t", "0.5", "--out", "x");
    }

    @Test
    void seedsThatAreNoNumbers() throws IOException {
        assertRefused("'--seed': expected a whole number, got 'seven'", discover("--seed", "seven"));
        assertRefused("expected seeds such as 101..105", discover("--seeds", "all"));
    }

    /** A process that may write files of 4 KiB at most finds no room for the state of its fit. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void noRoomToWrite() throws IOException, InterruptedException {
        assertThat(Run.of(discover()).code()).isZero(); // the native library is in its place
        Path small = folder.resolve("small");
        List<String> command = new ArrayList<>(List.of(
                "bash",
                "-c",
                "ulimit -f 4; exec \"$@\"",
                "isoloss",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(Arrays.asList(discover("--set", "recipe.width=64", "--out", small.toString())));
        command.remove("--out");
        command.remove(out().toString());
        Process process = new ProcessBuilder(command).start();
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(err).isEqualTo(ExitCode.FAILED);
        assertThat(err).hasLineCount(1).contains("checkpoint.safetensors: not written: ", "no file was left");
        try (Stream<Path> files = Files.list(small)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsOnly("task.yaml", "base.safetensors", "provenance.json", "metrics.jsonl");
        }
    }
}
