package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;
import static org.isoloss.checkpoint.TransformerArchitecture.BERT;
import static org.isoloss.checkpoint.TransformerArchitecture.GEMMA;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT2;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT_NEOX;
import static org.isoloss.checkpoint.TransformerArchitecture.LLAMA;
import static org.isoloss.checkpoint.TransformerArchitecture.QWEN2;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.network.Activation;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads {@code config.json}: the keys before and after transformers 5, and each architecture's own names, with the meaning
 * that they have in transformers 5.24.0.
 */
final class ConfigJson {
    private static final List<String> ACTIVATION_KEYS =
            List.of("hidden_act", "hidden_activation", "activation_function");

    private final ConfigKeys keys;

    ConfigJson(Path file, ObjectNode json) {
        this.keys = new ConfigKeys(file, json);
    }

    TransformerConfig config() {
        TransformerArchitecture kind = architecture();
        UncomputedKeys.requireNone(kind, keys);
        int width = size(kind, "hidden_size", "n_embd");
        int heads = size(kind, "num_attention_heads", "n_head");
        int headSize = headSize(kind, width, heads);
        boolean turns = kind.isGated() || kind == GPT_NEOX;
        Optional<RotaryKeys> rotary = turns ? Optional.of(RotaryKeys.of(kind, keys, headSize)) : Optional.empty();
        boolean attentionBias = !turns || (kind != QWEN2 && keys.flag("attention_bias", kind == GPT_NEOX));
        try {
            TransformerConfig config = new TransformerConfig(
                    kind,
                    keys.size("vocab_size"),
                    size(kind, "max_position_embeddings", "n_positions"),
                    kind == BERT ? keys.size("type_vocab_size") : 0,
                    width,
                    feedForwardWidth(kind, width),
                    size(kind, "num_hidden_layers", "n_layer"),
                    heads,
                    kind.isGated() ? keyValueHeads(kind, heads) : heads,
                    headSize,
                    rotary.map(RotaryKeys::width).orElse(0),
                    rotary.map(RotaryKeys::base).orElse(0.0),
                    keys.number(kind.epsilonKey(), kind.defaultEpsilon()),
                    activation(kind),
                    !kind.isEncoder() && keys.flag("tie_word_embeddings", kind.tiedByDefault()),
                    kind == GPT_NEOX && keys.flag("use_parallel_residual", true),
                    kind == QWEN2 || attentionBias,
                    attentionBias,
                    kind == LLAMA ? keys.flag("mlp_bias", false) : !kind.isGated());
            UncomputedKeys.requireFullAttention(config, keys);
            return config;
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw e instanceof CheckpointFormatException known ? known : keys.wrong(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns what a reader should know of the configuration, a line each: keys that do not count and seem to. */
    List<String> notes() {
        TransformerArchitecture kind = architecture();
        List<String> passedOver = new ArrayList<>(UncomputedKeys.passedOver(kind, keys));
        Activation used = activation(kind);
        ACTIVATION_KEYS.stream()
                .filter(key -> !key.equals(activationKey(kind)) && keys.isSet(key))
                .filter(key -> !isNamed(keys.plain(key), used))
                .map(key -> "%s = %s".formatted(key, keys.plain(key)))
                .forEach(passedOver::add);
        return passedOver.isEmpty()
                ? List.of()
                : List.of("%s: %s not used, as transformers does not read %s for model_type %s"
                        .formatted(
                                keys.file(),
                                String.join(", ", passedOver) + (passedOver.size() == 1 ? " is" : " are"),
                                passedOver.size() == 1 ? "it" : "them",
                                kind.modelType()));
    }

    /** Returns the architecture when it is known and its head is the embedding; reads nothing else. */
    Optional<TransformerArchitecture> tiedArchitecture() {
        JsonNode type = keys.value("model_type");
        return TransformerArchitecture.named(type == null ? "" : type.asString(""))
                .filter(kind -> keys.flag("tie_word_embeddings", kind.tiedByDefault()));
    }

    private TransformerArchitecture architecture() {
        JsonNode type = keys.value("model_type");
        if (type == null || !type.isString()) {
            throw keys.wrong("has no model_type, expected one of " + TransformerArchitecture.names());
        }
        return TransformerArchitecture.named(type.asString())
                .orElseThrow(() -> keys.wrong("model_type %s is not known, expected one of %s"
                        .formatted(quoted(type.asString()), TransformerArchitecture.names())));
    }

    /** Returns a size. GPT-2 has its own names, and the general ones count before them where both are there. */
    private int size(TransformerArchitecture kind, String key, String ofGpt2) {
        return keys.size(kind == GPT2 && !keys.isThere(key) ? ofGpt2 : key);
    }

    private int feedForwardWidth(TransformerArchitecture kind, int width) {
        if (kind != GPT2) {
            return keys.size("intermediate_size");
        }
        return keys.isSet("n_inner") ? keys.size("n_inner") : Math.multiplyExact(4, width);
    }

    private int keyValueHeads(TransformerArchitecture kind, int heads) {
        String key = "num_key_value_heads";
        if (kind != GEMMA && keys.isThere(key) && !keys.isSet(key)) {
            return heads;
        }
        return keys.size(key, kind == LLAMA ? heads : kind == QWEN2 ? 32 : 16);
    }

    private int headSize(TransformerArchitecture kind, int width, int heads) {
        boolean given = kind == LLAMA ? keys.isSet("head_dim") : kind == QWEN2 && keys.isThere("head_dim");
        if (given || kind == GEMMA) {
            return keys.size("head_dim");
        }
        if (width % heads != 0) {
            throw keys.wrong("%d heads do not divide the hidden size %d".formatted(heads, width));
        }
        return width / heads;
    }

    private static String activationKey(TransformerArchitecture kind) {
        return kind == GPT2 ? "activation_function" : "hidden_act";
    }

    private Activation activation(TransformerArchitecture kind) {
        String key = activationKey(kind);
        String usual = switch (kind) {
            case GPT2 -> "gelu_new";
            case GEMMA -> "gelu_pytorch_tanh";
            case LLAMA, QWEN2 -> "silu";
            case GPT_NEOX, BERT -> "gelu";
        };
        String name = keys.text(key, usual);
        if (kind == GEMMA && name.equals("gelu")) {
            return Activation.GELU_TANH; // published files say gelu and were trained with the tanh form
        }
        try {
            return Activation.named(name);
        } catch (IllegalArgumentException e) {
            throw keys.wrong("%s: %s".formatted(key, e.getMessage()), e);
        }
    }

    private static boolean isNamed(String name, Activation activation) {
        try {
            return Activation.named(name) == activation;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
