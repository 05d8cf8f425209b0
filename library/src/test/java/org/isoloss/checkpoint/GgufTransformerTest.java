package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The same model as a folder and as GGUF, converted as llama.cpp does it: both are read as the same parameters. */
class GgufTransformerTest {
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("model.embed_tokens", "token_embd"),
            Map.entry("model.norm", "output_norm"),
            Map.entry("lm_head", "output"),
            Map.entry("self_attn.q_proj", "attn_q"),
            Map.entry("self_attn.k_proj", "attn_k"),
            Map.entry("self_attn.v_proj", "attn_v"),
            Map.entry("self_attn.o_proj", "attn_output"),
            Map.entry("mlp.gate_proj", "ffn_gate"),
            Map.entry("mlp.up_proj", "ffn_up"),
            Map.entry("mlp.down_proj", "ffn_down"),
            Map.entry("input_layernorm", "attn_norm"),
            Map.entry("post_attention_layernorm", "ffn_norm"),
            Map.entry("gpt_neox.embed_in", "token_embd"),
            Map.entry("gpt_neox.final_layer_norm", "output_norm"),
            Map.entry("embed_out", "output"),
            Map.entry("attention.query_key_value", "attn_qkv"),
            Map.entry("attention.dense", "attn_output"),
            Map.entry("mlp.dense_h_to_4h", "ffn_up"),
            Map.entry("mlp.dense_4h_to_h", "ffn_down"),
            Map.entry("transformer.wte", "token_embd"),
            Map.entry("transformer.wpe", "position_embd"),
            Map.entry("transformer.ln_f", "output_norm"),
            Map.entry("ln_1", "attn_norm"),
            Map.entry("ln_2", "ffn_norm"),
            Map.entry("attn.c_attn", "attn_qkv"),
            Map.entry("attn.c_proj", "attn_output"),
            Map.entry("mlp.c_fc", "ffn_up"),
            Map.entry("mlp.c_proj", "ffn_down"),
            Map.entry("embeddings.word_embeddings", "token_embd"),
            Map.entry("embeddings.position_embeddings", "position_embd"),
            Map.entry("embeddings.token_type_embeddings", "token_types"),
            Map.entry("embeddings.LayerNorm", "token_embd_norm"),
            Map.entry("attention.self.query", "attn_q"),
            Map.entry("attention.self.key", "attn_k"),
            Map.entry("attention.self.value", "attn_v"),
            Map.entry("attention.output.dense", "attn_output"),
            Map.entry("attention.output.LayerNorm", "attn_output_norm"),
            Map.entry("intermediate.dense", "ffn_up"),
            Map.entry("output.dense", "ffn_down"),
            Map.entry("output.LayerNorm", "layer_output_norm"));

    @TempDir
    Path folder;

    /** Writes the folder with weights that are small multiples of 1/64, so that Gemma's sums are exact. */
    private Map<String, float[]> writeFolder(String name) throws IOException {
        JsonNode model = JsonMapper.shared()
                .readTree(Resources.path("transformers/" + name + ".json").toFile());
        Files.writeString(folder.resolve("config.json"), model.get("config").toString());
        var random = new SplittableRandom(1);
        var all = new LinkedHashMap<String, float[]>();
        var writer = new SafetensorsWriter();
        model.get("tensors").forEachEntry((tensor, entry) -> {
            List<Long> sizes = new ArrayList<>();
            entry.get(1).forEach(size -> sizes.add(size.longValue()));
            var shape = new Shape(sizes);
            float[] values = new float[(int) shape.count()];
            for (int i = 0; i < values.length; i++) {
                values[i] = random.nextInt(-500, 500) / 64f;
            }
            writer.add(tensor, shape, values);
            all.put(tensor, values);
        });
        writer.saveTo(folder.resolve("model.safetensors"));
        return all;
    }

    private static GgufBytes metadata(String kind, TransformerConfig config) {
        String norm = config.architecture().isGated() ? "layer_norm_rms_epsilon" : "layer_norm_epsilon";
        var gguf = new GgufBytes()
                .with("general.architecture", kind)
                .with(kind + ".context_length", config.positions())
                .with(kind + ".embedding_length", config.width())
                .with(kind + ".feed_forward_length", config.feedForwardWidth())
                .with(kind + ".block_count", config.layers())
                .with(kind + ".attention.head_count", config.heads())
                .with(kind + ".attention." + norm, (float) config.epsilon());
        if (config.architecture().isGated()) {
            gguf.with(kind + ".attention.head_count_kv", config.keyValueHeads())
                    .with(kind + ".attention.key_length", config.headSize());
        }
        if (config.rotaryWidth() > 0) {
            gguf.with(kind + ".rope.dimension_count", config.rotaryWidth())
                    .with(kind + ".rope.freq_base", (float) config.rotaryBase());
        }
        if (config.architecture() == TransformerArchitecture.GPT_NEOX) {
            gguf.with(kind + ".use_parallel_residual", config.parallelResidual());
        }
        return gguf;
    }

    private static String ggufName(String name) {
        String module = name.substring(0, name.lastIndexOf('.'));
        String suffix = name.substring(name.lastIndexOf('.'));
        String[] parts = module.split("\\.\\d+\\.", 2);
        if (parts.length == 1) {
            return NAMES.get(module) + suffix;
        }
        String layer = module.substring(parts[0].length() + 1, module.length() - parts[1].length() - 1);
        return "blk." + layer + "." + NAMES.get(parts[1]) + suffix;
    }

    /** Converts a tensor of transformers as llama.cpp does. */
    private static float[] converted(TransformerConfig config, String name, Shape shape, float[] values) {
        int row = shape.rank() == 1 ? 1 : (int) shape.size(1);
        int rows = (int) shape.size(0);
        int size = config.headSize();
        return switch (config.architecture()) {
            case LLAMA -> name.contains("q_proj") || name.contains("k_proj") ? paired(values, row, size) : values;
            case GPT_NEOX -> name.contains("query_key_value") ? grouped(values, row, size) : values;
            case GPT2 -> name.contains(".c_") && shape.rank() == 2 ? transposed(values, rows, row) : values;
            case GEMMA -> {
                float[] more = values.clone();
                for (int i = 0; i < more.length && name.contains("norm"); i++) {
                    more[i] += 1;
                }
                yield more;
            }
            case QWEN2, BERT -> values;
        };
    }

    private static float[] paired(float[] values, int row, int size) {
        float[] to = new float[values.length];
        int at = 0;
        for (int head = 0; head < values.length / row / size; head++) {
            for (int pair = 0; pair < size / 2; pair++) {
                for (int half = 0; half < 2; half++) {
                    System.arraycopy(values, (head * size + half * size / 2 + pair) * row, to, at, row);
                    at += row;
                }
            }
        }
        return to;
    }

    private static float[] grouped(float[] values, int row, int size) {
        float[] to = new float[values.length];
        int heads = values.length / row / size / 3;
        int at = 0;
        for (int part = 0; part < 3; part++) {
            for (int head = 0; head < heads; head++) {
                System.arraycopy(values, (3 * head + part) * size * row, to, at, size * row);
                at += size * row;
            }
        }
        return to;
    }

    private static float[] transposed(float[] values, int rows, int columns) {
        float[] to = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            to[i % columns * rows + i / columns] = values[i];
        }
        return to;
    }

    private Path writeGguf(String kind, StoredTransformer model, Map<String, float[]> all) throws IOException {
        return Files.write(folder.resolve("other.gguf"), gguf(kind, model, all).bytes());
    }

    static GgufBytes gguf(String kind, StoredTransformer model, Map<String, float[]> all) throws IOException {
        GgufBytes gguf = metadata(kind, model.config());
        for (String name : model.parameters()) {
            Shape stored = model.tensor(name).shape();
            boolean turned = kind.equals("gpt2") && name.contains(".c_") && stored.rank() == 2;
            gguf.tensor(
                    ggufName(name),
                    turned ? Shape.of(stored.size(1), stored.size(0)) : stored,
                    converted(model.config(), name, stored, requireNonNull(all.get(name))));
        }
        return gguf;
    }

    @ParameterizedTest
    @CsvSource({
        "gptneox-parallel-f32, gptneox",
        "gptneox-sequential-f16, gptneox",
        "gptneox-bf16, gptneox",
        "gpt2-gelu-new, gpt2",
        "llama-gqa, llama",
        "bert-postln, bert",
        "gemma-geglu, gemma",
        "qwen2-biases, qwen2"
    })
    void readsTheSameModelAsFromAFolder(String name, String kind) throws IOException {
        Map<String, float[]> all = writeFolder(name);
        try (StoredTransformer expected = StoredTransformer.open(folder);
                StoredTransformer actual = StoredTransformer.open(writeGguf(kind, expected, all))) {
            assertThat(actual.config())
                    .usingRecursiveComparison()
                    .ignoringFields("epsilon")
                    .isEqualTo(expected.config());
            assertThat(actual.config().epsilon())
                    .as("the float32 that the file holds")
                    .isEqualTo((float) expected.config().epsilon())
                    .isNotEqualTo(expected.config().epsilon());
            assertThat(actual.parameters()).isEqualTo(expected.parameters());
            for (String parameter : expected.parameters()) {
                StoredTensor tensor = actual.tensor(parameter);
                assertThat(tensor.shape()).isEqualTo(expected.tensor(parameter).shape());
                assertThat(tensor.toDoubles())
                        .as(parameter)
                        .isEqualTo(expected.tensor(parameter).toDoubles());
            }
        }
    }

    @Test
    void whatIsMadeFromStoredBytesIsMadeOnceAndLetGoWhenClosed() throws IOException {
        Map<String, float[]> all = writeFolder("llama-gqa");
        try (StoredTransformer expected = StoredTransformer.open(folder)) {
            StoredTransformer model = StoredTransformer.open(writeGguf("llama", expected, all));
            String turned = "model.layers.0.self_attn.q_proj.weight";
            try (model) {
                StoredTensor first = model.tensor(turned);
                assertThat(model.tensor(turned)).isSameAs(first);
                assertThat(model.tensor(turned).bytes().address())
                        .isEqualTo(first.bytes().address());
                assertThat(first.bytes().byteSize())
                        .isEqualTo(Float.BYTES * first.shape().count());
            }
            StoredTensor after = model.tensor(turned);
            assertThatThrownBy(after::bytes).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aFolderWithOneGgufFileIsAModel() throws IOException {
        Map<String, float[]> all = writeFolder("llama-gqa");
        try (StoredTransformer expected = StoredTransformer.open(folder)) {
            Path other = Files.createDirectory(folder.resolve("other"));
            Files.move(writeGguf("llama", expected, all), other.resolve("model.gguf"));
            try (StoredTransformer actual = StoredTransformer.open(other)) {
                assertThat(actual.storedName("model.layers.1.post_attention_layernorm.weight"))
                        .isEqualTo("blk.1.ffn_norm.weight");
                assertThat(actual.parameters()).hasSameSizeAs(expected.parameters());
            }
        }
    }

    private void requireRefused(GgufBytes gguf, String problem) throws IOException {
        Path file = Files.write(folder.resolve("x.gguf"), gguf.bytes());
        assertThatThrownBy(() -> StoredTransformer.open(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": " + problem);
    }

    private static GgufBytes small(String kind) {
        return new GgufBytes()
                .with("general.architecture", kind)
                .tensor("token_embd.weight", Shape.of(3, 8), new float[24])
                .tensor("token_types.weight", Shape.of(8), new float[8])
                .with(kind + ".embedding_length", 8)
                .with(kind + ".attention.head_count", 2);
    }

    @Test
    void refusesWhatIsNoKnownModel() throws IOException {
        requireRefused(
                new GgufBytes().with("general.architecture", "mamba"),
                "holds a model of the architecture 'mamba', expected one of bert, gemma, gpt2, gptneox, llama, qwen2;"
                        + " its tensors can be read one by one");
        requireRefused(
                new GgufBytes(),
                "holds a model of the architecture '', expected one of bert, gemma, gpt2, gptneox, llama, qwen2;"
                        + " its tensors can be read one by one");
        requireRefused(
                small("llama").with("llama.rope.scaling.type", "yarn"),
                "scaled rotary positions are not computed here, expected llama.rope.scaling.type none");
        requireRefused(
                small("llama").tensor("rope_freqs.weight", Shape.of(2), new float[2]),
                "scaled rotary positions are not computed here, expected llama.rope.scaling.type none");
        requireRefused(
                small("llama").with("llama.rope.dimension_count", 2),
                "llama.rope.dimension_count is 2, expected the head size 4");
        requireRefused(
                small("llama").with("llama.attention.value_length", 2),
                "keys and values of different lengths are not computed here");
        requireRefused(
                small("bert").with("bert.attention.causal", true),
                "bert.attention.causal is true, which is not computed here, expected false");
        requireRefused(
                small("bert").with("bert.attention.causal", 1), "bert.attention.causal is 1, expected true or false");
        requireRefused(
                small("llama").with("llama.rope.scaling.factor", 2f),
                "scaled rotary positions are not computed here, expected llama.rope.scaling.type none");
        requireRefused(
                small("llama").with("llama.attention.causal", false),
                "llama.attention.causal is false, which is not computed here, expected true");
        requireRefused(
                small("llama").with("llama.context_length", 8).with("llama.attention.sliding_window", 7),
                "llama.attention.sliding_window is 7, which is not computed here, expected 0, or at least the context length");
        for (String key : List.of(
                "attention.clamp_kqv", "attention.scale", "attn_logit_softcapping", "final_logit_softcapping")) {
            requireRefused(
                    small("llama").with("llama." + key, 0.5f),
                    "llama.%s is 0.5, which is not computed here, expected 0".formatted(key));
        }
        for (String key : List.of("embedding_scale", "logit_scale", "residual_scale", "rope.scaling.attn_factor")) {
            requireRefused(
                    small("llama").with("llama." + key, 0.5f),
                    "llama.%s is 0.5, which is not computed here, expected 1".formatted(key));
        }
        requireRefused(
                small("llama").with("llama.expert_count", 8),
                "llama.expert_count is 8, which is not computed here, expected 0");
        requireRefused(small("llama"), "has no llama.context_length, expected a whole number from 1");
        requireRefused(
                small("llama").with("llama.context_length", 0),
                "llama.context_length is 0, expected a whole number from 1");
        requireRefused(
                small("bert").with("bert.context_length", 8),
                "tensor 'token_types.weight' has shape (8), expected (rows, columns)");
        requireRefused(
                new GgufBytes()
                        .with("general.architecture", "gpt2")
                        .with("gpt2.embedding_length", 8)
                        .with("gpt2.attention.head_count", 3),
                "3 heads do not divide the embedding length 8");
        GgufBytes whole = small("llama").with("llama.context_length", 8).with("llama.feed_forward_length", 8);
        requireRefused(
                whole.with("llama.block_count", 2_000_000_000),
                "has no llama.attention.layer_norm_rms_epsilon, expected a number");
        requireRefused(
                whole.with("llama.attention.layer_norm_rms_epsilon", 1e-5f),
                "holds 2 tensors, too few for the 2000000000 layers of the configuration");
        requireRefused(
                whole.with("llama.attention.head_count_kv", 5),
                "2 heads cannot share 5 key and value heads evenly; the second must divide the first");
        requireRefused(whole.with("llama.rope.freq_base", "high"), "llama.rope.freq_base is high, expected a number");
    }

    @Test
    void refusesOneOfSeveralFiles() throws IOException {
        requireRefused(
                small("llama").with("split.no", 0).with("split.count", 2),
                "is file 1 of 2 of one model; join them first: llama-gguf-split --merge FIRST-FILE model.gguf");
        Path second = Files.write(
                folder.resolve("m-00002-of-00003.gguf"), small("llama").bytes());
        assertThatThrownBy(() -> StoredTransformer.open(second))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(
                        second + ": is file 2 of 3 of one model; join them first: llama-gguf-split --merge FIRST-FILE"
                                + " model.gguf");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "blk.0.attn_v.bias | a bias of 'attn_v': none is added there; take it out of the file if the model does without it",
                "blk.1.ffn_down.bias | a bias of 'ffn_down': none is added there; take it out of the file if the model does without it",
                "blk.0.attn_q_norm.weight | a query-key norm: no attention with such norms is computed here",
                "blk.0.rope_factors_long.weight | frequencies of rotary positions: only those of the configuration are computed here",
                "blk.0.ffn_gate_exps.weight | a part of a mixture of experts: only models with one feed-forward block a layer are computed here"
            })
    void refusesATensorThatIsNotUsed(String name, String looks) throws IOException {
        Map<String, float[]> all = writeFolder("llama-gqa");
        try (StoredTransformer expected = StoredTransformer.open(folder)) {
            GgufBytes gguf = gguf("llama", expected, all).tensor(name, Shape.of(2), new float[2]);
            requireRefused(
                    gguf, "tensor '%s' is not used by a llama of 2 layers; it looks like %s".formatted(name, looks));
        }
    }

    @Test
    void leavesThePoolerOfAnEncoderAside() throws IOException {
        Map<String, float[]> all = writeFolder("bert-postln");
        try (StoredTransformer expected = StoredTransformer.open(folder)) {
            GgufBytes gguf = gguf("bert", expected, all)
                    .tensor("cls.weight", Shape.of(32, 32), new float[1024])
                    .tensor("cls.output.bias", Shape.of(2), new float[2]);
            Path file = Files.write(folder.resolve("x.gguf"), gguf.bytes());
            try (StoredTransformer model = StoredTransformer.open(file)) {
                assertThat(model.parameters()).isEqualTo(expected.parameters());
            }
        }
    }

    @Test
    void namesTheTensorThatIsMissing() throws IOException {
        requireRefused(
                small("qwen2")
                        .with("qwen2.context_length", 8)
                        .with("qwen2.feed_forward_length", 8)
                        .with("qwen2.block_count", 1)
                        .with("qwen2.attention.layer_norm_rms_epsilon", 1e-5f),
                "no tensor 'model.layers.0.input_layernorm.weight', which a qwen2 of 1 layers needs");
    }
}
