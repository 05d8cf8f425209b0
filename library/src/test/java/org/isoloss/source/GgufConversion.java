package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ConfigKeys;
import org.isoloss.checkpoint.GgufBytes;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Writes folders of Hugging Face as GGUF, as llama.cpp does it. */
public final class GgufConversion {
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
            Map.entry("output.LayerNorm", "layer_output_norm"),
            Map.entry("self_attn.q_norm", "attn_q_norm"),
            Map.entry("self_attn.k_norm", "attn_k_norm"),
            Map.entry("self_attn.qkv_proj", "attn_qkv"),
            Map.entry("mlp.gate_up_proj", "ffn_up"),
            Map.entry("pre_feedforward_layernorm", "ffn_norm"),
            Map.entry("post_feedforward_layernorm", "post_ffw_norm"));

    private GgufConversion() {}

    /** Converts a folder; what {@code part} leaves out goes to another file. */
    public static GgufBytes gguf(String kind, HuggingFaceFolder model, IntPredicate part) throws IOException {
        Checkpoint weights = model.weights();
        Path json = weights.path().resolveSibling("config.json");
        JsonNode config = JsonMapper.shared().readTree(json);
        HuggingFaceConfig read = new HuggingFaceConfig(ConfigKeys.read(json));
        GgufBytes gguf = metadata(kind, config, read);
        int number = 0;
        for (String name : model.model(1, 1).parameters().keySet()) {
            StoredTensor stored = weights.tensor(name);
            Shape shape = stored.shape();
            boolean turned = kind.equals("gpt2") && name.contains(".c_") && shape.rank() == 2;
            if (part.test(number++)) {
                gguf.tensor(
                        ggufName(kind, name),
                        turned ? Shape.of(shape.size(1), shape.size(0)) : shape,
                        converted(kind, read.headSize(), name, shape, stored.toFloats()));
            }
        }
        return gguf;
    }

    private static GgufBytes metadata(String kind, JsonNode config, HuggingFaceConfig read) {
        boolean layers = List.of("gptneox", "gpt2", "bert", "stablelm").contains(kind);
        int size = read.headSize();
        var gguf = new GgufBytes()
                .with("general.architecture", kind)
                .with(kind + ".context_length", read.positions())
                .with(kind + ".embedding_length", read.width())
                .with(kind + ".feed_forward_length", read.size("inner"))
                .with(kind + ".block_count", read.layers())
                .with(kind + ".attention.head_count", read.heads())
                .with(kind + ".attention." + (layers ? "layer_norm_epsilon" : "layer_norm_rms_epsilon"), (float)
                        read.epsilon());
        if (!List.of("gptneox", "gpt2", "bert").contains(kind)) {
            gguf.with(kind + ".attention.head_count_kv", read.keyValueHeads());
        }
        if (!layers) {
            gguf.with(kind + ".attention.key_length", size).with(kind + ".attention.value_length", size);
        }
        HuggingFaceRotary rotary = read.rotary(read.layers() - 1);
        if (rotary != null) {
            JsonNode parameters = config.path("rope_parameters");
            double base = config.path("rope_theta")
                    .asDouble(parameters.path("rope_theta").asDouble(10_000));
            gguf.with(kind + ".rope.dimension_count", rotary.width()).with(kind + ".rope.freq_base", (float) base);
        }
        switch (kind) {
            case "gptneox", "stablelm" ->
                gguf.with(
                        kind + ".use_parallel_residual",
                        config.path("use_parallel_residual").asBoolean(kind.equals("gptneox")));
            case "phi3" ->
                gguf.with(
                        "phi3.attention.sliding_window",
                        config.get("sliding_window").asInt());
            case "gemma2" ->
                gguf.with("gemma2.attention.sliding_window", 3)
                        .with("gemma2.attn_logit_softcapping", 2f)
                        .with("gemma2.final_logit_softcapping", 3f);
            case "gemma3" ->
                gguf.with("gemma3.attention.sliding_window", 3)
                        .with("gemma3.attention.sliding_window_pattern", 2)
                        .with("gemma3.rope.freq_base_swa", 20f)
                        .with("gemma3.rope.scaling.type", "linear")
                        .with("gemma3.rope.scaling.factor", 2f);
            default -> {}
        }
        return gguf;
    }

    private static String ggufName(String kind, String name) {
        String module = name.substring(0, name.lastIndexOf('.'));
        String suffix = name.substring(name.lastIndexOf('.'));
        String[] parts = module.split("\\.\\d+\\.", 2);
        if (parts.length == 1) {
            return NAMES.get(module) + suffix;
        }
        String layer = module.substring(parts[0].length() + 1, module.length() - parts[1].length() - 1);
        boolean four = kind.equals("olmo2") || kind.startsWith("gemma2") || kind.startsWith("gemma3");
        String inner =
                four && parts[1].equals("post_attention_layernorm") ? "post_attention_norm" : NAMES.get(parts[1]);
        return "blk." + layer + "." + inner + suffix;
    }

    /** Converts a tensor of transformers as llama.cpp does. */
    private static float[] converted(String kind, int size, String name, Shape shape, float[] values) {
        int row = shape.rank() == 1 ? 1 : (int) shape.size(1);
        int rows = (int) shape.size(0);
        return switch (kind) {
            case "llama" -> name.contains("q_proj") || name.contains("k_proj") ? paired(values, row, size) : values;
            case "gptneox" -> name.contains("query_key_value") ? grouped(values, row, size) : values;
            case "gpt2" -> name.contains(".c_") && shape.rank() == 2 ? transposed(values, rows, row) : values;
            case "gemma", "gemma2", "gemma3" -> {
                float[] more = values.clone();
                for (int i = 0; i < more.length && name.contains("norm"); i++) {
                    more[i] += 1;
                }
                yield more;
            }
            default -> values;
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
}
