package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipFile;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every command does with the file of a dense network and of its inputs: a Sequential with a dropout after its activation. */
class DenseFileTest {
    private static final float[] FIRST = {1, -2, 0.5f, 3};
    private static final float[] SHIFT = {0.1f, 0.2f, -0.3f, 0};
    private static final float[] LAST = {3, 4, -1, 2};
    private static final float[] INPUTS = {0.5f, -1, 2, 0.25f, -0.75f};
    private static final String TASK = """
            name: small
            network: {checkpoint: net.safetensors}
            data: {file: x.csv, rows: [1, 3]}
            site: {coordinates: plain}
            points: {deviation: 0.2}
            recipe: {steps: 3, width: 4}
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        network().saveTo(folder.resolve("net.safetensors"));
        StringBuilder table = new StringBuilder();
        for (float input : INPUTS) {
            table.append(input).append('\n');
        }
        Files.writeString(folder.resolve("x.csv"), table);
        Files.writeString(folder.resolve("task.yaml"), TASK);
    }

    private static SafetensorsWriter network() {
        return new SafetensorsWriter()
                .metadata("activation", "tanh")
                .add("0.weight", Shape.of(4, 1), FIRST.clone())
                .add("0.bias", Shape.of(4), SHIFT.clone())
                .add("3.weight", Shape.of(1, 4), LAST.clone())
                .add("3.bias", Shape.of(1), 0.5f);
    }

    private static float output(float input) {
        double sum = 0.5;
        for (int unit = 0; unit < FIRST.length; unit++) {
            sum += LAST[unit] * Math.tanh((double) FIRST[unit] * input + SHIFT[unit]);
        }
        return (float) sum;
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    /** The command line of a command on {@code net.safetensors} and rows 1 and 2, with more after it. */
    private Run run(String command, String... more) {
        List<String> line = new ArrayList<>(List.of(command));
        List<String> data = List.of("--data", path("x.csv"), "--rows", "1..3");
        switch (command) {
            case "check" -> line.addAll(List.of(path("net.safetensors"), path("net.safetensors")));
            case "recover" -> line.addAll(List.of("--at", path("net.safetensors"), "--out", path("recovered")));
            case "compensate" ->
                line.addAll(List.of(
                        path("net.safetensors"), "--move", "3", "--by", "0.1", "--out", path("moved.safetensors")));
            case "apply" -> line.addAll(List.of(path("run"), "--t", "0.5", "--out", path("moved.safetensors")));
            default -> line.add(path("task.yaml"));
        }
        if (!command.equals("apply") && !line.contains(path("task.yaml"))) {
            line.addAll(data);
        }
        if (command.equals("discover")) {
            line.addAll(List.of("--out", path("run"), "--quiet"));
        }
        line.addAll(List.of(more));
        return Run.of(line.toArray(String[]::new));
    }

    private void expect(String name, float... outputs) throws IOException {
        new NpzWriter().add("y", Shape.of(outputs.length, 1), outputs).saveTo(folder.resolve(name));
    }

    private void discovered() {
        Run run = run("discover");
        assertThat(run.code()).as(run.err()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "compensate", "recover", "apply"})
    void outputsOfAnotherProgramAreComparedFirst(String command) throws IOException {
        discovered();
        expect("chosen.npz", output(INPUTS[1]), output(INPUTS[2]));
        Run chosen = run(command, "--expect", path("chosen.npz"));
        assertThat(chosen.code()).as(chosen.err()).isZero();
        assertThat(chosen.err().lines().findFirst())
                .hasValueSatisfying(line -> assertThat(line)
                        .startsWith("isoloss: outputs agree with " + path("chosen.npz")
                                + ": 2 inputs of 1 outputs, largest difference ")
                        .endsWith(" of the largest magnitude (allowed 1.0e-05)"));

        float[] all = new float[INPUTS.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = output(INPUTS[i]);
        }
        expect("all.npz", all);
        assertThat(run(command, "--expect", path("all.npz")).code()).isZero();
        Files.deleteIfExists(folder.resolve("moved.safetensors"));

        expect("skip.npz", output(INPUTS[1]), output(INPUTS[2]) + INPUTS[2]);
        Run skip = run(command, "--expect", path("skip.npz"));
        assertThat(skip.code()).isEqualTo(ExitCode.FAILED);
        assertThat(skip.out()).isEmpty();
        assertThat(skip.err())
                .hasLineCount(1)
                .startsWith("isoloss: error: " + path("skip.npz")
                        + " is not what isoloss computes: input 1, output 0: isoloss computes ")
                .contains(
                        "net.safetensors as 2 layers of widths 1, 4, 1 with tanh between them and none after the last;"
                                + " usual causes: a skip connection, a second or a last activation, a normalisation, dropout");
        assertThat(folder.resolve("moved.safetensors")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"discover", "subnetwork", "decompose"})
    void outputsInATaskAreComparedToo(String command) throws IOException {
        expect("y.npz", output(INPUTS[1]), output(INPUTS[2]));
        Run agrees = run(command, "--set", "data.outputs=y.npz");
        assertThat(agrees.err())
                .startsWith("isoloss: outputs agree with ")
                .contains("y.npz: 2 inputs of 1 outputs, largest difference ");
        expect("y.npz", output(INPUTS[2]), output(INPUTS[1]));
        Run swapped = run(command, "--set", "data.outputs=y.npz");
        assertThat(swapped.code()).isEqualTo(ExitCode.FAILED);
        assertThat(swapped.err()).contains("y.npz is not what isoloss computes: input ");
    }

    @Test
    void theRunKeepsWhereTheOutputsAre() throws IOException {
        new NpzWriter()
                .add("x", Shape.of(1), 1f)
                .add("y", Shape.of(2, 1), output(INPUTS[1]), output(INPUTS[2]))
                .saveTo(folder.resolve("xy.npz"));
        assertThat(run("discover", "--set", "data.outputs=xy.npz").err())
                .contains("xy.npz holds the arrays x, y; name the one that is meant: ");
        assertThat(run("discover", "--set", "data.outputs=xy.npz:y").code()).isZero();
        assertThat(Files.readString(folder.resolve("run").resolve("task.yaml")))
                .contains("outputs: \"" + folder.toAbsolutePath().normalize().resolve("xy.npz") + ":y\"");
        assertThat(Files.readString(folder.resolve("run").resolve("provenance.json")))
                .contains("xy.npz");
        assertThat(run("apply").err()).contains("outputs agree with");
        expect("three.npz", 1, 2, 3);
        assertThat(run("check", "--expect", path("three.npz")).err())
                .contains(
                        "three.npz holds outputs of 3 inputs, expected 2, as many as are chosen, or 5, as many as the data has");
        new NpzWriter().add("y", Shape.of(2, 2), 1f, 2f, 3f, 4f).saveTo(folder.resolve("wide.npz"));
        assertThat(run("check", "--expect", path("wide.npz")).err())
                .contains("wide.npz holds 2 outputs an input, the network gives 1; isoloss sees ");
    }

    /** The weight of the second layer is called 3.weight in the file, so everywhere. */
    @Test
    void namesAreThoseOfTheFile() throws IOException {
        discovered();
        Run apply = run("apply");
        assertThat(apply.out()).contains("3.weight").doesNotContain("2.weight");
        assertThat(run("compensate").out()).contains("3.weight").doesNotContain("2.weight");
        assertThat(run("subnetwork", "--moving", "3.weight[0, 1]").err()).isEmpty();
        assertThat(run("subnetwork", "--moving", "2.weight[0, 1]").err())
                .contains("the model has no parameter \"2.weight\"; it has 0.weight, 0.bias, 3.weight, 3.bias");
        network().add("critic", Shape.of(1), 1f).saveTo(folder.resolve("net.safetensors"));
        Files.writeString(folder.resolve("x.csv"), "0\n0\n0\n"); // the incoming weights do not act
        assertThat(run("recover", "--ignore", "critic").out())
                .contains("weights of 0.weight without effect on the batch")
                .doesNotContain("2.weight", "2.bias");
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "compensate", "recover", "discover", "subnetwork", "decompose"})
    void tensorsThatAreNotUsedAreRefusedOrLeftAside(String command) throws IOException {
        network().add("1.weight", Shape.of(4), new float[] {1, 1, 1, 2}).saveTo(folder.resolve("net.safetensors"));
        Run refused = run(command);
        assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err())
                .contains(
                        "'1.weight' of shape (4) looks like the scale of a normalisation between '0.weight' and '3.weight'")
                .hasLineCount(1);
        boolean task = List.of("discover", "subnetwork", "decompose").contains(command);
        Run aside = task ? run(command, "--set", "network.ignore=[1.*]") : run(command, "--ignore", "1.*");
        assertThat(task ? aside.err() : aside.out()).contains("left aside, as asked: 1.weight\n");
    }

    @Test
    void whatIsLeftAsideStaysInTheEditedFile() throws IOException {
        network().add("critic.0.weight", Shape.of(1, 1), 7f).saveTo(folder.resolve("net.safetensors"));
        assertThat(run("discover", "--set", "network.ignore=[critic.*]").code()).isZero();
        assertThat(run("apply").out()).contains("left aside, as asked: critic.0.weight\n");
        assertThat(run("apply", "--format", "json").out()).contains("\"left_aside\":[\"critic.0.weight\"]");
        try (Checkpoint moved = Checkpoint.open(folder.resolve("moved.safetensors"))) {
            assertThat(moved.tensor("critic.0.weight").toDoubles()).containsExactly(7);
        }
    }

    @Test
    void npzIsEditedAsNpz() throws IOException {
        new NpzWriter()
                .add("W1", Shape.of(4, 1), FIRST.clone())
                .add("b1", Shape.of(4), SHIFT.clone())
                .add("W2", Shape.of(1, 4), LAST.clone())
                .add("epoch", Shape.of(), 12L)
                .saveTo(folder.resolve("net.npz"));
        String[] line = {
            "compensate",
            path("net.npz"),
            "--layers",
            "W1+b1,W2",
            "--ignore",
            "epoch",
            "--activation",
            "tanh",
            "--data",
            path("x.csv"),
            "--rows",
            "1..3",
            "--move",
            "3",
            "--by",
            "0.1",
            "--out",
            path("moved.npz")
        };
        Run moved = Run.of(line);
        assertThat(moved.code()).as(moved.err()).isZero();
        assertThat(moved.out()).contains("W2", "left aside, as asked: epoch");
        try (Checkpoint file = Checkpoint.open(folder.resolve("moved.npz"))) {
            assertThat(file.names()).containsExactly("W1", "b1", "W2", "epoch");
            assertThat(file.tensor("epoch").toLongs()).containsExactly(12);
            assertThat(file.tensor("W1").toFloats()).isNotEqualTo(FIRST);
        }
        line[line.length - 1] = path("moved.safetensors");
        assertThat(Run.of(line).err())
                .contains("an edit keeps the format of its source, and " + path("net.npz")
                        + " is npz; name the new file");
        assertThat(folder.resolve("moved.safetensors")).doesNotExist();
    }

    @Test
    void headersAreFoundOrSaid() throws IOException {
        Files.writeString(folder.resolve("x.csv"), "x1\n0.5\n-1\n2\n");
        Run found = run("check");
        assertThat(found.code()).isZero();
        assertThat(found.err())
                .isEqualTo("isoloss: " + path("x.csv") + ": its first row names the columns (x1) and is no input\n");
        assertThat(run("discover").err()).contains("x.csv: its first row names the columns (x1) and is no input");
        assertThat(run("check", "--header").err()).isEmpty();
        assertThat(run("subnetwork", "--set", "data.header=true").err()).isEmpty();
        assertThat(run("check", "--no-header").err()).contains("row 1, column 1: 'x1' is not a finite number");
    }

    @Test
    void aSingleArrayIsReadWhereverSeveralAre() throws IOException {
        new NpzWriter().add("x", Shape.of(3, 1), 0.5f, -1f, 2f).saveTo(folder.resolve("x.npz"));
        try (var zip = new ZipFile(path("x.npz"))) {
            Files.copy(zip.getInputStream(zip.getEntry("x.npy")), folder.resolve("x.npy"));
        }
        Run run = Run.of("check", path("net.safetensors"), path("net.safetensors"), "--data", path("x.npy"));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run("discover", "--set", "data.file=x.npy").code()).isZero();
        assertThat(Run.of(
                                "check",
                                path("net.safetensors"),
                                path("net.safetensors"),
                                "--data",
                                path("x.npy"),
                                "--array",
                                "x")
                        .err())
                .contains("x.npy holds one array without a name; leave out 'x'");
    }
}
