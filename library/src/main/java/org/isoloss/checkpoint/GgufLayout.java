package org.isoloss.checkpoint;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parameters of a transformer in GGUF: its names, and what the conversion did to them. Llama's rows of query and key are
 * ordered for rotations of adjacent pairs where transformers rotates halves; GPT-NeoX's projection has all queries first, then
 * all keys, then all values, where transformers goes head by head; GPT-2's matrices are (out, in); Gemma's norms hold the
 * weight plus one.
 *
 * @see "llama.cpp, convert_hf_to_gguf.py; gguf 0.19.0, tensor_mapping.py"
 */
final class GgufLayout implements ParameterLayout {
    private static final Map<String, String> LLAMA = Map.ofEntries(
            Map.entry("model.embed_tokens", "token_embd"),
            Map.entry("model.norm", "output_norm"),
            Map.entry("lm_head", "output"),
            Map.entry("model.layers.#.input_layernorm", "attn_norm"),
            Map.entry("model.layers.#.self_attn.q_proj", "attn_q"),
            Map.entry("model.layers.#.self_attn.k_proj", "attn_k"),
            Map.entry("model.layers.#.self_attn.v_proj", "attn_v"),
            Map.entry("model.layers.#.self_attn.o_proj", "attn_output"),
            Map.entry("model.layers.#.post_attention_layernorm", "ffn_norm"),
            Map.entry("model.layers.#.mlp.gate_proj", "ffn_gate"),
            Map.entry("model.layers.#.mlp.up_proj", "ffn_up"),
            Map.entry("model.layers.#.mlp.down_proj", "ffn_down"));
    private static final Map<String, String> GPT_NEOX = Map.of(
            "gpt_neox.embed_in", "token_embd",
            "gpt_neox.final_layer_norm", "output_norm",
            "embed_out", "output",
            "gpt_neox.layers.#.input_layernorm", "attn_norm",
            "gpt_neox.layers.#.post_attention_layernorm", "ffn_norm",
            "gpt_neox.layers.#.attention.query_key_value", "attn_qkv",
            "gpt_neox.layers.#.attention.dense", "attn_output",
            "gpt_neox.layers.#.mlp.dense_h_to_4h", "ffn_up",
            "gpt_neox.layers.#.mlp.dense_4h_to_h", "ffn_down");
    private static final Map<String, String> GPT2 = Map.of(
            "transformer.wte", "token_embd",
            "transformer.wpe", "position_embd",
            "transformer.ln_f", "output_norm",
            "lm_head", "output",
            "transformer.h.#.ln_1", "attn_norm",
            "transformer.h.#.ln_2", "ffn_norm",
            "transformer.h.#.attn.c_attn", "attn_qkv",
            "transformer.h.#.attn.c_proj", "attn_output",
            "transformer.h.#.mlp.c_fc", "ffn_up",
            "transformer.h.#.mlp.c_proj", "ffn_down");
    private static final Map<String, String> BERT = Map.ofEntries(
            Map.entry("embeddings.word_embeddings", "token_embd"),
            Map.entry("embeddings.position_embeddings", "position_embd"),
            Map.entry("embeddings.token_type_embeddings", "token_types"),
            Map.entry("embeddings.LayerNorm", "token_embd_norm"),
            Map.entry("encoder.layer.#.attention.self.query", "attn_q"),
            Map.entry("encoder.layer.#.attention.self.key", "attn_k"),
            Map.entry("encoder.layer.#.attention.self.value", "attn_v"),
            Map.entry("encoder.layer.#.attention.output.dense", "attn_output"),
            Map.entry("encoder.layer.#.attention.output.LayerNorm", "attn_output_norm"),
            Map.entry("encoder.layer.#.intermediate.dense", "ffn_up"),
            Map.entry("encoder.layer.#.output.dense", "ffn_down"),
            Map.entry("encoder.layer.#.output.LayerNorm", "layer_output_norm"));

    /** What reads the hidden states of an encoder: its pooler and its classifier. */
    private static final String READERS = "cls(\\.output)?\\.(weight|bias)";

    private static final Pattern SPLIT = Pattern.compile(".*-(\\d{5})-of-(\\d{5})\\.gguf");

    private final TransformerConfig config;
    private final GgufFile file;
    private final Set<String> there;

    GgufLayout(TransformerConfig config, GgufFile file) {
        this.config = config;
        this.file = file;
        this.there = new HashSet<>(file.names());
    }

    /** Refuses one of the files into which llama-gguf-split cut a model. */
    static void requireWhole(GgufFile file) {
        String name = String.valueOf(file.path().getFileName());
        Matcher numbered = SPLIT.matcher(name);
        boolean named = numbered.matches();
        long count = file.value("split.count")
                .map(value -> value instanceof Long number ? number : 1L)
                .orElse(named ? Long.parseLong(numbered.group(2)) : 1L);
        if (count > 1) {
            long number = file.value("split.no")
                    .map(value -> value instanceof Long before ? before + 1 : 1L)
                    .orElse(named ? Long.parseLong(numbered.group(1)) : 1L);
            throw new CheckpointFormatException(
                    file.path(),
                    "is file %d of %d of one model; join them first: llama-gguf-split --merge FIRST-FILE model.gguf"
                            .formatted(number, count));
        }
    }

    @Override
    public Optional<String> storedName(String name) {
        return Optional.of(ggufName(config.architecture(), name)).filter(there::contains);
    }

    /** Returns what GGUF calls a parameter of an architecture. */
    static String ggufName(TransformerArchitecture kind, String name) {
        Map<String, String> modules = switch (kind) {
            case LLAMA, QWEN2, GEMMA -> LLAMA;
            case GPT_NEOX -> GPT_NEOX;
            case GPT2 -> GPT2;
            case BERT -> BERT;
        };
        int end = name.lastIndexOf('.');
        String module = name.substring(0, end);
        String layer = module.replaceFirst("^[^0-9]*?\\.(\\d+)\\..*$", "$1");
        if (layer.equals(module)) {
            return modules.get(module) + name.substring(end);
        }
        return "blk." + layer + "." + modules.get(module.replaceFirst("\\.\\d+\\.", ".#.")) + name.substring(end);
    }

    @Override
    public StoredTensor inOrder(String name, StoredTensor stored) {
        int size = config.headSize();
        return switch (config.architecture()) {
            case LLAMA ->
                name.contains(".q_proj.") || name.contains(".k_proj.")
                        ? ElementOrder.ofRows(stored, row -> adjacent(row, size))
                        : stored;
            case GPT_NEOX ->
                name.contains(".query_key_value.")
                        ? ElementOrder.ofRows(stored, row -> together(row, size, config.heads()))
                        : stored;
            case GPT2 -> name.contains(".c_") && stored.shape().rank() == 2 ? ElementOrder.transposed(stored) : stored;
            case GEMMA -> name.endsWith("norm.weight") ? ElementOrder.lessOne(stored) : stored;
            case QWEN2, BERT -> stored;
        };
    }

    @Override
    public boolean isBuffer(String stored) {
        return config.architecture() == TransformerArchitecture.BERT && stored.matches(READERS);
    }

    @Override
    public Shape storedShape(String stored) {
        return file.shape(stored);
    }

    /** Returns where GGUF has a row of query or key: what is turned together lies in halves here, side by side there. */
    private static long adjacent(long row, int headSize) {
        long within = row % headSize;
        int half = headSize / 2;
        return row - within + 2 * (within % half) + within / half;
    }

    /** Returns where GGUF has a row of the joint projection: here each head has query, key and value, there each part all heads. */
    private static long together(long row, int headSize, int heads) {
        long head = row / (3L * headSize);
        long part = row / headSize % 3;
        return (part * heads + head) * headSize + row % headSize;
    }
}
