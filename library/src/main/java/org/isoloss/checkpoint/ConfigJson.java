package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;
import static org.isoloss.checkpoint.TransformerArchitecture.BERT;
import static org.isoloss.checkpoint.TransformerArchitecture.GEMMA;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT2;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT_NEOX;
import static org.isoloss.checkpoint.TransformerArchitecture.LLAMA;
import static org.isoloss.checkpoint.TransformerArchitecture.QWEN2;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.isoloss.network.Activation;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads {@code config.json}: the keys before and after transformers 5, and each architecture's own names. */
final class ConfigJson {
    /** Options that change what is computed, with the values that mean what is computed here. */
    private static final Map<TransformerArchitecture, Map<String, String>> ONLY = Map.of(
            GPT_NEOX, Map.of(),
            GPT2,
                    Map.of(
                            "scale_attn_weights", "true",
                            "scale_attn_by_inverse_layer_idx", "false",
                            "add_cross_attention", "false"),
            LLAMA, Map.of(),
            QWEN2, Map.of("use_sliding_window", "false"),
            GEMMA, Map.of("use_bidirectional_attention", "false"),
            BERT,
                    Map.of(
                            "is_decoder", "false",
                            "add_cross_attention", "false",
                            "position_embedding_type", "absolute"));

    private final Path file;
    private final ObjectNode json;

    ConfigJson(Path file, ObjectNode json) {
        this.file = file;
        this.json = json;
    }

    TransformerConfig config() {
        TransformerArchitecture kind = architecture();
        ONLY.getOrDefault(kind, Map.of()).forEach(this::requireOnly);
        requireFullAttention();
        boolean small = kind == GPT2;
        int width = size(small ? "n_embd" : "hidden_size");
        int heads = size(small ? "n_head" : "num_attention_heads");
        int headSize = kind == GEMMA ? size("head_dim") : headSize(kind, width, heads);
        boolean llamaLike = kind.isGated();
        JsonNode rotary = rotary();
        boolean turns = llamaLike || kind == GPT_NEOX;
        boolean attentionBias = !turns || flag("attention_bias", kind == GPT_NEOX);
        try {
            return new TransformerConfig(
                    kind,
                    size("vocab_size"),
                    size(small ? "n_positions" : "max_position_embeddings"),
                    kind == BERT ? size("type_vocab_size") : 0,
                    width,
                    small ? size("n_inner", Math.multiplyExact(4, width)) : size("intermediate_size"),
                    size(small ? "n_layer" : "num_hidden_layers"),
                    heads,
                    llamaLike ? size("num_key_value_heads", heads) : heads,
                    headSize,
                    turns ? rotaryWidth(kind, rotary, headSize) : 0,
                    turns ? rotaryBase(kind, rotary) : 0,
                    number(json, kind.epsilonKey(), kind.defaultEpsilon()),
                    activation(kind),
                    !kind.isEncoder() && flag("tie_word_embeddings", kind.tiedByDefault()),
                    kind == GPT_NEOX && flag("use_parallel_residual", true),
                    kind == QWEN2 || attentionBias,
                    kind != QWEN2 && attentionBias,
                    kind == LLAMA ? flag("mlp_bias", false) : !llamaLike);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw e instanceof CheckpointFormatException known
                    ? known
                    : new CheckpointFormatException(file, String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the architecture when it is known and its head is the embedding; reads nothing else. */
    Optional<TransformerArchitecture> tiedArchitecture() {
        JsonNode type = value(json, "model_type");
        return TransformerArchitecture.named(type == null ? "" : type.asString(""))
                .filter(kind -> flag("tie_word_embeddings", kind.tiedByDefault()));
    }

    private TransformerArchitecture architecture() {
        JsonNode type = value(json, "model_type");
        if (type == null || !type.isString()) {
            throw wrong("has no model_type, expected one of " + TransformerArchitecture.names());
        }
        return TransformerArchitecture.named(type.asString())
                .orElseThrow(() -> wrong("model_type %s is not known, expected one of %s"
                        .formatted(quoted(type.asString()), TransformerArchitecture.names())));
    }

    private void requireOnly(String key, String only) {
        JsonNode value = value(json, key);
        if (value != null && !value.asString("").equals(only)) {
            throw wrong("%s is %s, which is not computed here, expected %s".formatted(key, shown(value), only));
        }
    }

    private void requireFullAttention() {
        JsonNode types = value(json, "layer_types");
        if (types != null) {
            for (JsonNode type : types) {
                if (!type.asString("").equals("full_attention")) {
                    throw wrong("layer_types holds %s, which is not computed here, expected full_attention"
                            .formatted(shown(type)));
                }
            }
        }
    }

    private int headSize(TransformerArchitecture kind, int width, int heads) {
        JsonNode given = kind.isGated() ? value(json, "head_dim") : null;
        if (given != null) {
            return size("head_dim");
        }
        if (width % heads != 0) {
            throw wrong("%d heads do not divide the hidden size %d".formatted(heads, width));
        }
        return width / heads;
    }

    /** Returns what is said about rotary positions: its own object since transformers 5, beside the other keys before. */
    private JsonNode rotary() {
        JsonNode scaling = value(json, "rope_scaling");
        JsonNode parameters = value(json, "rope_parameters");
        for (JsonNode object : new @Nullable JsonNode[] {scaling, parameters}) {
            if (object != null) {
                JsonNode type = value(object, "rope_type");
                JsonNode named = type == null ? value(object, "type") : type;
                if (!object.isObject() || (named != null && !named.asString("").equals("default"))) {
                    throw wrong("scaled rotary positions (%s) are not computed here, expected rope_type default"
                            .formatted(shown(named == null ? object : named)));
                }
            }
        }
        return parameters == null ? json : parameters;
    }

    private int rotaryWidth(TransformerArchitecture kind, JsonNode rotary, int headSize) {
        double usual = kind == GPT_NEOX ? 0.25 : 1;
        double fraction = number(rotary, "partial_rotary_factor", number(json, "rotary_pct", usual));
        int width = (int) (headSize * fraction);
        if (fraction <= 0 || fraction > 1 || width % 2 != 0 || width == 0) {
            throw wrong(
                    "the rotary width is %s = %d (head size times rotary fraction), expected an even number from 2 to %d"
                            .formatted(headSize + " * " + fraction, width, headSize));
        }
        return width;
    }

    private double rotaryBase(TransformerArchitecture kind, JsonNode rotary) {
        double base = number(json, kind == GPT_NEOX ? "rotary_emb_base" : "rope_theta", 10_000);
        return number(rotary, "rope_theta", base);
    }

    private Activation activation(TransformerArchitecture kind) {
        String key = kind == GPT2 ? "activation_function" : "hidden_act";
        String usual = kind == GPT2 ? "gelu_new" : kind.isGated() ? "silu" : "gelu";
        JsonNode given = value(json, key);
        if (kind == GEMMA) {
            // published files say gelu in hidden_act and were trained with the tanh form; hidden_activation, if there,
            // counts
            JsonNode newer = value(json, "hidden_activation");
            given = newer == null ? given : newer;
            if (given == null || (newer == null && given.asString("").equals("gelu"))) {
                return Activation.GELU_TANH;
            }
        }
        String name = given == null ? usual : given.asString("");
        try {
            return Activation.named(name);
        } catch (IllegalArgumentException e) {
            throw new CheckpointFormatException(file, "%s: %s".formatted(key, e.getMessage()), e);
        }
    }

    private int size(String key) {
        JsonNode value = value(json, key);
        if (value == null) {
            throw wrong("has no %s, expected a whole number from 1".formatted(key));
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 1) {
            throw wrong("%s is %s, expected a whole number from 1".formatted(key, shown(value)));
        }
        return value.intValue();
    }

    private int size(String key, int usual) {
        return value(json, key) == null ? usual : size(key);
    }

    private double number(JsonNode from, String key, double usual) {
        JsonNode value = value(from, key);
        if (value == null) {
            return usual;
        }
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw wrong("%s is %s, expected a finite number".formatted(key, shown(value)));
        }
        return value.doubleValue();
    }

    private boolean flag(String key, boolean usual) {
        JsonNode value = value(json, key);
        if (value == null) {
            return usual;
        }
        if (!value.isBoolean()) {
            throw wrong("%s is %s, expected true or false".formatted(key, shown(value)));
        }
        return value.booleanValue();
    }

    /** Returns a value; null also where the file says null. */
    private static @Nullable JsonNode value(JsonNode from, String key) {
        JsonNode value = from.get(key);
        return value == null || value.isNull() ? null : value;
    }

    private static String shown(JsonNode value) {
        return quoted(value.isString() ? value.asString() : value.toString());
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, problem);
    }
}
