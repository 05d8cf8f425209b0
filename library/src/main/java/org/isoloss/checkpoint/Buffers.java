package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.TransformerArchitecture.BERT;
import static org.isoloss.checkpoint.TransformerArchitecture.GEMMA;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT2;
import static org.isoloss.checkpoint.TransformerArchitecture.GPT_NEOX;
import static org.isoloss.checkpoint.TransformerArchitecture.LLAMA;
import static org.isoloss.checkpoint.TransformerArchitecture.QWEN2;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tensors of published files that outputs do not go through. Each has a full name, a shape and an architecture: an ending
 * would not do, as {@code c_attn.bias} ends as the mask {@code attn.bias} does.
 *
 * @see "transformers 5.24.0, _keys_to_ignore_on_load_unexpected and the registered buffers of these models"
 */
final class Buffers {
    /** Which shape makes a buffer what its name says. */
    private enum Form {
        /** A causal mask, (1, 1, positions, positions). */
        MASK,
        /** One number: what masked scores are set to. */
        NUMBER,
        /** One frequency for each pair that turns together; recomputed from the configuration. */
        FREQUENCIES,
        /** Whole numbers, such as 0, 1, 2 up to the last position. */
        WHOLE,
        /** What reads the hidden states that are the output of an encoder. */
        READER
    }

    private static final Map<String, Form> ROTARY =
            Map.of("(layers\\.(\\d+)\\.self_attn\\.)?rotary_emb\\.inv_freq", Form.FREQUENCIES);
    private static final Map<TransformerArchitecture, Map<String, Form>> NAMES = Map.of(
            GPT2,
            Map.of(
                    "h\\.(\\d+)\\.attn\\.bias", Form.MASK,
                    "h\\.(\\d+)\\.attn\\.masked_bias", Form.NUMBER),
            GPT_NEOX,
            Map.of(
                    "layers\\.(\\d+)\\.attention\\.bias", Form.MASK,
                    "layers\\.(\\d+)\\.attention\\.masked_bias", Form.NUMBER,
                    "(layers\\.(\\d+)\\.attention\\.)?rotary_emb\\.inv_freq", Form.FREQUENCIES),
            LLAMA,
            ROTARY,
            QWEN2,
            ROTARY,
            GEMMA,
            ROTARY,
            BERT,
            Map.of(
                    "embeddings\\.(position_ids|token_type_ids)", Form.WHOLE,
                    "pooler\\.dense\\.(weight|bias)", Form.READER,
                    "cls\\.predictions\\.(bias|decoder\\.(weight|bias)|transform\\.dense\\.(weight|bias))", Form.READER,
                    "cls\\.predictions\\.transform\\.LayerNorm\\.(weight|bias|gamma|beta)", Form.READER,
                    "cls\\.seq_relationship\\.(weight|bias)", Form.READER,
                    "(classifier|qa_outputs)\\.(weight|bias)", Form.READER));
    private static final Pattern LAYER = Pattern.compile("\\.(\\d{1,9})\\.");

    private Buffers() {}

    /** Tells whether a tensor of a file, no parameter, can be left aside. */
    static boolean contains(TransformerConfig config, String name, ElementType type, Shape shape) {
        TransformerArchitecture kind = config.architecture();
        if (config.tied() && name.equals(kind.head())) {
            return true; // a copy of the embedding
        }
        String prefix = kind == BERT ? "bert." : kind.prefix();
        String bare = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
        Matcher layer = LAYER.matcher(bare);
        if (layer.find() && Integer.parseInt(layer.group(1)) >= config.layers()) {
            return false;
        }
        return NAMES.getOrDefault(kind, Map.of()).entrySet().stream()
                .anyMatch(entry -> bare.matches(entry.getKey()) && fits(entry.getValue(), config, type, shape));
    }

    private static boolean fits(Form form, TransformerConfig config, ElementType type, Shape shape) {
        return switch (form) {
            case MASK ->
                shape.rank() == 4 && shape.size(0) == 1 && shape.size(1) == 1 && shape.size(2) == shape.size(3);
            case NUMBER -> shape.count() == 1;
            case FREQUENCIES -> shape.equals(Shape.of(config.rotaryWidth() / 2));
            case WHOLE -> type.isWhole();
            case READER -> type.isFloat() && shape.rank() <= 2;
        };
    }
}
