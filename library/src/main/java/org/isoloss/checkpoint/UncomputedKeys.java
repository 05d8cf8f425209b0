package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.TransformerArchitecture.BERT;
import static org.isoloss.checkpoint.TransformerArchitecture.GEMMA;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT2;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT_NEOX;
import static org.isoloss.checkpoint.TransformerArchitecture.LLAMA;
import static org.isoloss.checkpoint.TransformerArchitecture.QWEN2;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Keys that would change numbers and are not computed. Where transformers reads one for an architecture it is refused; where
 * transformers does not, it is passed over as there, and named in a note. All other keys that transformers does not read are
 * passed over without a word.
 *
 * @see "transformers 5.24.0, the modeling files of these models, masking_utils.py, cache_utils.py"
 */
public final class UncomputedKeys {
    /** Values that mean what is computed here; position_embedding_type was read before transformers 5. */
    private static final Map<TransformerArchitecture, Map<String, Set<String>>> ONLY = Map.of(
            GPT_NEOX, Map.of("is_causal", Set.of("true")),
            GPT2,
                    Map.of(
                            "is_causal", Set.of("true"),
                            "scale_attn_weights", Set.of("true"),
                            "scale_attn_by_inverse_layer_idx", Set.of("false"),
                            "add_cross_attention", Set.of("false")),
            LLAMA, Map.of("is_causal", Set.of("true")),
            QWEN2, Map.of("is_causal", Set.of("true")),
            GEMMA, Map.of("is_causal", Set.of("true"), "use_bidirectional_attention", Set.of("false", "null")),
            BERT,
                    Map.of(
                            "is_decoder", Set.of("false"),
                            "add_cross_attention", Set.of("false"),
                            "position_embedding_type", Set.of("absolute", "null")));

    /** Keys of other architectures, or of a single one, with the value that does nothing; empty where every value does. */
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry("alibi", "false"),
            Map.entry("attention_bias", "false"),
            Map.entry("attention_multiplier", ""),
            Map.entry("attn_logit_softcapping", ""),
            Map.entry("clip_qkv", ""),
            Map.entry("embedding_multiplier", "1"),
            Map.entry("final_logit_softcapping", ""),
            Map.entry("logit_scale", "1"),
            Map.entry("logits_scaling", "1"),
            Map.entry("mlp_bias", "false"),
            Map.entry("no_rope_layers", ""),
            Map.entry("parallel_attn", "false"),
            Map.entry("parallel_attn_output", "false"),
            Map.entry("partial_rotary_factor", "1"),
            Map.entry("qk_layernorm", "false"),
            Map.entry("query_pre_attn_scalar", ""),
            Map.entry("residual_multiplier", "1"),
            Map.entry("rope_scaling", ""),
            Map.entry("rope_theta", "10000"),
            Map.entry("rotary_dim", ""),
            Map.entry("rotary_emb_base", "10000"),
            Map.entry("rotary_pct", "1"),
            Map.entry("scale_attn_by_inverse_layer_idx", "false"),
            Map.entry("scale_attn_weights", "true"),
            Map.entry("scale_embedding", "false"),
            Map.entry("use_bidirectional_attention", "false"),
            Map.entry("use_parallel_residual", "false"),
            Map.entry("use_qk_norm", "false"));

    /** Those of them that an architecture has, so that they are read in their place, and those that it has always. */
    private static final Map<TransformerArchitecture, Set<String>> OWN = Map.of(
            GPT_NEOX,
                    Set.of("attention_bias", "rope_scaling", "rotary_emb_base", "rotary_pct", "use_parallel_residual"),
            GPT2, Set.of("attention_bias", "mlp_bias", "scale_attn_by_inverse_layer_idx", "scale_attn_weights"),
            LLAMA, Set.of("attention_bias", "mlp_bias", "rope_scaling", "rope_theta"),
            QWEN2, Set.of("attention_bias", "rope_scaling", "rope_theta"),
            GEMMA, Set.of("attention_bias", "rope_scaling", "rope_theta", "use_bidirectional_attention"),
            BERT, Set.of("attention_bias", "mlp_bias"));

    private UncomputedKeys() {}

    /** Refuses values that transformers reads for the architecture and that are not computed here. */
    static void requireNone(TransformerArchitecture kind, ConfigKeys keys) {
        new TreeMap<>(ONLY.getOrDefault(kind, Map.of())).forEach((key, allowed) -> {
            if (keys.isThere(key) && !allowed.contains(keys.plain(key))) {
                throw keys.notComputed(
                        key, String.join(" or ", allowed.stream().sorted().toList()));
            }
        });
        for (String key : List.of("quantization_config", "per_layer_config")) {
            if (keys.isSet(key)) {
                throw keys.notComputed(key, "none");
            }
        }
    }

    /**
     * Refuses windows that tokens do not see beyond. Qwen2 has them in its own keys; in the others transformers reads them
     * in its cache alone, so that a text gives other numbers token by token than at once.
     */
    static void requireFullAttention(TransformerConfig config, ConfigKeys keys) {
        TransformerArchitecture kind = config.architecture();
        if (kind.isEncoder()) {
            return;
        }
        JsonNode types = keys.value("layer_types");
        if (types != null) {
            for (JsonNode type : types) {
                if (!type.asString("").equals("full_attention")) {
                    throw keys.notComputed("layer_types", "full_attention in every layer");
                }
            }
            if (!types.isArray() || types.size() != config.layers()) {
                throw keys.wrong("layer_types", "one type for each of the %d layers".formatted(config.layers()));
            }
        }
        if (kind == QWEN2) {
            boolean windowed = keys.flag("use_sliding_window", false) && types == null;
            if (windowed && config.layers() > keys.count("max_window_layers", 28)) {
                requireWide(config, keys, "sliding_window", 4096);
            }
            return;
        }
        requireWide(config, keys, "sliding_window", Integer.MAX_VALUE);
        requireWide(config, keys, "attention_chunk_size", Integer.MAX_VALUE);
    }

    private static void requireWide(TransformerConfig config, ConfigKeys keys, String key, int usual) {
        if (keys.isThere(key) && !keys.isSet(key)) {
            return;
        }
        int window = keys.size(key, usual);
        if (window < config.positions()) {
            String expected = "null, or at least the %d positions".formatted(config.positions());
            throw keys.isThere(key)
                    ? keys.notComputed(key, expected)
                    : keys.wrong("%s is left out and so %d, which is not computed here, expected %s"
                            .formatted(key, usual, expected));
        }
    }

    static List<String> passedOver(TransformerArchitecture kind, ConfigKeys keys) {
        return passedOver(OWN.getOrDefault(kind, Set.of()), keys);
    }

    /**
     * Returns the keys that other architectures compute with.
     *
     * @param own those that this one computes with, or has always
     * @param keys a configuration
     * @return each with its value, in the order of the alphabet
     */
    public static List<String> passedOver(Set<String> own, ConfigKeys keys) {
        List<String> found = new ArrayList<>();
        new TreeMap<>(ELSEWHERE).forEach((key, nothing) -> {
            JsonNode value = keys.value(key);
            boolean counts = value != null
                    && !own.contains(key)
                    && !keys.plain(key).equals(nothing)
                    && !(value.isNumber() && !nothing.isEmpty() && isSame(value.doubleValue(), nothing));
            if (counts) {
                found.add("%s = %s".formatted(key, keys.plain(key)));
            }
        });
        return found;
    }

    private static boolean isSame(double number, String nothing) {
        return Character.isDigit(nothing.charAt(0)) && number == Double.parseDouble(nothing);
    }
}
