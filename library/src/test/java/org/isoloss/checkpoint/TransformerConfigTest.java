package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class TransformerConfigTest {
    @TempDir
    Path folder;

    private static JsonNode model(String name) {
        return JsonMapper.shared()
                .readTree(Resources.path("transformers/" + name + ".json").toFile());
    }

    private TransformerConfig read(JsonNode config) throws IOException {
        return TransformerConfig.read(Files.writeString(folder.resolve("config.json"), config.toString()));
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

    @Test
    void readsGptNeox() throws IOException {
        assertThat(read(model("gptneox-bf16").get("config")))
                .isEqualTo(new TransformerConfig(
                        TransformerArchitecture.GPT_NEOX,
                        96,
                        32,
                        0,
                        48,
                        80,
                        2,
                        2,
                        2,
                        24,
                        6,
                        500,
                        1e-5,
                        Activation.GELU,
                        false,
                        true,
                        true,
                        true,
                        true));
        TransformerConfig sequential = read(model("gptneox-sequential-f16").get("config"));
        assertThat(sequential.parallelResidual()).isFalse();
        assertThat(sequential.rotaryWidth()).isEqualTo(4);
    }

    @Test
    void readsGpt2() throws IOException {
        assertThat(read(model("gpt2-gelu-new").get("config")))
                .isEqualTo(new TransformerConfig(
                        TransformerArchitecture.GPT2,
                        64,
                        32,
                        0,
                        24,
                        96,
                        2,
                        3,
                        3,
                        8,
                        0,
                        0,
                        1e-5,
                        Activation.GELU_TANH,
                        true,
                        false,
                        true,
                        true,
                        true));
    }

    @Test
    void readsTheGatedOnes() throws IOException {
        TransformerConfig llama = read(model("llama-gqa").get("config"));
        assertThat(llama)
                .isEqualTo(new TransformerConfig(
                        TransformerArchitecture.LLAMA,
                        80,
                        64,
                        0,
                        32,
                        56,
                        2,
                        4,
                        2,
                        8,
                        8,
                        10_000,
                        1e-5,
                        Activation.SILU,
                        false,
                        false,
                        false,
                        false,
                        false));
        assertThat(llama.headsPerKeyValue()).isEqualTo(2);
        TransformerConfig qwen = read(model("qwen2-biases").get("config"));
        assertThat(qwen.queryKeyValueBias()).isTrue();
        assertThat(qwen.attentionOutputBias()).isFalse();
        assertThat(qwen.rotaryBase()).isEqualTo(1_000_000);
        TransformerConfig gemma = read(model("gemma-geglu").get("config"));
        assertThat(gemma.headSize()).isEqualTo(12);
        assertThat(gemma.keyValueHeads()).isEqualTo(1);
        assertThat(gemma.activation()).isEqualTo(Activation.GELU_TANH);
        assertThat(gemma.tied()).isTrue();
        assertThat(gemma.embeddingScale()).isEqualTo(Math.sqrt(32));
    }

    @Test
    void readsBert() throws IOException {
        TransformerConfig bert = read(model("bert-postln").get("config"));
        assertThat(bert.epsilon()).isEqualTo(1e-12);
        assertThat(bert.tokenTypes()).isEqualTo(2);
        assertThat(bert.activation()).isEqualTo(Activation.GELU);
        assertThat(bert.tied()).as("there is no head").isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gptneox-parallel-f32",
                "gptneox-bf16",
                "gptneox-sequential-f16",
                "llama-gqa",
                "gemma-geglu",
                "qwen2-biases"
            })
    void theKeysOfPublishedFilesMeanTheSame(String name) throws IOException {
        assertThat(read(model(name).get("published")))
                .isEqualTo(read(model(name).get("config")));
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
        assertThat(TransformerConfig.read(changed(model, key, "")).tied()).isEqualTo(tied);
        assertThat(TransformerConfig.read(changed(model, key, "" + !tied)).tied())
                .isEqualTo(!tied);
    }

    @ParameterizedTest(name = "{1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            llama-gqa    | model_type | "mamba" | model_type 'mamba' is not known, expected one of gpt_neox, gpt2, llama, qwen2, gemma, bert
            llama-gqa    | model_type | 3 | has no model_type, expected one of gpt_neox, gpt2, llama, qwen2, gemma, bert
            llama-gqa    | hidden_size | '' | has no hidden_size, expected a whole number from 1
            llama-gqa    | hidden_size | 0 | hidden_size is '0', expected a whole number from 1
            llama-gqa    | vocab_size | 4294967297 | vocab_size is '4294967297', expected a whole number from 1
            llama-gqa    | num_hidden_layers | 2.5 | num_hidden_layers is '2.5', expected a whole number from 1
            llama-gqa    | num_key_value_heads | 3 | 4 heads cannot share 3 key and value heads evenly; the second must divide the first
            llama-gqa    | rms_norm_eps | -1e-5 | epsilon is -1.0E-5, expected a finite number above 0
            llama-gqa    | rms_norm_eps | "1e-5" | rms_norm_eps is '1e-5', expected a finite number
            llama-gqa    | hidden_act | "swishy" | hidden_act: activation "swishy" is not known; use one of identity,
            llama-gqa    | mlp_bias | 1 | mlp_bias is '1', expected true or false
            llama-gqa    | rope_parameters | {"rope_type": "llama3", "factor": 8} | rope_parameters.rope_type is 'llama3', which is not computed here, expected default: scaled rotary positions are not supported
            llama-gqa    | rope_scaling | {"type": "linear"} | rope_scaling.type is 'linear', which is not computed here, expected default: scaled rotary positions are not supported
            llama-gqa    | rope_scaling | {"type": "default", "rope_type": "yarn"} | rope_scaling.rope_type is 'yarn', which is not computed here, expected default: scaled rotary positions are not supported
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
            gpt2-gelu-new | n_embd | 600000000 | integer overflow
            qwen2-biases | layer_types | ["sliding_attention"] | layer_types is '["sliding_attention"]', which is not computed here, expected full_attention in every layer
            bert-postln  | position_embedding_type | "relative_key" | position_embedding_type is 'relative_key', which is not computed here, expected absolute
            """)
    void refusesWhatIsNotComputed(String model, String key, String value, String problem) throws IOException {
        Path file = changed(model, key, value);
        assertThatThrownBy(() -> TransformerConfig.read(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(file + ": " + problem);
    }

    /** As transformers 5.24.0 has it: layers from max_window_layers on have the window, if it is used at all. */
    @Test
    void aWindowOfQwen2CountsWhereALayerHasIt() throws IOException {
        String window =
                "\"layer_types\": null, \"use_sliding_window\": true, \"sliding_window\": 3, \"max_window_layers\": ";
        assertThat(read(with("qwen2-biases", window + 2)).layers()).isEqualTo(2);
        assertThatThrownBy(() -> read(with("qwen2-biases", window + 1)))
                .hasMessageEndingWith(
                        "sliding_window is '3', which is not computed here, expected null, or at least the 64 positions");
    }

    /** Keys in one place beat those in another as they do in transformers 5.24.0. */
    @Test
    void rotaryKeysCountWhereTransformersReadsThem() throws IOException {
        String both = "\"rope_scaling\": {\"rope_theta\": 50.0}, \"rope_parameters\": {\"rope_theta\": 70.0}";
        assertThat(read(with("llama-gqa", both)).rotaryBase()).isEqualTo(50);
        String beside = "\"rope_theta\": 50.0, \"rope_parameters\": {\"rope_theta\": 70.0}, \"rope_scaling\": {}";
        assertThat(read(with("llama-gqa", beside)).rotaryBase()).isEqualTo(70);
        assertThat(read(with("llama-gqa", "\"partial_rotary_factor\": 0.5")).rotaryWidth())
                .as("for Llama it is not read")
                .isEqualTo(8);
        String older = "\"rope_parameters\": {}, \"rope_theta\": 70.0, \"partial_rotary_factor\": 1.0";
        TransformerConfig neox = read(with("gptneox-bf16", older));
        assertThat(neox.rotaryBase()).as("GPT-NeoX has rotary_emb_base").isEqualTo(10_000);
        assertThat(neox.rotaryWidth()).as("GPT-NeoX has rotary_pct").isEqualTo(6);
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

    private List<String> notes(JsonNode config) {
        return new ConfigJson(folder.resolve("config.json"), (ObjectNode) config).notes();
    }

    private static JsonNode with(String model, String keys) {
        var config = (ObjectNode) model(model).get("config").deepCopy();
        JsonMapper.shared().readTree("{" + keys + "}").forEachEntry(config::set);
        return config;
    }

    @Test
    void refusesWhatIsNoConfiguration() throws IOException {
        Path file = folder.resolve("config.json");
        assertThatThrownBy(() -> TransformerConfig.read(file))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": no such file");
        Files.writeString(file, "<!DOCTYPE html>");
        assertThatThrownBy(() -> TransformerConfig.read(file))
                .hasMessageStartingWith(file + ": not valid JSON: ")
                .hasMessageContaining("it looks like an HTML or XML page");
    }

    @Test
    void aWidthIsAtLeastOne() {
        assertThatThrownBy(() -> new TransformerConfig(
                        TransformerArchitecture.BERT,
                        1,
                        1,
                        1,
                        0,
                        1,
                        1,
                        1,
                        1,
                        1,
                        0,
                        0,
                        1,
                        Activation.GELU,
                        false,
                        false,
                        true,
                        true,
                        true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("width must be at least 1, got 0");
    }
}
