package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.isoloss.cli.Run.json;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The commands on models of any kind. */
class ModelCommandsTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final Path DIGITS = EXAMPLES.resolve("digits");
    private static final Path CONVOLUTIONAL = EXAMPLES.resolve("networks").resolve("convolutional.onnx");

    @TempDir
    Path folder;

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    /** Adds rows of the digits. */
    private static Run onDigits(String rows, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(
                "--data", DIGITS.resolve("digits.csv.gz").toString(), "--label", "--scale", "16", "--rows", rows));
        return Run.of(all.toArray(String[]::new));
    }

    private Run compensated(Path model, String moving, String compensating, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "compensate",
                model.toString(),
                "--moving",
                moving,
                "--compensating",
                compensating,
                "--by",
                "0.05",
                "--out",
                path("edited.onnx")));
        all.addAll(List.of(more));
        return onDigits("1427..1431", all.toArray(String[]::new));
    }

    @Test
    void compensatedModelIsTheSameWhereProtectedAndUndone() throws IOException {
        JsonNode result = json(compensated(
                CONVOLUTIONAL,
                "conv1.weight[0]",
                "head.weight",
                "--fresh-rows",
                "1347..1427",
                "--report",
                path("report"),
                "--format",
                "json"));
        assertThat(result.get("linear_systems").asInt()).isEqualTo(1);
        assertThat(result.get("before_rounding").asDouble()).isLessThan(1e-14);
        assertThat(result.get("uncompensated").asDouble()).isGreaterThan(1e-3);
        assertThat(result.get("protected_max_relative").asDouble()).isLessThan(1e-6);
        assertThat(result.get("others_median_relative").asDouble()).isGreaterThan(1e-4);
        Run same = onDigits("1427..1431", "check", CONVOLUTIONAL.toString(), path("edited.onnx"));
        assertThat(same.code()).isEqualTo(ExitCode.DONE);
        assertThat(same.out()).contains("same function on these inputs");
        Run other = onDigits("1347..1427", "check", CONVOLUTIONAL.toString(), path("edited.onnx"));
        assertThat(other.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(other.out()).contains("different functions: output ");
        Run undone =
                Run.of("compensate", path("edited.onnx"), "--undo", path("report"), "--out", path("restored.onnx"));
        assertThat(undone.code()).as(undone.err()).isEqualTo(ExitCode.DONE);
        assertThat(folder.resolve("restored.onnx")).hasSameBinaryContentAs(CONVOLUTIONAL);
    }

    /** Units of any model move as those of a dense network do, and tensors of a dense network as those of any model. */
    @Test
    void unitsAndTensorsMoveInEveryKindOfModel() {
        Path residual = CONVOLUTIONAL.resolveSibling("residual.onnx");
        JsonNode units = json(onDigits(
                "1427..1431",
                "compensate",
                residual.toString(),
                "--move",
                "3",
                "--layer",
                "1",
                "--by",
                "0.1",
                "--fresh-rows",
                "1347..1427",
                "--report",
                path("units"),
                "--format",
                "json",
                "--out",
                path("edited.onnx")));
        assertThat(units.get("protected_max_relative_unrounded").asDouble()).isLessThan(1e-13);
        assertThat(units.get("protected_max_relative").asDouble()).isLessThan(1e-6);
        assertThat(units.get("protected_max_relative_uncompensated").asDouble()).isGreaterThan(1e-4);
        assertThat(units.get("others_median_relative").asDouble()).isGreaterThan(1e-5);
        Run undone = Run.of("compensate", path("edited.onnx"), "--undo", path("units"), "--out", path("restored.onnx"));
        assertThat(undone.code()).as(undone.err()).isEqualTo(ExitCode.DONE);
        assertThat(folder.resolve("restored.onnx")).hasSameBinaryContentAs(residual);

        JsonNode tensors = json(onDigits(
                "1427..1431",
                "compensate",
                DIGITS.resolve("tanh.safetensors").toString(),
                "--moving",
                "0.weight[3]",
                "--compensating",
                "2.weight",
                "--by",
                "0.1",
                "--format",
                "json",
                "--out",
                path("edited.safetensors")));
        assertThat(tensors.get("before_rounding").asDouble()).isLessThan(1e-13);
        assertThat(tensors.get("protected_max_relative").asDouble()).isLessThan(1e-6);
    }

    @Test
    void optionsOfDenseNetworksAreRefused() {
        assertThat(compensated(CONVOLUTIONAL, "conv1.weight[0]", "head.weight", "--layer", "1")
                        .err())
                .startsWith("isoloss: error: --moving names parts of a model of any kind and takes no --layer");
        assertThat(onDigits(
                                "0..4",
                                "compensate",
                                CONVOLUTIONAL.toString(),
                                "--move",
                                "1",
                                "--by",
                                "0.1",
                                "--out",
                                path("e.onnx"))
                        .err())
                .startsWith(
                        "isoloss: error: hidden layer 0 does not exist: the network has 0 hidden layers, each a function of one variable, or gate, between");
        assertThat(compensated(CONVOLUTIONAL, "conv1.weight[0]", "head.weight", "--activation", "relu")
                        .err())
                .startsWith("isoloss: error: %s, which has a graph, takes no --activation".formatted(CONVOLUTIONAL));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void optionsThatNothingWouldReadAreRefused() {
        String model = CONVOLUTIONAL.toString();
        String dense = DIGITS.resolve("tanh.safetensors").toString();
        assertThat(onDigits("0..4", "recover", "--at", model, "--activation", "relu")
                        .err())
                .startsWith("isoloss: error: %s, which has a graph, takes no --activation".formatted(model));
        assertThat(onDigits("0..4", "check", model, model, "--activation", "relu")
                        .err())
                .startsWith("isoloss: error: a comparison of two models with graphs takes no --activation");
        assertThat(onDigits("0..4", "check", model, dense, "--layers", "W1").err())
                .startsWith("isoloss: error: %s, which has a graph, takes no --layers".formatted(model));
    }

    @Test
    void modelIsHeldAgainstADenseFile() {
        Path onnx = DIGITS.resolve("tanh.onnx");
        Run same = onDigits(
                "0..50",
                "check",
                onnx.toString(),
                DIGITS.resolve("tanh.safetensors").toString());
        assertThat(same.code()).as(same.err()).isEqualTo(ExitCode.DONE);
        Run other = onDigits(
                "0..50",
                "check",
                CONVOLUTIONAL.toString(),
                DIGITS.resolve("tanh.safetensors").toString());
        assertThat(other.code()).isEqualTo(ExitCode.UNUSABLE);
    }

    @Test
    void nullSpaceAtAModelHasOneDimensionByBothWays() {
        String[] common = {
            "recover",
            "--at",
            CONVOLUTIONAL.toString(),
            "--moving",
            "conv1.weight[0:2]",
            "--moving",
            "conv1.bias[0:2]",
            "--moving",
            "conv2.weight[:, 0:2]",
            "--out",
            path("recover")
        };
        List<String> dimension = new ArrayList<>(List.of(common));
        dimension.add("--dimension");
        // a scale for each of the two channels, whose readers all move
        assertThat(onDigits("0..60", common).out())
                .contains("the null space of the Jacobian has dimension 2")
                .contains("164 parameters, 600 output components");
        assertThat(onDigits("0..60", dimension.toArray(String[]::new)).out())
                .contains("the null space of the Jacobian has dimension 2");
    }

    @Test
    void discoveredMotionIsAppliedToTheFileOfTheRun() throws IOException {
        Path model = Files.copy(CONVOLUTIONAL, folder.resolve("convolutional.onnx"));
        Path task = Files.writeString(
                folder.resolve("task.yaml"),
                Files.readString(EXAMPLES.resolve("convolutional.yaml"))
                        .replace(
                                "networks/convolutional.onnx",
                                model.toAbsolutePath().toString())
                        .replace(
                                "digits/digits.csv.gz",
                                DIGITS.resolve("digits.csv.gz").toAbsolutePath().toString()));
        Run discovered = Run.of(
                "discover",
                task.toString(),
                "--set",
                "recipe.steps=3",
                "--seeds",
                "101",
                "--out",
                path("run"),
                "--quiet");
        assertThat(discovered.code()).as(discovered.err()).isEqualTo(ExitCode.DONE);
        String[] apply = {"apply", path("run"), "--t", "0.3", "--out", path("edited.onnx"), "--format", "json"};
        JsonNode applied = json(Run.of(apply));
        assertThat(applied.get("weights_moved").asInt()).isEqualTo(9 + 40);
        assertThat(onDigits("1427..1431", "check", model.toString(), path("edited.onnx"), "--tolerance", "0.5")
                        .code())
                .isEqualTo(ExitCode.DONE);
        assertThat(onDigits("1427..1431", "check", model.toString(), path("edited.onnx"))
                        .code())
                .isEqualTo(ExitCode.UNUSABLE);
        Files.write(model, Files.readAllBytes(folder.resolve("edited.onnx")));
        Run refused = Run.of(apply);
        assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err())
                .contains("the weights in " + model.toAbsolutePath().normalize()
                        + " are not those that the run was made with: SHA-256 ");
        Files.write(model, Files.readAllBytes(CONVOLUTIONAL));
        assertThat(Run.of(apply).code()).isEqualTo(ExitCode.DONE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        convolutional | conv1.weight[0]    | head.weight
        residual      | up1.weight[0]      | head.weight
        recurrent     | gru.weight_hh_l0   | head.weight
        attention     | value.weight[:, 0] | head.weight
        """)
    void editedFilesComputeInOnnxRuntimeWhatTheyDoHere(String name, String moving, String compensating)
            throws IOException, InterruptedException {
        Optional<String> python = Optional.ofNullable(System.getProperty("isoloss.python"))
                .or(() -> Optional.ofNullable(System.getenv("ISOLOSS_PYTHON")));
        assumeTrue(
                python.isPresent(),
                "skipped: neither ISOLOSS_PYTHON nor -Disoloss.python names a Python that has onnxruntime");
        Path model = EXAMPLES.resolve("networks").resolve(name + ".onnx");
        Run edit = compensated(model, moving, compensating);
        assertThat(edit.code()).as(edit.err()).isEqualTo(ExitCode.DONE);
        Path script = Files.writeString(folder.resolve("both.py"), """
                import gzip, sys
                import numpy as np
                import onnxruntime
                data, before, after, folder = sys.argv[1:]
                rows = np.loadtxt(gzip.open(data), delimiter=",", dtype=np.float32)[1347:]
                inputs = rows[:, :64] / np.float32(16)
                np.savez(folder + "/inputs.npz", images=inputs)
                results = []
                for name, path in ("before", before), ("after", after):
                    results.append(onnxruntime.InferenceSession(path).run(None, {"images": inputs})[0])
                    np.savez(folder + "/" + name + ".npz", logits=results[-1])
                change = np.linalg.norm(results[1] - results[0], axis=1) / np.linalg.norm(results[0], axis=1)
                print(change[80:84].max() < 1e-5, np.median(change) > 1e-4)
                """);
        Path output = folder.resolve("output.txt");
        int code = new ProcessBuilder(
                        python.orElseThrow(),
                        script.toString(),
                        DIGITS.resolve("digits.csv.gz").toString(),
                        model.toString(),
                        path("edited.onnx"),
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        assertThat(code).as(Files.readString(output)).isZero();
        assertThat(output).content().isEqualToIgnoringNewLines("True True");
        for (String which : List.of("before", "after")) {
            String file = which.equals("before") ? model.toString() : path("edited.onnx");
            Run ours = Run.of("run", file, "--data", path("inputs.npz"), "--expect", path(which + ".npz"));
            assertThat(ours.code()).as(ours.err()).isEqualTo(ExitCode.DONE);
            assertThat(ours.out()).startsWith("output 'logits' agrees");
        }
    }
}
