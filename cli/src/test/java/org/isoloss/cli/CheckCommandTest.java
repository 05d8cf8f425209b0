package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.linalg.Matrix;
import org.isoloss.source.HuggingFaceFolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CheckCommandTest {
    private static final Path DIGITS = Path.of("..", "examples", "digits");

    @TempDir
    Path folder;

    private static Run digits(String first, String second, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "check",
                DIGITS.resolve(first + ".safetensors").toString(),
                DIGITS.resolve(second + ".safetensors").toString(),
                "--data",
                DIGITS.resolve("digits.csv.gz").toString(),
                "--label",
                "--scale",
                "16",
                "--rows",
                "1347..1355",
                "--fresh-rows",
                "1355..1797"));
        arguments.addAll(List.of(more));
        return Run.of(arguments.toArray(String[]::new));
    }

    private static JsonNode json(Run run) {
        return JsonMapper.shared().readTree(run.out());
    }

    /** The largest differences are those that a separate program measured over all test rows. */
    @ParameterizedTest
    @CsvSource({
        "tanh, tanh, true, 0, 0",
        "tanh, tanh-permuted, true, 1e-16, 4e-15",
        "tanh, tanh-retrained, false, 3.40, 3.46",
        "relu-nobias, relu-rescaled, true, 1e-8, 5e-7",
        "relu-nobias, relu-almost, false, 1.05e-3, 1.2e-3",
        "tanh, relu-nobias, false, 1, 100"
    })
    void pairsAreToldApart(String first, String second, boolean same, double least, double most) {
        Run run = digits(first, second, "--format", "json");
        assertThat(run.code()).as(run.err()).isEqualTo(same ? ExitCode.DONE : ExitCode.UNUSABLE);
        JsonNode result = json(run);
        assertThat(result.get("same").asBoolean()).isEqualTo(same);
        double largest = Math.max(
                result.at("/summary/0/max").asDouble(),
                result.at("/summary/2/max").asDouble());
        assertThat(largest).isBetween(least, most);
        assertThat(result.at("/summary/2/inputs").asString()).isEqualTo("fresh");
        assertThat(result.get("outputs").get("fresh")).hasSize(10);
        assertThat(result.get("tolerance").asDouble()).isEqualTo(1e-5);
        Run swapped = digits(second, first);
        assertThat(swapped.code()).isEqualTo(run.code());
        assertThat(swapped.out()).contains(same ? "same function on these inputs" : "different functions");
    }

    @Test
    void theReportHasTablesAndAPicture() throws IOException {
        Path out = folder.resolve("out");
        Run run = digits("relu-nobias", "relu-almost", "--out", out.toString());
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("Output by output: fresh", "0.weight  F32 (16, 64)     1024          1  1.00e-3")
                .endsWith("; tolerance 1e-05\n");
        for (String file : List.of("report.html", "check.json", "provenance.json", "figures/difference.svg")) {
            assertThat(out.resolve(file)).isNotEmptyFile();
        }
        assertThat(out.resolve("tables/outputs-fresh.csv")).content().hasLineCount(11);
        assertThat(Files.readString(out.resolve("report.html"))).contains("Different functions", "<svg");
    }

    /** A network with one unit more, which is silent. */
    @Test
    void otherWidthsAndOtherNamesAreCompared() throws IOException {
        Path narrow = folder.resolve("narrow.safetensors");
        new SafetensorsWriter()
                .add("0.weight", Shape.of(2, 1), new float[] {1, -2})
                .add("2.weight", Shape.of(1, 2), new float[] {3, 4})
                .saveTo(narrow);
        Path wide = folder.resolve("wide.npz");
        new NpzWriter()
                .add("in.weight", Matrix.of(3, 1, -2, 1, 5))
                .add("out.weight", Matrix.of(1, 3, 4, 3, 0))
                .saveTo(wide);
        Path data = folder.resolve("data.npz");
        new NpzWriter().add("x", Matrix.of(3, 1, 0.5, -1, 2)).saveTo(data);
        Run run = Run.of(
                "check",
                narrow.toString(),
                wide.toString(),
                "--data",
                data.toString(),
                "--activation",
                "silu",
                "--layers",
                "0.weight,2.weight",
                "--second-layers",
                "in.weight,out.weight");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .startsWith("widths differ: [1, 2, 1] in %s, [1, 3, 1] in %s%n".formatted(narrow, wide))
                .contains("0.weight    F32 (2, 1), only in " + narrow);
    }

    @Test
    void otherActivationsAreOneLine() throws IOException {
        String[] activations = {"tanh", "sigmoid"};
        for (String activation : activations) {
            new SafetensorsWriter()
                    .metadata("activation", activation)
                    .add("0.weight", Shape.of(1, 1), new float[] {1})
                    .add("2.weight", Shape.of(1, 1), new float[] {1})
                    .saveTo(folder.resolve(activation));
        }
        Files.writeString(folder.resolve("data.csv"), "1\n2\n");
        Run run = Run.of(
                "check",
                folder.resolve("tanh").toString(),
                folder.resolve("sigmoid").toString(),
                "--data",
                folder.resolve("data.csv").toString());
        assertThat(run.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(run.out().lines().filter(line -> line.startsWith("activations differ: tanh in ")))
                .hasSize(1);
    }

    private void weights(String name, int inputs, int outputs, float weight) throws IOException {
        float[] values = new float[inputs * outputs];
        Arrays.fill(values, weight);
        new SafetensorsWriter()
                .metadata("activation", "relu")
                .add("0.weight", Shape.of(outputs, inputs), values)
                .saveTo(folder.resolve(name));
    }

    /** Logits of float32 with the axis of the batch, as transformers gives them. */
    @Test
    void logitsOfAnotherProgramAreCompared() throws IOException {
        Path model = Path.of("..", "examples", "neox-wikitext-1.8m");
        Matrix logits;
        try (HuggingFaceFolder stored = HuggingFaceFolder.open(model)) {
            double[] numbers = stored.model(1, 3)
                    .run(Precision.FLOAT32, Map.of("input_ids", new double[] {354, 325, 287}))
                    .firstEntry()
                    .getValue();
            logits = Matrix.over(3, numbers.length / 3, numbers);
        }
        Path file = folder.resolve("logits.npz");
        Shape shape = Shape.of(1, logits.rows(), logits.columns());
        new NpzWriter().add("logits", shape, logits.entries()).saveTo(file);
        String[] line = {
            "check", model.toString(), model.toString(), "--prefix", "354,325,287", "--expect", file.toString()
        };
        Run run = Run.of(line);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err())
                .startsWith("isoloss: outputs agree with " + file + ": 3 inputs of 1024 outputs, largest difference ");
        logits.set(2, 7, logits.get(2, 7) + 0.01);
        new NpzWriter().add("logits", shape, logits.entries()).saveTo(file);
        Run other = Run.of(line);
        assertThat(other.code()).isEqualTo(ExitCode.FAILED);
        assertThat(other.err())
                .contains(
                        "logits.npz is not what isoloss computes: input 2, output 7: isoloss computes ",
                        " of 8 layers of width ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "a b; Missing required option: '--data=FILE'",
                "a --data data.csv; Missing required parameter: 'B'",
                "a narrow --data data.csv; a has 2 inputs and ",
                "a other --data data.csv; has 1 outputs and ",
                "a nan --data data.csv; tensor '0.weight' holds NaN at [0, 0]",
                "a b --data nan.csv; is not a finite number",
                "a b --data one.csv; one.csv: 1 numbers an input, the network takes 2",
                "a huge --data large.csv; huge: output 0 of input 0 (data) is Infinity in float32",
                "a silent --data data.csv; silent names no activation; give --activation",
                "a absent --data data.csv; no such file or folder: ",
                "a b --data data.csv --tolerance -1; tolerance -1.0, expected at least 0 and below 1",
                "a b --data data.csv --rows 3; '--rows': expected rows such as 0..8, got '3'",
                "a b --data data.csv --fresh-rows x; '--fresh-rows': expected rows such as 0..8, got 'x'",
                "a b --data data.csv --fresh-rows 0..9; rows [0, 9] asked for",
                "a b --data data.csv --layers 9.weight; no tensor '9.weight'",
                "a data.csv --data data.csv; not a safetensors file"
            })
    void whatCannotBeComparedIsOneLine(String arguments, String message) throws IOException {
        weights("a", 2, 1, 1);
        weights("b", 2, 1, 1);
        weights("narrow", 1, 1, 1);
        weights("other", 2, 2, 1);
        weights("nan", 2, 1, Float.NaN);
        weights("huge", 2, 1, 1e30f);
        new SafetensorsWriter()
                .add("0.weight", Shape.of(1, 2), new float[] {1, 1})
                .add("2.weight", Shape.of(1, 1), new float[] {1})
                .saveTo(folder.resolve("silent"));
        Files.writeString(folder.resolve("data.csv"), "1,2\n3,4\n");
        Files.writeString(folder.resolve("large.csv"), "1e9,2e9\n");
        Files.writeString(folder.resolve("nan.csv"), "1,NaN\n");
        Files.writeString(folder.resolve("one.csv"), "1\n");
        List<String> line = new ArrayList<>(List.of("check"));
        for (String word : arguments.split(" ", -1)) {
            boolean file = word.matches("[a-z]+(\\.csv)?") && !word.equals("x");
            line.add(file ? folder.resolve(word).toString() : word);
        }
        Run run = Run.of(line.toArray(String[]::new));
        assertThat(run.err().replace(folder + File.separator, ""))
                .hasLineCount(1)
                .contains(message)
                .doesNotContain("unexpected", "Exception");
        assertThat(run.code()).isIn(ExitCode.FAILED, ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
    }
}
