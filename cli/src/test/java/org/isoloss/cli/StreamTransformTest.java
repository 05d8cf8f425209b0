package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.isoloss.cli.StoredWeights.weights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code isoloss transform} on residual streams: untied, folded, turned, balanced. */
class StreamTransformTest {
    private static final Path FAMILIES =
            Path.of("..", "library", "src", "test", "resources", "org", "isoloss", "source");
    private static final Path NEOX = Path.of("..", "examples", "neox-wikitext-1.8m");

    @TempDir
    Path folder;

    private String out(String name) {
        return folder.resolve(name).toString();
    }

    private JsonNode transform(Path model, String name, String... options) {
        List<String> words =
                new ArrayList<>(List.of("transform", model.toString(), "--out", out(name), "--format", "json"));
        words.addAll(List.of(options));
        return Run.json(Run.of(words.toArray(String[]::new)));
    }

    /** gemma ties its head, multiplies its embedding by the root of the width, and stores what factors are above 1. */
    @Test
    void tiedHeadIsGivenATensorFoldedAndTurnedAndTakenBack() throws IOException {
        Path gemma = FAMILIES.resolve("gemma");
        JsonNode there =
                transform(gemma, "moved", "--untie", "--fold-norms", "--rotate", "random:4", "--rounding", "int8");
        assertThat(there.get("outputs_before_rounding").asDouble()).isLessThan(1e-12);
        assertThat(there.get("outputs_as_written").asDouble()).isLessThan(1e-5);
        assertThat(there.get("outputs_rounded").get("before").asDouble()).isBetween(1e-5, 0.5);
        assertThat(there.get("outputs_rounded").get("after").asDouble()).isBetween(1e-5, 0.5);
        Map<String, double[]> moved = weights(folder.resolve("moved"));
        assertThat(moved.get("lm_head.weight")).isNotEqualTo(moved.get("model.embed_tokens.weight"));
        assertThat(moved.get("model.norm.weight")).containsOnly(0.0);
        assertThat(Files.readString(folder.resolve("moved").resolve("config.json")))
                .containsPattern("\"tie_word_embeddings\"\\s*:\\s*false");
        transform(
                folder.resolve("moved"),
                "back",
                "--element",
                there.get("element").asString(),
                "--inverse");
        Map<String, double[]> back = weights(folder.resolve("back"));
        weights(gemma)
                .forEach((name, numbers) -> assertThat(back.get(name)).as(name).containsExactly(numbers, within(1e-5)));
    }

    @Test
    void untiedAloneIsACopyOfTheEmbedding() throws IOException {
        JsonNode there = transform(FAMILIES.resolve("gemma"), "untied", "--untie");
        assertThat(there.get("outputs_as_written").asDouble()).isZero();
        Map<String, double[]> untied = weights(folder.resolve("untied"));
        assertThat(untied.get("lm_head.weight")).isEqualTo(untied.get("model.embed_tokens.weight"));
        assertThat(untied).hasSize(weights(FAMILIES.resolve("gemma")).size() + 1);
    }

    /** The index of shards knows the new tensor, and how many bytes there are. */
    @Test
    void shardedFolderIsUntied() throws IOException {
        Path gemma = FAMILIES.resolve("gemma");
        Path sharded = Files.createDirectory(folder.resolve("sharded"));
        Files.copy(gemma.resolve("config.json"), sharded.resolve("config.json"));
        ObjectNode index = JsonMapper.shared().createObjectNode();
        ObjectNode map = index.putObject("weight_map");
        long bytes = 0;
        try (SafetensorsFile file = SafetensorsFile.open(gemma.resolve("model.safetensors"))) {
            var writers = List.of(new SafetensorsWriter(), new SafetensorsWriter());
            for (int i = 0; i < file.names().size(); i++) {
                String name = file.names().get(i);
                writers.get(i % 2).add(file.tensor(name));
                map.put(name, "part-%d.safetensors".formatted(i % 2));
                bytes += file.tensor(name).bytes().byteSize();
            }
            writers.get(0).saveTo(sharded.resolve("part-0.safetensors"));
            writers.get(1).saveTo(sharded.resolve("part-1.safetensors"));
        }
        index.putObject("metadata").put("total_size", bytes);
        Files.writeString(sharded.resolve("model.safetensors.index.json"), index.toString());
        transform(sharded, "untied", "--untie", "--fold-norms");
        JsonNode after = JsonMapper.shared()
                .readTree(Files.readString(folder.resolve("untied").resolve("model.safetensors.index.json")));
        assertThat(after.get("weight_map").get("lm_head.weight").asString())
                .isEqualTo(
                        after.get("weight_map").get("model.embed_tokens.weight").asString());
        Map<String, double[]> untied = weights(folder.resolve("untied"));
        assertThat(after.get("metadata").get("total_size").asLong())
                .isEqualTo(bytes + 4L * Objects.requireNonNull(untied.get("lm_head.weight")).length);
    }

    @Test
    void sameSeedWritesTheSameBytes() throws IOException {
        transform(NEOX, "a", "--fold-norms", "--rotate", "hadamard:3");
        transform(NEOX, "b", "--fold-norms", "--rotate", "hadamard:3");
        assertThat(Files.readAllBytes(folder.resolve("a").resolve("model.safetensors")))
                .isEqualTo(Files.readAllBytes(folder.resolve("b").resolve("model.safetensors")));
    }

    /** The norm of the weights falls, and the function stays. */
    @Test
    void balancedScalesAreShorter() throws IOException {
        Path relu = Path.of("..", "examples", "digits", "relu-rescaled.safetensors");
        JsonNode there = transform(relu, "balanced.safetensors", "--balance");
        assertThat(there.get("outputs_before_rounding").asDouble()).isLessThan(1e-12);
        assertThat(squares(weights(folder.resolve("balanced.safetensors")))).isLessThan(0.9 * squares(weights(relu)));
    }

    private static double squares(Map<String, double[]> weights) {
        return weights.values().stream()
                .flatMapToDouble(java.util.Arrays::stream)
                .map(x -> x * x)
                .sum();
    }

    @Test
    void placeOfASeedWithoutASeedIsRefused() {
        Run run =
                Run.of("transform", FAMILIES.resolve("llama").toString(), "--fold-norms", "--out", out("copy-{seed}"));
        assertThat(run.code()).isNotEqualTo(ExitCode.DONE);
        assertThat(run.err()).hasLineCount(1).contains("--out has {seed} in it, and without --random there is no seed");
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gemma   | --fold-norms --rotate random | of the factors 'model.norm.weight' 'model.embed_tokens.weight', which reads what they make, is used elsewhere too; --untie
            llama   | --untie                      | has no head that the configuration beside it ties
            bert    | --fold-norms                 | no norm is folded: the factors
            llama   | --rotate square              | expected hadamard or random
            gemma   | --untie --family scales      | --untie says what is applied and takes no --family
            llama   | --fold-norms --random 1      | expected one of --random=SEED
            llama   | --fold-norms --rounding int2 | expected int8, int4 or bf16, got 'int2'
            """)
    void whatCannotBeDoneIsOneLineAndWritesNothing(String family, String options, String message) {
        List<String> words =
                new ArrayList<>(List.of("transform", FAMILIES.resolve(family).toString(), "--out", out("moved")));
        words.addAll(List.of(options.split(" ")));
        Run run = Run.of(words.toArray(String[]::new));
        assertThat(run.code()).isNotEqualTo(ExitCode.DONE);
        assertThat(run.err()).contains(message);
        assertThat(folder).isEmptyDirectory();
    }
}
