package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;
import static org.isoloss.checkpoint.TransformerArchitecture.BERT;
import static org.isoloss.checkpoint.TransformerArchitecture.GEMMA;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT2;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT_NEOX;
import static org.isoloss.checkpoint.TransformerArchitecture.LLAMA;
import static org.isoloss.checkpoint.TransformerArchitecture.QWEN2;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.isoloss.network.Activation;

/**
 * Reads what a transformer is from the metadata of a GGUF file. Activations are not written there: they are the ones each
 * architecture has in transformers unless its configuration says otherwise. Which biases there are, the tensors tell.
 *
 * @see "gguf 0.19.0, constants.py: Keys"
 */
final class GgufConfig {
    private static final Map<String, TransformerArchitecture> KINDS =
            Map.of("gptneox", GPT_NEOX, "gpt2", GPT2, "llama", LLAMA, "qwen2", QWEN2, "gemma", GEMMA, "bert", BERT);

    /** Numbers that change the output in llama.cpp, with the value beside 0 that does nothing. */
    private static final Map<String, Double> NEUTRAL = Map.ofEntries(
            Map.entry("attention.clamp_kqv", 0.0),
            Map.entry("attention.max_alibi_bias", 0.0),
            Map.entry("attention.output_scale", 1.0),
            Map.entry("attention.scale", 0.0),
            Map.entry("attention.shared_kv_layers", 0.0),
            Map.entry("attention.temperature_scale", 0.0),
            Map.entry("attn_logit_softcapping", 0.0),
            Map.entry("embedding_scale", 1.0),
            Map.entry("expert_count", 0.0),
            Map.entry("final_logit_softcapping", 0.0),
            Map.entry("logit_scale", 1.0),
            Map.entry("residual_scale", 1.0),
            Map.entry("rope.scaling.attn_factor", 1.0));

    private final GgufFile file;
    private final String prefix;

    private GgufConfig(GgufFile file, String prefix) {
        this.file = file;
        this.prefix = prefix;
    }

    /** Returns the configuration; its epsilon is the float32 that the file holds. */
    static TransformerConfig read(GgufFile file) {
        String named = file.value("general.architecture").map(GgufConfig::shown).orElse("");
        TransformerArchitecture kind = KINDS.get(named);
        if (kind == null) {
            throw new CheckpointFormatException(
                    file.path(),
                    "holds a model of the architecture %s, expected one of %s; its tensors can be read one by one"
                            .formatted(
                                    quoted(named),
                                    KINDS.keySet().stream().sorted().collect(Collectors.joining(", "))));
        }
        return new GgufConfig(file, named + ".").config(kind);
    }

    private TransformerConfig config(TransformerArchitecture kind) {
        requirePlainRotation();
        new TreeMap<>(NEUTRAL).forEach(this::requireNeutral);
        if (flag("attention.causal", kind != BERT) != (kind != BERT)) {
            throw notComputed("attention.causal", kind == BERT ? "false" : "true");
        }
        double window = anyNumber("attention.sliding_window", 0);
        if (window != 0 && !(window >= size("context_length"))) {
            throw notComputed("attention.sliding_window", "0, or at least the context length");
        }
        boolean turns = kind.isGated() || kind == GPT_NEOX;
        int width = size("embedding_length");
        int heads = size("attention.head_count");
        int headSize = kind.isGated() ? size("attention.key_length", width / heads) : width / heads;
        if (kind.isGated() ? size("attention.value_length", headSize) != headSize : width % heads != 0) {
            throw wrong(
                    kind.isGated()
                            ? "keys and values of different lengths are not computed here"
                            : "%d heads do not divide the embedding length %d".formatted(heads, width));
        }
        int rotaryWidth = turns ? size("rope.dimension_count", headSize) : 0;
        if (kind.isGated() && rotaryWidth != headSize) {
            throw wrong(
                    "%srope.dimension_count is %d, expected the head size %d".formatted(prefix, rotaryWidth, headSize));
        }
        String epsilon = kind.isGated() ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
        try {
            return new TransformerConfig(
                    kind,
                    rows("token_embd.weight"),
                    size("context_length"),
                    kind == BERT ? rows("token_types.weight") : 0,
                    width,
                    size("feed_forward_length"),
                    size("block_count"),
                    heads,
                    kind.isGated() ? size("attention.head_count_kv", heads) : heads,
                    headSize,
                    rotaryWidth,
                    turns ? number("rope.freq_base", Optional.of(10_000.0)) : 0,
                    number(epsilon, Optional.empty()),
                    activation(kind),
                    !kind.isEncoder() && !file.names().contains("output.weight"),
                    kind == GPT_NEOX && flag("use_parallel_residual", true),
                    kind == QWEN2 || !kind.isGated() || hasBias("attn_q"),
                    !kind.isGated() || hasBias("attn_output"),
                    !kind.isGated() || hasBias("ffn_up"));
        } catch (IllegalArgumentException e) {
            throw e instanceof CheckpointFormatException known
                    ? known
                    : new CheckpointFormatException(file.path(), String.valueOf(e.getMessage()), e);
        }
    }

    private static Activation activation(TransformerArchitecture kind) {
        return switch (kind) {
            case GPT_NEOX, BERT -> Activation.GELU;
            case GPT2, GEMMA -> Activation.GELU_TANH;
            case LLAMA, QWEN2 -> Activation.SILU;
        };
    }

    /** A factor counts in llama.cpp even where the type of scaling is left out, but not where the type is "none". */
    private void requirePlainRotation() {
        Optional<String> type = file.value(prefix + "rope.scaling.type").map(GgufConfig::shown);
        double factor = type.isEmpty() ? anyNumber("rope.scaling.factor", 1) : 1;
        boolean scaled = (factor != 0 && factor != 1) || number("rope.scale_linear", Optional.of(1.0)) != 1;
        if (!type.orElse("none").equals("none") || scaled || file.names().contains("rope_freqs.weight")) {
            throw wrong("scaled rotary positions are not computed here, expected %srope.scaling.type none"
                    .formatted(prefix));
        }
    }

    private void requireNeutral(String key, double neutral) {
        double number = anyNumber(key, neutral);
        if (number != 0 && number != neutral) {
            throw notComputed(key, neutral == 0 ? "0" : "1");
        }
    }

    private CheckpointFormatException notComputed(String key, String expected) {
        return wrong("%s%s is %s, which is not computed here, expected %s"
                .formatted(
                        prefix,
                        key,
                        file.value(prefix + key).map(GgufConfig::shown).orElse("left out"),
                        expected));
    }

    private double anyNumber(String key, double usual) {
        return file.value(prefix + key).orElse(usual) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    private boolean hasBias(String module) {
        return file.names().contains("blk.0." + module + ".bias");
    }

    private int rows(String name) {
        Shape shape = file.shape(name);
        if (shape.rank() != 2 || shape.size(0) > Integer.MAX_VALUE) {
            throw wrong("tensor %s has shape %s, expected (rows, columns)".formatted(quoted(name), shape));
        }
        return (int) shape.size(0);
    }

    private int size(String key) {
        Object value = file.value(prefix + key)
                .orElseThrow(() -> wrong("has no %s%s, expected a whole number from 1".formatted(prefix, key)));
        if (!(value instanceof Long size) || size < 1 || size > Integer.MAX_VALUE) {
            throw wrong("%s%s is %s, expected a whole number from 1".formatted(prefix, key, shown(value)));
        }
        return size.intValue();
    }

    private int size(String key, int usual) {
        return file.value(prefix + key).isPresent() ? size(key) : usual;
    }

    private double number(String key, Optional<Double> usual) {
        Object value = file.value(prefix + key)
                .or(() -> usual)
                .orElseThrow(() -> wrong("has no %s%s, expected a number".formatted(prefix, key)));
        return switch (value) {
            case Float number -> number;
            case Double number -> number;
            default -> throw wrong("%s%s is %s, expected a number".formatted(prefix, key, shown(value)));
        };
    }

    private boolean flag(String key, boolean usual) {
        Object value = file.value(prefix + key).orElse(usual);
        if (!(value instanceof Boolean flag)) {
            throw wrong("%s%s is %s, expected true or false".formatted(prefix, key, shown(value)));
        }
        return flag;
    }

    private static String shown(Object value) {
        String shown = GgufInput.shown(value);
        return shown == null ? "an array" : shown;
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file.path(), problem);
    }
}
