package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.isoloss.cli.Run.json;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class AlignCommandTest {
    private static final Path DIGITS = Path.of("..", "examples", "digits");

    @TempDir
    Path folder;

    private static String digits(String name) {
        return DIGITS.resolve(name).toString();
    }

    /** Permuted with signs, scaled, another function by one weight, and from another seed. */
    @ParameterizedTest
    @CsvSource({
        "tanh.safetensors, tanh-permuted.safetensors, true",
        "relu-nobias.safetensors, relu-rescaled.safetensors, true",
        "relu-nobias.safetensors, relu-almost.safetensors, false",
        "tanh.safetensors, tanh-retrained.safetensors, false"
    })
    void disguisedCopiesAreToldFromOthers(String one, String other, boolean isSame) {
        JsonNode json = json(Run.of("align", digits(one), digits(other), "--format", "json"));
        assertThat(json.get("same").asBoolean()).isEqualTo(isSame);
        assertThat(json.get("distance_after").asDouble())
                .isLessThanOrEqualTo(json.get("distance_before").asDouble());
        assertThat(json.get("element_changes_outputs").asDouble()).isLessThan(1e-10);
        assertThat(json.get("distance_after").asDouble() <= 1e-5).isEqualTo(isSame);
    }

    /** On data with labels the barrier of the loss falls, and everything is written. */
    @Test
    void trainedNetworksComeNearer() {
        JsonNode json = json(Run.of(
                "align",
                digits("tanh.safetensors"),
                digits("tanh-retrained.safetensors"),
                "--data",
                digits("digits.csv.gz"),
                "--label",
                "--scale",
                "16",
                "--rows",
                "0..1347",
                "--format",
                "json",
                "--out",
                folder.resolve("report").toString(),
                "--save",
                folder.resolve("moved.safetensors").toString()));
        assertThat(json.get("loss_barrier_before").asDouble()).isGreaterThan(1);
        assertThat(json.get("loss_barrier_after").asDouble()).isLessThan(0.2);
        assertThat(json.get("points")).hasSize(25);
        assertThat(folder.resolve("report").resolve("barrier.svg")).exists();
        assertThat(folder.resolve("report").resolve("alignment.csv")).exists();
        assertThat(folder.resolve("report").resolve("element.npz")).exists();
        assertThat(folder.resolve("report").resolve("provenance.json"))
                .content()
                .contains("tanh-retrained.safetensors", "digits.csv.gz");
        JsonNode moved = json(Run.of(
                "align",
                digits("tanh.safetensors"),
                folder.resolve("moved.safetensors").toString(),
                "--format",
                "json"));
        assertThat(moved.get("same").asBoolean()).isTrue();
        assertThat(moved.get("distance_before").asDouble()).isGreaterThan(0.5);
    }

    @Test
    void otherArchitecturesAreOneLine() {
        Run run = Run.of("align", digits("tanh.safetensors"), digits("relu-nobias.safetensors"));
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .hasLineCount(1)
                .contains(
                        "the parameter '0.weight' has shape (32, 64) in the first network and (16, 64) in the second");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --label                                                      | align without --data takes no --label
            --expect=y.npz                                               | align without --data takes no --expect
            --data=../examples/digits/digits.csv.gz --label --bind=rows=3 | --data binds every axis and takes no --bind
            """)
    void optionsThatNothingWouldReadAreRefused(String options, String message) {
        List<String> words =
                new ArrayList<>(List.of("align", digits("tanh.safetensors"), digits("tanh-permuted.safetensors")));
        words.addAll(List.of(options.split(" ")));
        Run run = Run.of(words.toArray(String[]::new));
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
    }

    /** The same tensors, with another activation between them. */
    @Test
    void anotherActivationIsAnotherArchitecture() throws IOException {
        List<String> files = new ArrayList<>();
        for (String activation : List.of("relu", "tanh")) {
            Path file = folder.resolve(activation + ".safetensors");
            var random = new SplittableRandom(1);
            new SafetensorsWriter()
                    .metadata("activation", activation)
                    .add(
                            "0.weight",
                            ElementType.F32,
                            Shape.of(6, 4),
                            random.doubles(24).toArray())
                    .add(
                            "2.weight",
                            ElementType.F32,
                            Shape.of(3, 6),
                            random.doubles(18).toArray())
                    .saveTo(file);
            files.add(file.toString());
        }
        Run run = Run.of("align", files.get(0), files.get(1));
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("differ in more than parameters", "relu", "tanh");
    }
}
