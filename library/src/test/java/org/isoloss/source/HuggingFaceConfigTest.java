package org.isoloss.source;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.ConfigKeys;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the keys of configurations mean, before and since transformers 5. */
class HuggingFaceConfigTest {
    @TempDir
    Path folder;

    private static JsonNode model(String name) throws IOException {
        try (InputStream file = requireNonNull(HuggingFaceConfigTest.class.getResourceAsStream(
                "/org/isoloss/checkpoint/transformers/" + name + ".json"))) {
            return JsonMapper.shared().readTree(file);
        }
    }

    private static HuggingFaceConfig read(Path file) throws IOException {
        HuggingFaceConfig config = new HuggingFaceConfig(ConfigKeys.read(file));
        config.size("vocabulary");
        config.size("inner");
        config.flag("feedForwardBias");
        config.flag("tied");
        return config;
    }

    private HuggingFaceConfig read(JsonNode config) throws IOException {
        return read(Files.writeString(folder.resolve("config.json"), config.toString()));
    }

    /** Returns the config of a model with one value changed; the value null removes the key. */
    private Path changed(String model, String key, String value) throws IOException {
        var config = (ObjectNode) model(model).get("config").deepCopy();
        if (value.isEmpty()) {
            config.remove(key);
        } else {
            config.set(key, JsonMapper.shared().readTree(value));
        }
        return Files.writeString(folder.resolve("config.json"), config.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gptneox-parallel-f32",
                "gptneox-sequential-f16",
                "gptneox-bf16",
                "llama-gqa",
                "gemma-geglu",
                "qwen2-biases"
            })
    void theKeysOfPublishedFilesMeanTheSame(String name) throws IOException {
        assertThat(meaning(read(model(name).get("published"))))
                .isEqualTo(meaning(read(model(name).get("config"))));
    }

    private static String meaning(HuggingFaceConfig config) {
        return "%s %s heads of %d for %d, inner %d, %d positions, %s, epsilon %s, %s, parallel %s, biases %s %s %s"
                .formatted(
                        config,
                        config.heads(),
                        config.headSize(),
                        config.keyValueHeads(),
                        config.size("inner"),
                        config.positions(),
                        config.rotary(0),
                        config.epsilon(),
                        config.activation(),
                        config.flag("parallel"),
                        config.flag("queryKeyValueBias"),
                        config.flag("outputBias"),
                        config.flag("feedForwardBias"));
    }

    @ParameterizedTest
    @CsvSource({
        "gptneox-bf16, false",
        "gpt2-gelu-new, true",
        "llama-gqa, false",
        "qwen2-biases, false",
        "gemma-geglu, true"
    })
    void tiesByTheDefaultOfTheArchitecture(String model, boolean tied) throws IOException {
        String key = "tie_word_embeddings";
        assertThat(read(changed(model, key, "")).flag("tied")).isEqualTo(tied);
        assertThat(read(changed(model, key, "" + !tied)).flag("tied")).isEqualTo(!tied);
    }

    @ParameterizedTest(name = "{1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            llama-gqa    | model_type | "mamba" | model_type 'mamba' is not known, expected one of llama, mistral, qwen2,
            llama-gqa    | model_type | 3 | model_type is '3', expected a name
            llama-gqa    | hidden_size | '' | has no hidden_size, expected a whole number from 1
            llama-gqa    | hidden_size | 0 | hidden_size is '0', expected a whole number from 1
            llama-gqa    | vocab_size | 4294967297 | vocab_size is '4294967297', expected a whole number from 1
            llama-gqa    | num_hidden_layers | 2.5 | num_hidden_layers is '2.5', expected a whole number from 1
            llama-gqa    | num_key_value_heads | 3 | 4 heads cannot share 3 key and value heads evenly; the second must divide the first
            llama-gqa    | rms_norm_eps | -1e-5 | epsilon is -1.0E-5, expected a finite number above 0
            llama-gqa    | rms_norm_eps | "1e-5" | rms_norm_eps is '1e-5', expected a finite number
            llama-gqa    | hidden_act | "swishy" | hidden_act: activation "swishy" is not known; use one of identity,
            llama-gqa    | mlp_bias | 1 | mlp_bias is '1', expected true or false
            llama-gqa    | rope_parameters | {"rope_type": "llama3", "factor": 8} | rope_parameters.low_freq_factor is 'null', expected a finite number
            llama-gqa    | rope_scaling | {"type": "linear"} | rope_scaling.factor is 'null', expected a finite number
            llama-gqa    | rope_scaling | {"type": "default", "rope_type": "longrope"} | rope_scaling.rope_type is 'longrope', which is not computed here, expected default, linear, llama3, yarn
            llama-gqa    | rope_scaling | {"rope_type": null} | rope_scaling.rope_type is 'null', expected a name
            llama-gqa    | rope_scaling | "linear" | rope_scaling is 'linear', expected an object or null
            llama-gqa    | rope_parameters | {"full_attention": {"rope_theta": 50}} | rope_parameters.full_attention is '{"rope_theta":50}', which is not computed here, expected the same rotary positions in every layer, without objects inside
            llama-gqa    | rope_parameters | {"rope_theta": null} | rope_parameters.rope_theta is 'null', expected a finite number
            llama-gqa    | sliding_window | 63 | sliding_window is '63', which is not computed here, expected null, or at least the 64 positions
            llama-gqa    | attention_chunk_size | 8 | attention_chunk_size is '8', which is not computed here, expected null, or at least the 64 positions
            llama-gqa    | layer_types | ["full_attention"] | layer_types is '["full_attention"]', expected one type for each of the 2 layers
            llama-gqa    | is_causal | null | is_causal is 'null', which is not computed here, expected true
            llama-gqa    | quantization_config | {"quant_method": "gptq"} | quantization_config is '{"quant_method":"gptq"}', which is not computed here, expected none
            llama-gqa    | per_layer_config | {"1": {"rms_norm_eps": 0.1}} | per_layer_config is '{"1":{"rms_norm_eps":0.1}}', which is not computed here, expected none
            llama-gqa    | tie_word_embeddings | null | tie_word_embeddings is 'null', expected true or false
            llama-gqa    | hidden_act | null | hidden_act is 'null', expected a name
            gemma-geglu  | use_bidirectional_attention | true | use_bidirectional_attention is 'true', which is not computed here, expected false or null
            gpt2-gelu-new | scale_attn_weights | false | scale_attn_weights is 'false', which is not computed here, expected true
            gpt2-gelu-new | add_cross_attention | true | add_cross_attention is 'true', which is not computed here, expected false
            bert-postln  | is_decoder | true | is_decoder is 'true', which is not computed here, expected false
            gptneox-bf16 | num_attention_heads | 5 | 5 heads do not divide the hidden size 48
            gptneox-bf16 | rope_parameters | {"partial_rotary_factor": 0.3} | the rotary width is 24 * 0.3 = 7 (head size times rotary fraction), expected an even number from 2 to 24
            gpt2-gelu-new | scale_attn_by_inverse_layer_idx | true | scale_attn_by_inverse_layer_idx is 'true', which is not computed here, expected false
            gpt2-gelu-new | n_embd | 600000000 | asks for 2 layers with heads of size 200000000, expected at most 65536 of either
            qwen2-biases | layer_types | ["sliding_attention"] | layer_types is '["sliding_attention"]', which is not computed here, expected full_attention in every layer
            bert-postln  | position_embedding_type | "relative_key" | position_embedding_type is 'relative_key', which is not computed here, expected absolute
            """)
    void refusesWhatIsNotComputed(String model, String key, String value, String problem) throws IOException {
        Path file = changed(model, key, value);
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(file + ": " + problem);
    }

    /** Keys in one place beat those in another as they do in transformers 5.24.0. */
    @Test
    void rotaryKeysCountWhereTransformersReadsThem() throws IOException {
        String both = "\"rope_scaling\": {\"rope_theta\": 50.0}, \"rope_parameters\": {\"rope_theta\": 70.0}";
        assertThat(base(read(with("llama-gqa", both)))).isCloseTo(50, within(1e-9));
        String beside = "\"rope_theta\": 50.0, \"rope_parameters\": {\"rope_theta\": 70.0}, \"rope_scaling\": {}";
        assertThat(base(read(with("llama-gqa", beside)))).isCloseTo(70, within(1e-9));
        assertThat(rotary(read(with("llama-gqa", "\"partial_rotary_factor\": 0.5")))
                        .width())
                .as("for Llama it is not read")
                .isEqualTo(8);
        String older = "\"rope_parameters\": {}, \"rope_theta\": 70.0, \"partial_rotary_factor\": 1.0";
        HuggingFaceConfig neox = read(with("gptneox-bf16", older));
        assertThat(base(neox)).as("GPT-NeoX has rotary_emb_base").isCloseTo(10_000, within(1e-6));
        assertThat(rotary(neox).width()).as("GPT-NeoX has rotary_pct").isEqualTo(6);
    }

    private static HuggingFaceRotary rotary(HuggingFaceConfig config) {
        return requireNonNull(config.rotary(0));
    }

    /** The second frequency is the base to the power of -2 by the width. */
    private static double base(HuggingFaceConfig config) {
        return Math.pow(rotary(config).frequencies().get(1), -rotary(config).width() / 2.0);
    }

    @Test
    void generalNamesOfGpt2CountBeforeItsOwn() throws IOException {
        assertThat(read(with("gpt2-gelu-new", "\"num_attention_heads\": 2")).heads())
                .isEqualTo(2);
    }

    /** As in transformers since version 5, which does not read hidden_activation. */
    @Test
    void theOtherActivationKeysDoNotCount() throws IOException {
        String other = "\"hidden_act\": \"gelu_pytorch_tanh\", \"hidden_activation\": \"relu\"";
        assertThat(read(with("gemma-geglu", other)).activation()).isEqualTo(Activation.GELU_TANH);
        assertThat(notes(with("gemma-geglu", other)))
                .containsExactly(
                        folder.resolve("config.json")
                                + ": hidden_activation = relu is not used, as transformers does not read it for model_type gemma");
        assertThat(notes(with("gemma-geglu", "\"hidden_act\": \"gelu\", \"hidden_activation\": \"gelu_new\"")))
                .as("the same function")
                .isEmpty();
    }

    @Test
    void keysOfOtherArchitecturesAreNamed() throws IOException {
        assertThat(notes(with(
                        "llama-gqa", "\"logit_scale\": 0.5, \"final_logit_softcapping\": 30.0, \"mlp_bias\": false")))
                .containsExactly(
                        folder.resolve("config.json")
                                + ": final_logit_softcapping = 30.0, logit_scale = 0.5 are not used, as transformers does not read them for model_type llama");
        assertThat(notes(with("llama-gqa", "\"logit_scale\": 1, \"partial_rotary_factor\": 1.0, \"alibi\": false")))
                .as("they do nothing anyway")
                .isEmpty();
    }

    private List<String> notes(JsonNode config) throws IOException {
        return read(config).notes();
    }

    private static JsonNode with(String model, String keys) throws IOException {
        var config = (ObjectNode) model(model).get("config").deepCopy();
        JsonMapper.shared().readTree("{" + keys + "}").forEachEntry(config::set);
        return config;
    }

    @Test
    void refusesWhatIsNoConfiguration() throws IOException {
        Path file = folder.resolve("config.json");
        assertThatThrownBy(() -> read(file)).isInstanceOf(IOException.class).hasMessage(file + ": no such file");
        Files.writeString(file, "<!DOCTYPE html>");
        assertThatThrownBy(() -> read(file))
                .hasMessageStartingWith(file + ": not valid JSON: ")
                .hasMessageContaining("it looks like an HTML or XML page");
    }
}
