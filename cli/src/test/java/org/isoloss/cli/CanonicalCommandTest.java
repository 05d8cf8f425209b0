package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.isoloss.source.Bindings;
import org.isoloss.source.StoredModel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CanonicalCommandTest {
    private static final Path EXAMPLES = Path.of("..", "examples");

    @TempDir
    Path folder;

    private JsonNode transform(Path model, Path out, String... options) {
        String[] all = {"transform", model.toString(), "--out", out.toString(), "--format", "json", "--quiet"};
        String[] arguments = Arrays.copyOf(all, all.length + options.length);
        System.arraycopy(options, 0, arguments, all.length, options.length);
        Run run = Run.of(arguments);
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        return JsonMapper.shared().readTree(run.out());
    }

    private static SequencedMap<String, double[]> weights(Path path) throws IOException {
        SequencedMap<String, double[]> weights = new LinkedHashMap<>();
        try (StoredModel opened = StoredModel.openForAny(path, Bindings.NONE, StoredModel.Reading.PLAIN, 4)) {
            opened.model()
                    .parameters()
                    .keySet()
                    .forEach(name ->
                            weights.put(name, opened.model().numbers(name).clone()));
        }
        return weights;
    }

    /** The distance of two files relative to the norm of the first. */
    private static double distance(Path one, Path other) throws IOException {
        Map<String, double[]> others = weights(other);
        double sum = 0;
        double size = 0;
        for (Map.Entry<String, double[]> entry : weights(one).entrySet()) {
            double[] own = entry.getValue();
            double[] moved = Objects.requireNonNull(others.get(entry.getKey()));
            for (int i = 0; i < own.length; i++) {
                sum += (own[i] - moved[i]) * (own[i] - moved[i]);
                size += own[i] * own[i];
            }
        }
        return Math.sqrt(sum / size);
    }

    /** Transformed at random, a file has the same representative; taken twice, no number changes by more than one ulp. */
    @ParameterizedTest
    @CsvSource({"digits/relu-almost.safetensors", "digits/tanh.onnx"})
    void equalFunctionsHaveEqualFiles(String name) throws IOException {
        Path model = EXAMPLES.resolve(name);
        String ending = name.substring(name.lastIndexOf('.'));
        Path chosen = folder.resolve("chosen" + ending);
        Path moved = folder.resolve("moved" + ending);
        Path other = folder.resolve("other" + ending);
        Path twice = folder.resolve("twice" + ending);
        JsonNode json = transform(model, chosen, "--canonical");
        assertThat(json.get("outputs_before_rounding").asDouble()).isLessThanOrEqualTo(1e-10);
        assertThat(json.get("outputs_as_written").asDouble()).isLessThanOrEqualTo(1e-5);
        assertThat(json.get("staying").size()).isZero();
        assertThat(json.get("near").size()).isZero();
        transform(model, moved, "--random", "3");
        transform(moved, other, "--canonical");
        assertThat(distance(model, moved)).isGreaterThan(0.01);
        assertThat(distance(chosen, other)).isLessThanOrEqualTo(1e-5);
        transform(chosen, twice, "--canonical");
        Map<String, double[]> again = weights(twice);
        weights(chosen).forEach((tensor, numbers) -> {
            double[] own = Objects.requireNonNull(again.get(tensor));
            for (int i = 0; i < own.length; i++) {
                assertThat(Math.abs(own[i] - numbers[i]))
                        .as("%s[%d]", tensor, i)
                        .isLessThanOrEqualTo(Math.ulp((float) Math.max(Math.abs(own[i]), Math.abs(numbers[i]))));
            }
        });
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"digits/tanh.safetensors", "networks/convolutional.onnx", "networks/recurrent.onnx"})
    void largerFilesToo(String name) throws IOException {
        equalFunctionsHaveEqualFiles(name);
    }

    /** Two networks that were trained apart have other representatives. */
    @Test
    void otherFunctionsHaveOtherFiles() throws IOException {
        Path one = folder.resolve("one.safetensors");
        Path other = folder.resolve("other.safetensors");
        transform(EXAMPLES.resolve("digits/tanh.safetensors"), one, "--canonical");
        transform(EXAMPLES.resolve("digits/tanh-retrained.safetensors"), other, "--canonical");
        assertThat(distance(one, other)).isGreaterThan(0.01);
    }

    @Test
    void streamsHaveARepresentative() {
        Run run = Run.of(
                "transform",
                EXAMPLES.resolve("networks/residual.onnx").toString(),
                "--canonical",
                "--quiet",
                "--out",
                folder.resolve("out.onnx").toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out())
                .contains("before rounding")
                .doesNotContain("stays")
                .doesNotContain("not decided");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--canonical --random 1 | expected one of --random=SEED, --element=FILE, --canonical",
                "--canonical --element x.npz | expected one of --random=SEED, --element=FILE, --canonical",
                "--canonical --family scales | --canonical says what is applied and takes no --family",
                "--canonical --layer all | --canonical says what is applied and takes no --layer",
                "--canonical --inverse | --canonical says what is applied and takes no --inverse",
            })
    void conflictsAreRefusedInOneLine(String options, String message) {
        String[] arguments = ("transform " + EXAMPLES.resolve("digits/tanh.safetensors") + " --out "
                        + folder.resolve("out.safetensors") + " " + options)
                .split(" ");
        Run run = Run.of(arguments);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(message);
        assertThat(run.err().lines().filter(line -> line.contains("error"))).hasSizeLessThanOrEqualTo(1);
        assertThat(folder.resolve("out.safetensors")).doesNotExist();
    }
}
