package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.linalg.Matrix;
import org.isoloss.source.Models;
import org.isoloss.source.StoredModel.Reading;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The comparison with golden numbers sees the mistakes that are easily made: each is made here on purpose, by a configuration
 * or by weights with which the right computation gives what the mistaken one gives on the right weights.
 */
class KnownMistakesTest {
    @TempDir
    Path changed;

    /** Tensors with the configuration beside them. */
    record Stored(Checkpoint tensors, JsonNode config) {
        int size(String... keys) {
            return Stream.of(keys)
                    .filter(config::has)
                    .findFirst()
                    .map(key -> config.get(key).asInt())
                    .orElseThrow();
        }

        int heads() {
            return size("num_attention_heads", "n_head");
        }

        int layers() {
            return size("num_hidden_layers", "n_layer");
        }

        int headSize() {
            return config.has("head_dim") ? size("head_dim") : size("hidden_size", "n_embd") / heads();
        }

        int rotaryWidth() {
            double part =
                    config.path("rope_parameters").path("partial_rotary_factor").asDouble(1);
            return (int) (headSize() * config.path("rotary_pct").asDouble(part));
        }
    }

    /** A model with its weights, to be told wrong things. */
    interface Mistake {
        Map<String, Matrix> weights(Stored stored) throws IOException;
    }

    static Stream<Arguments> wrongConfigurations() {
        return Stream.of(
                Arguments.of("tanh GELU", "gptneox-bf16", "hidden_act", "\"gelu_new\""),
                Arguments.of("tanh GELU", "bert-postln", "hidden_act", "\"gelu_new\""),
                Arguments.of("erf GELU", "gemma-geglu", "hidden_act", "\"gelu_python\""),
                Arguments.of("erf GELU", "gpt2-gelu-new", "activation_function", "\"gelu\""),
                Arguments.of("other residual", "gptneox-parallel-f32", "use_parallel_residual", "false"),
                Arguments.of("other residual", "gptneox-sequential-f16", "use_parallel_residual", "true"),
                // width 6 of 24, base 500: base^(-2i/24) is (base^(6/24))^(-2i/6)
                Arguments.of("frequencies from the head size", "gptneox-bf16", "rope_theta", "4.728708045015879"),
                Arguments.of("frequencies from the head size", "gptneox-sequential-f16", "rope_theta", "100"),
                Arguments.of("rotation of the whole head", "gptneox-bf16", "partial_rotary_factor", "1.0"),
                Arguments.of("no epsilon", "llama-gqa", "rms_norm_eps", "1e-300"),
                Arguments.of("no epsilon", "qwen2-biases", "rms_norm_eps", "1e-300"),
                Arguments.of("no epsilon", "gemma-geglu", "rms_norm_eps", "1e-300"),
                Arguments.of("no epsilon", "gpt2-gelu-new", "layer_norm_epsilon", "1e-300"),
                Arguments.of("no epsilon", "gptneox-bf16", "layer_norm_eps", "1e-300"),
                // beside a state that is nearly 0, epsilon outside the root does what its square does inside
                Arguments.of("epsilon outside the root", "llama-gqa", "rms_norm_eps", "1e-10"),
                Arguments.of("epsilon outside the root", "gpt2-gelu-new", "layer_norm_epsilon", "1e-10"),
                Arguments.of("epsilon outside the root", "gptneox-bf16", "layer_norm_eps", "1e-10"));
    }

    @ParameterizedTest(name = "{0} in {1}")
    @MethodSource("wrongConfigurations")
    void seesWrongConfigurations(String mistake, String model, String key, String value) throws IOException {
        Path folder = Models.folder(model);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.copy(file, changed.resolve(file.getFileName()));
            }
        }
        String right = Files.readString(folder.resolve("config.json"));
        String wrong = right.replaceFirst("\"" + key + "\": [^,}\\s]+", "\"" + key + "\": " + value);
        assertThat(wrong).isNotEqualTo(right);
        Files.writeString(changed.resolve("config.json"), wrong);
        assertDeparts(mistake, model, changed, GoldenFile.read(Models.golden(model)));
    }

    static Stream<Arguments> wrongWeights() {
        return Stream.of(
                Arguments.of("QKV as three blocks", "gptneox-bf16", (Mistake) KnownMistakesTest::threeBlocks),
                Arguments.of("QKV as three blocks", "gptneox-parallel-f32", (Mistake) KnownMistakesTest::threeBlocks),
                Arguments.of("adjacent pairs", "gptneox-bf16", (Mistake) KnownMistakesTest::adjacentPairsJoint),
                Arguments.of(
                        "adjacent pairs", "gptneox-sequential-f16", (Mistake) KnownMistakesTest::adjacentPairsJoint),
                Arguments.of("adjacent pairs", "llama-gqa", (Mistake) KnownMistakesTest::adjacentPairsSeparate),
                Arguments.of("adjacent pairs", "qwen2-biases", (Mistake) KnownMistakesTest::adjacentPairsSeparate),
                Arguments.of("adjacent pairs", "gemma-geglu", (Mistake) KnownMistakesTest::adjacentPairsSeparate),
                Arguments.of("adjacent pairs", "aidreams-260k", (Mistake) KnownMistakesTest::adjacentPairsSeparate),
                Arguments.of("heads tiled", "llama-gqa", (Mistake) KnownMistakesTest::tiledHeads),
                Arguments.of("heads tiled", "qwen2-biases", (Mistake) KnownMistakesTest::tiledHeads),
                Arguments.of("norms without 1 +", "gemma-geglu", (Mistake) KnownMistakesTest::normsWithoutOne),
                Arguments.of("embedding not scaled", "gemma-geglu", (Mistake) KnownMistakesTest::unscaledEmbedding),
                Arguments.of("(in, out) as (out, in)", "gpt2-gelu-new", (Mistake) KnownMistakesTest::transposed));
    }

    @ParameterizedTest(name = "{0} in {1}")
    @MethodSource("wrongWeights")
    void seesWrongLayouts(String mistake, String model, Mistake made) throws IOException {
        Path wrong = changed.resolve("wrong");
        try (Checkpoint tensors = Checkpoint.open(Models.folder(model))) {
            JsonNode config = JsonMapper.shared()
                    .readTree(Models.folder(model).resolve("config.json").toFile());
            Map<String, Matrix> weights = made.weights(new Stored(tensors, config));
            assertThat(weights).isNotEmpty();
            Map<String, double[]> numbers = new HashMap<>();
            weights.forEach((name, matrix) -> numbers.put(name, matrix.entries()));
            Checkpoint.edit(Models.folder(model)).with(numbers).saveAs(wrong);
        }
        assertDeparts(mistake, model, wrong, GoldenFile.read(Models.golden(model)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"padded", "long"})
    void seesThatPaddingOrTypesAreIgnored(String name) throws IOException {
        GoldenCase right = GoldenFile.read(Models.golden("bert-postln")).stream()
                .filter(golden -> golden.name().equals(name))
                .findFirst()
                .orElseThrow();
        var wrong =
                new GoldenCase(name, right.inputs().only("input_ids", "input_ids"), right.layers(), right.expected());
        assertDeparts(name, "bert-postln", Models.folder("bert-postln"), List.of(wrong));
    }

    private static void assertDeparts(String mistake, String model, Path folder, List<GoldenCase> cases)
            throws IOException {
        Parity parity = Parity.measure(folder, Reading.PLAIN, cases);
        assertThat(parity.firstDeparture()).as("%s in %s", mistake, model).isPresent();
        assertThat(parity.places())
                .as("%s in %s departs in both arithmetics", mistake, model)
                .anySatisfy(place -> {
                    assertThat(place.kind()).isEqualTo(Parity.Kind.OUTPUT);
                    assertThat(place.float64()).isGreaterThan(5e-6);
                    assertThat(place.float32()).isGreaterThan(5e-6);
                });
    }

    /** Weight and, where there is one, bias of a projection with other rows: row i is what was row {@code from(i)}. */
    private static Map<String, Matrix> rows(Stored stored, String module, IntUnaryOperator from) throws IOException {
        var permuted = new HashMap<String, Matrix>();
        for (String name : List.of(module + ".weight", module + ".bias")) {
            if (stored.tensors().names().contains(name)) {
                Matrix old = matrix(stored, name);
                Matrix next = old.copy();
                for (int row = 0; row < old.rows(); row++) {
                    System.arraycopy(
                            old.row(from.applyAsInt(row)), 0, next.entries(), row * old.columns(), old.columns());
                }
                permuted.put(name, next);
            }
        }
        return permuted;
    }

    /** A vector becomes a column. */
    private static Matrix matrix(Stored stored, String name) throws IOException {
        double[] numbers = stored.tensors().tensor(name).toDoubles();
        return stored.tensors().tensor(name).shape().rank() == 2
                ? stored.tensors().tensor(name).toMatrix()
                : Matrix.over(numbers.length, 1, numbers);
    }

    private static Map<String, Matrix> threeBlocks(Stored stored) throws IOException {
        int size = stored.headSize();
        int heads = stored.heads();
        var weights = new HashMap<String, Matrix>();
        for (int layer = 0; layer < stored.layers(); layer++) {
            weights.putAll(rows(stored, "gpt_neox.layers." + layer + ".attention.query_key_value", row -> {
                int head = row / (3 * size);
                int kind = row / size % 3;
                return (kind * heads + head) * size + row % size;
            }));
        }
        return weights;
    }

    /** Which coordinate of a head takes the place of another, so that halves turn as neighbours would. */
    private static int neighbour(int coordinate, int rotaryWidth) {
        int half = rotaryWidth / 2;
        return coordinate >= rotaryWidth ? coordinate : 2 * (coordinate % half) + coordinate / half;
    }

    private static Map<String, Matrix> adjacentPairsJoint(Stored stored) throws IOException {
        int size = stored.headSize();
        int width = stored.rotaryWidth();
        var weights = new HashMap<String, Matrix>();
        for (int layer = 0; layer < stored.layers(); layer++) {
            weights.putAll(rows(
                    stored,
                    "gpt_neox.layers." + layer + ".attention.query_key_value",
                    row -> row / size % 3 == 2 ? row : row / size * size + neighbour(row % size, width)));
        }
        return weights;
    }

    private static Map<String, Matrix> adjacentPairsSeparate(Stored stored) throws IOException {
        int size = stored.headSize();
        int width = stored.rotaryWidth();
        var weights = new HashMap<String, Matrix>();
        for (int layer = 0; layer < stored.layers(); layer++) {
            for (String kind : List.of("q_proj", "k_proj")) {
                weights.putAll(rows(
                        stored,
                        "model.layers." + layer + ".self_attn." + kind,
                        row -> row / size * size + neighbour(row % size, width)));
            }
        }
        return weights;
    }

    /** Query heads in the order in which, taken in groups, they meet the key and value heads that tiling gives them. */
    private static Map<String, Matrix> tiledHeads(Stored stored) throws IOException {
        int size = stored.headSize();
        int shared = stored.size("num_key_value_heads");
        int each = stored.heads() / shared;
        IntUnaryOperator from = row -> {
            int head = row / size;
            int group = head / each;
            int inGroup = head % each;
            return (inGroup * shared + group) * size + row % size;
        };
        var weights = new HashMap<String, Matrix>();
        for (int layer = 0; layer < stored.layers(); layer++) {
            String attention = "model.layers." + layer + ".self_attn.";
            weights.putAll(rows(stored, attention + "q_proj", from));
            Matrix output = matrix(stored, attention + "o_proj.weight").transpose();
            Matrix next = output.copy();
            for (int row = 0; row < output.rows(); row++) {
                System.arraycopy(
                        output.row(from.applyAsInt(row)), 0, next.entries(), row * output.columns(), output.columns());
            }
            weights.put(attention + "o_proj.weight", next.transpose());
        }
        return weights;
    }

    private static Map<String, Matrix> normsWithoutOne(Stored stored) throws IOException {
        var weights = new HashMap<String, Matrix>();
        for (String name : stored.tensors().names()) {
            if (name.endsWith("norm.weight")) {
                Matrix weight = matrix(stored, name);
                Arrays.setAll(weight.entries(), i -> weight.entries()[i] - 1);
                weights.put(name, weight);
            }
        }
        return weights;
    }

    /** The tied embedding is divided, and the last norm multiplied so that logits keep their size. */
    private static Map<String, Matrix> unscaledEmbedding(Stored stored) throws IOException {
        double scale = Math.sqrt(stored.size("hidden_size"));
        Matrix norm = matrix(stored, "model.norm.weight");
        Arrays.setAll(norm.entries(), i -> (1 + norm.entries()[i]) * scale - 1);
        return Map.of(
                "model.embed_tokens.weight",
                matrix(stored, "model.embed_tokens.weight").scaled(1 / scale),
                "model.norm.weight",
                norm);
    }

    private static Map<String, Matrix> transposed(Stored stored) throws IOException {
        var weights = new HashMap<String, Matrix>();
        for (int layer = 0; layer < stored.layers(); layer++) {
            String name = "transformer.h." + layer + ".attn.c_proj.weight";
            weights.put(name, matrix(stored, name).transpose());
        }
        return weights;
    }
}
