package org.isoloss.source;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.Model;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Every family against transformers, and what is refused. */
class HuggingFaceFolderTest {
    private static final int BATCH = 2;
    private static final int LENGTH = 6;

    @TempDir
    Path temporary;

    private static Path resource(String name) {
        try {
            return Path.of(requireNonNull(HuggingFaceFolderTest.class.getResource(name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static List<String> folders() throws IOException {
        try (Stream<Path> found = Files.list(resource("llama").resolveSibling("."))) {
            return found.filter(folder -> Files.exists(folder.resolve("golden.json")))
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("folders")
    void computesWhatTransformersComputes(String name) throws IOException {
        Path path = resource(name);
        JsonNode golden = JsonMapper.shared().readTree(path.resolve("golden.json"));
        try (HuggingFaceFolder folder = HuggingFaceFolder.open(path)) {
            for (JsonNode one : golden) {
                String[] more = Stream.of("attention_mask", "token_type_ids")
                        .filter(one::has)
                        .toArray(String[]::new);
                Model model = folder.model(BATCH, LENGTH, more);
                assertThat(difference(model, Precision.FLOAT64, one)).isLessThan(1e-12);
                assertThat(difference(model, Precision.FLOAT32, one)).isLessThan(3e-6);
            }
        }
    }

    private static double difference(Model model, Precision precision, JsonNode one) {
        Map<String, double[]> given = new LinkedHashMap<>();
        model.inputs().keySet().forEach(name -> given.put(name, numbers(one.get(name))));
        String output = model.outputs().firstEntry().getKey();
        double[] expected = numbers(requireNonNull(one.get(output), output));
        double[] found = requireNonNull(model.run(precision, given).get(output));
        double worst = 0;
        double scale = 0;
        for (int i = 0; i < expected.length; i++) {
            boolean seen = !given.containsKey("attention_mask")
                    || requireNonNull(given.get("attention_mask"))[i * BATCH * LENGTH / expected.length] != 0;
            worst = Math.max(worst, seen ? Math.abs(found[i] - expected[i]) : 0);
            scale = Math.max(scale, Math.abs(expected[i]));
        }
        return worst / scale;
    }

    private static double[] numbers(JsonNode list) {
        return list.valueStream().mapToDouble(JsonNode::doubleValue).toArray();
    }

    @Test
    void namesParametersAsTheFileDoes() throws IOException {
        try (HuggingFaceFolder folder = HuggingFaceFolder.open(resource("gpt2"))) {
            assertThat(folder.model(1, 2).parameters().keySet())
                    .containsExactlyInAnyOrderElementsOf(folder.weights().names());
            assertThat(folder.family()).isEqualTo("gpt2");
            assertThat(folder.notes()).isEmpty();
        }
    }

    @Test
    void takesPositionsAsTheyAreGiven() throws IOException {
        for (String name : List.of("llama", "gpt2", "opt", "roberta", "phi3-long")) {
            try (HuggingFaceFolder folder = HuggingFaceFolder.open(resource(name))) {
                double[] ids = {3, 9, 4};
                // RoBERTa's table begins after the row of the padding
                double first = name.equals("roberta") ? 2 : 0;
                Model usual = folder.model(1, 3);
                Model given = folder.model(1, 3, "position_ids");
                String output = usual.outputs().firstEntry().getKey();
                assertThat(given.run(Precision.FLOAT64, Map.of("input_ids", ids, "position_ids", new double[] {
                                    first, first + 1, first + 2
                                }))
                                .get(output))
                        .isEqualTo(usual.run(Precision.FLOAT64, Map.of("input_ids", ids))
                                .get(output));
            }
        }
    }

    /** Six tokens are more than the four after which one of the two turns otherwise, and fewer than the eight of the other. */
    @ParameterizedTest
    @ValueSource(strings = {"phi3-long", "phi3-short"})
    void theLargestPositionDecidesHowAllTurn(String name) throws IOException {
        ObjectNode golden = (ObjectNode) JsonMapper.shared()
                .readTree(resource(name).resolve("golden.json"))
                .get(0);
        golden.set("position_ids", JsonMapper.shared().readTree("[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]"));
        try (HuggingFaceFolder folder = HuggingFaceFolder.open(resource(name))) {
            Model model = folder.model(BATCH, LENGTH, "position_ids");
            assertThat(difference(model, Precision.FLOAT64, golden)).isLessThan(1e-12);
        }
        for (String other : List.of("4", "8")) { // the other one's frequencies are seen
            Path path = changed(name, "original_max_position_embeddings", other);
            try (HuggingFaceFolder folder = HuggingFaceFolder.open(path)) {
                double difference = difference(folder.model(BATCH, LENGTH), Precision.FLOAT64, golden);
                boolean same = name.equals(other.equals("4") ? "phi3-long" : "phi3-short");
                assertThat(difference < 1e-12).isEqualTo(same);
                assertThat(difference < 1e-4).isEqualTo(same);
            }
        }
    }

    /** Copies a folder with another configuration. */
    private Path changed(String name, String key, String json) throws IOException {
        Path folder = Files.createTempDirectory(temporary, name);
        Files.copy(resource(name).resolve("model.safetensors"), folder.resolve("model.safetensors"));
        ObjectNode config =
                (ObjectNode) JsonMapper.shared().readTree(resource(name).resolve("config.json"));
        config.set(key, JsonMapper.shared().readTree(json));
        Files.writeString(folder.resolve("config.json"), config.toString());
        return folder;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "llama | model_type | \"mamba\" | model_type 'mamba' is not known, expected one of llama, mistral, qwen2,"
                        + " qwen3, smollm3, olmo2, phi3, gemma, gemma2, gemma3_text, stablelm, gpt_neox, gpt2, gptj, gpt_neo,"
                        + " opt, bert, roberta, distilbert",
                "llama | rope_parameters | {\"rope_type\": \"dynamic\", \"factor\": 2.0} | rope_parameters.rope_type is"
                        + " 'dynamic', which is not computed here, expected default, linear, llama3, yarn",
                "llama | rope_parameters | {\"rope_type\": \"llama3\", \"factor\": 2.0} | rope_parameters.low_freq_factor is"
                        + " 'null', expected a finite number",
                "llama | partial_rotary_factor | 0.5 | partial_rotary_factor is '0.5', which is not computed here, expected 1"
                        + " where positions are scaled",
                "llama | sliding_window | 3 | sliding_window is '3', which is not computed here, expected null, or at least"
                        + " the 12 positions",
                "llama | hidden_act | \"quick_gelu\" | hidden_act: activation \"quick_gelu\" is not known; use one of identity,"
                        + " linear, relu, leaky_relu, leakyrelu, sigmoid, logistic, tanh, gelu, gelu_python, gelu_tanh,"
                        + " gelu_new, gelu_pytorch_tanh, gelu_fast, silu, swish, softplus",
                "llama | quantization_config | {\"bits\": 4} | quantization_config is '{\"bits\":4}', which is not computed"
                        + " here, expected none",
                "llama | num_key_value_heads | 3 | 4 heads cannot share 3 key and value heads evenly; the second must divide"
                        + " the first",
                "phi3 | rope_scaling | {\"type\": \"yarn\", \"factor\": 2.0} | rope_scaling.type is 'yarn', which is not"
                        + " computed here, expected default, longrope, su",
                "phi3-long | rope_scaling | {\"type\": \"longrope\", \"short_factor\": [1, 2], \"long_factor\": [1]} |"
                        + " rope_scaling.long_factor is '[1]', expected 2 numbers above 0, one for each pair that turns",
                "phi3-long | rope_scaling | {\"type\": \"longrope\", \"short_factor\": [1, \"2\"]} |"
                        + " rope_scaling.short_factor is '[1,\"2\"]', expected a list of numbers",
                "phi3-long | original_max_position_embeddings | 0 | original_max_position_embeddings is '0', expected a number"
                        + " above 0",
                "gemma2 | layer_types | [\"full_attention\"] | layer_types is '[\"full_attention\"]', expected one type for each"
                        + " of the 2 layers",
                "gemma2 | sliding_window | null | sliding_window is 'null', expected a whole number from 1, as layers with"
                        + " windows need it",
                "qwen2 | layer_types | [\"full_attention\", \"chunked_attention\"] | layer_types is"
                        + " '[\"full_attention\",\"chunked_attention\"]', which is not computed here, expected full_attention or"
                        + " sliding_attention in every layer",
                "gemma3_text | use_bidirectional_attention | true | use_bidirectional_attention is 'true', which is not"
                        + " computed here, expected false or null",
                "smollm3 | no_rope_layers | [1] | no_rope_layers is '[1]', expected 0 or 1 for each of the 2 layers",
                "gpt_neo | attention_types | [[[\"global\"], 1]] | attention_types is '[[[\"global\"],1]]', expected patterns of"
                        + " global and local with their numbers, for 2 layers",
                "gptj | rotary_dim | 6 | rotary_dim is '6', expected an even number from 2 to 4",
                "gpt2 | scale_attn_weights | false | scale_attn_weights is 'false', which is not computed here, expected true"
            })
    void refusesByTheKey(String name, String key, String json, String message) throws IOException {
        Path folder = changed(name, key, json);
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage("%s: %s", folder.resolve("config.json"), message);
    }

    @Test
    void notesKeysThatDoNotCount() throws IOException {
        Path folder = changed("gpt2", "rope_theta", "50.0");
        try (HuggingFaceFolder open = HuggingFaceFolder.open(folder)) {
            assertThat(open.notes())
                    .containsExactly(folder.resolve("config.json")
                            + ": rope_theta = 50.0 is not used, as transformers does not read it for model_type gpt2");
        }
    }

    /** Copies a folder with other tensors in the header of its file. */
    private Path edited(String name, Consumer<ObjectNode> edit) throws IOException {
        Path folder = Files.createTempDirectory(temporary, name);
        Files.copy(resource(name).resolve("config.json"), folder.resolve("config.json"));
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(resource(name).resolve("model.safetensors")))
                .order(ByteOrder.LITTLE_ENDIAN);
        byte[] text = new byte[Math.toIntExact(bytes.getLong())];
        bytes.get(text);
        ObjectNode header = (ObjectNode) JsonMapper.shared().readTree(text);
        int data = bytes.remaining();
        edit.accept(header);
        byte[] changed = header.toString().getBytes(StandardCharsets.UTF_8);
        ByteBuffer file =
                ByteBuffer.allocate(Long.BYTES + changed.length + data + 4).order(ByteOrder.LITTLE_ENDIAN);
        file.putLong(changed.length).put(changed).put(bytes);
        boolean longer = header.valueStream()
                .anyMatch(entry -> entry.path("data_offsets").path(1).asInt(0) > data);
        byte[] all = file.array();
        Files.write(folder.resolve("model.safetensors"), longer ? all : Arrays.copyOf(all, all.length - 4));
        return folder;
    }

    private static void add(ObjectNode header, String name) {
        int end = header.valueStream()
                .mapToInt(entry -> entry.path("data_offsets").path(1).asInt(0))
                .max()
                .orElseThrow();
        ObjectNode entry = header.putObject(name);
        entry.put("dtype", "F32").putArray("shape").add(1);
        entry.putArray("data_offsets").add(end).add(end + 4);
    }

    private void assertRefused(Path folder, String message) {
        assertThatThrownBy(() -> HuggingFaceFolder.open(folder))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage("%s: %s", folder.resolve("model.safetensors"), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "llama | model.layers.1.self_attn.q_norm.weight | a llama of 2 layers; it looks like a query-key norm: no"
                        + " attention with such norms is computed here",
                "llama | model.layers.0.mlp.gate_proj.bias | a llama of 2 layers; it looks like a bias of 'gate_proj': set"
                        + " mlp_bias to true in the configuration if the model adds it, otherwise take it out of the file",
                "mistral | model.layers.7.mlp.up_proj.weight | a mistral of 2 layers; it looks like a part of layer 7, beyond the"
                        + " 2 of the configuration: set the number of layers right, or take it out of the file",
                "stablelm | model.layers.0.post_attention_layernorm.weight | a stablelm of 2 layers; it looks like a"
                        + " normalisation: none is computed at this place; take it out of the file if the model does without it",
                "gpt2 | score.weight | a gpt2 of 2 layers; it looks like a head, or a part of one, that is not computed here:"
                        + " take it out of the file if the model does without it"
            })
    void refusesATensorThatItDoesNotUse(String name, String tensor, String message) throws IOException {
        Path folder = edited(name, header -> add(header, tensor));
        assertRefused(folder, "tensor '%s' is not used by %s".formatted(tensor, message));
    }

    @Test
    void leavesBuffersAside() throws IOException {
        Path folder = edited("gpt_neo", header -> add(header, "transformer.h.1.attn.attention.masked_bias"));
        try (HuggingFaceFolder open = HuggingFaceFolder.open(folder)) {
            assertThat(open.model(1, 1).parameters()).doesNotContainKey("transformer.h.1.attn.attention.masked_bias");
        }
    }

    @Test
    void refusesAMissingTensorAndAnotherShape() throws IOException {
        Path missing = edited("qwen3", header -> header.set("renamed.weight", header.remove("model.norm.weight")));
        assertRefused(missing, "no tensor 'model.norm.weight', which a qwen3 of 2 layers needs");
        Path turned = edited("olmo2", header -> {
            ObjectNode tensor = (ObjectNode) header.get("model.layers.0.mlp.up_proj.weight");
            tensor.putArray("shape").add(8).add(6);
        });
        assertRefused(
                turned,
                "tensor 'model.layers.0.mlp.up_proj.weight' has shape (8, 6), but the configuration asks for (6, 8)");
        Path headless = edited("mistral", header -> header.set("x", header.remove("lm_head.weight")));
        assertRefused(headless, "no tensor 'lm_head.weight', which a mistral of 2 layers needs");
    }

    @Test
    void refusesWhatIsAskedOfAModel() throws IOException {
        try (HuggingFaceFolder folder = HuggingFaceFolder.open(resource("roberta"))) {
            assertThatThrownBy(() -> folder.model(1, 11))
                    .hasMessage("11 tokens are more than the 10 positions of the roberta model");
        }
        try (HuggingFaceFolder folder = HuggingFaceFolder.open(resource("llama"))) {
            assertThatThrownBy(() -> folder.model(1, 4, "token_type_ids"))
                    .hasMessage("'token_type_ids' is no input of a llama model; it has attention_mask, position_ids");
        }
    }

    @Test
    void saysWhichOfTwoHeadsCounts() throws IOException {
        List<List<Double>> logits = new ArrayList<>();
        Path folder = changed("mistral", "tie_word_embeddings", "true");
        for (Tying tying : List.of(Tying.AS_STORED, Tying.AS_CONFIGURED)) {
            try (HuggingFaceFolder open = HuggingFaceFolder.open(folder, tying)) {
                assertThat(open.notes()).singleElement().asString().contains("but both are stored and differ");
                double[] found = open.model(1, 2)
                        .run(Precision.FLOAT64, Map.of("input_ids", new double[] {1, 2}))
                        .get("logits");
                logits.add(Arrays.stream(found).boxed().toList());
            }
        }
        assertThat(logits.get(0)).isNotEqualTo(logits.get(1));
    }
}
