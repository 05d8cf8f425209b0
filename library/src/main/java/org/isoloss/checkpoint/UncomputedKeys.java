package org.isoloss.checkpoint;

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

    private UncomputedKeys() {}

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
