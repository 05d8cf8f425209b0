package org.isoloss.checkpoint;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The transformers whose configurations and tensors are known, with what their configurations leave unsaid.
 *
 * @see "transformers 5.24.0, the configuration classes of these models"
 */
public enum TransformerArchitecture {
    /** GPT-NeoX, as Pythia: layer norms, rotary positions on a part of each head, one matrix for query, key and value. */
    GPT_NEOX("gpt_neox", "gpt_neox.", "embed_in.weight", "embed_out.weight", false, "layer_norm_eps", 1e-5),
    /** GPT-2: layer norms, learned positions, weights stored as (in, out). */
    GPT2("gpt2", "transformer.", "wte.weight", "lm_head.weight", true, "layer_norm_epsilon", 1e-5),
    /** Llama: root-mean-square norms, rotary positions, a gated feed-forward block. */
    LLAMA("llama", "model.", "embed_tokens.weight", "lm_head.weight", false, "rms_norm_eps", 1e-6),
    /** Qwen2: as Llama, with biases on query, key and value. */
    QWEN2("qwen2", "model.", "embed_tokens.weight", "lm_head.weight", false, "rms_norm_eps", 1e-6),
    /** Gemma: as Llama, with norms that scale by one more than the weight, and scaled embeddings. */
    GEMMA("gemma", "model.", "embed_tokens.weight", "lm_head.weight", true, "rms_norm_eps", 1e-6),
    /** BERT: an encoder with layer norms after each block, learned positions and token types. */
    BERT("bert", "", "embeddings.word_embeddings.weight", "", true, "layer_norm_eps", 1e-12);

    private final String modelType;
    private final String prefix;
    private final String embedding;
    private final String head;
    private final boolean tiedByDefault;
    private final String epsilonKey;
    private final double defaultEpsilon;

    TransformerArchitecture(
            String modelType,
            String prefix,
            String embedding,
            String head,
            boolean tiedByDefault,
            String epsilonKey,
            double defaultEpsilon) {
        this.modelType = modelType;
        this.prefix = prefix;
        this.embedding = embedding;
        this.head = head;
        this.tiedByDefault = tiedByDefault;
        this.epsilonKey = epsilonKey;
        this.defaultEpsilon = defaultEpsilon;
    }

    /** {@return the name in configurations, their {@code model_type}: such as "gpt_neox"} */
    public String modelType() {
        return modelType;
    }

    /** {@return what the names of the tensors begin with, except the head's: such as "gpt_neox."; empty for BERT} */
    public String prefix() {
        return prefix;
    }

    /** {@return the name of the token embedding, such as "gpt_neox.embed_in.weight"} */
    public String embedding() {
        return prefix + embedding;
    }

    /**
     * {@return the name of the matrix that makes logits, which is not stored when it is tied to the embedding: such as
     * "embed_out.weight"; empty for an encoder}
     */
    public String head() {
        return head;
    }

    /** {@return whether every token sees all others, and the result is hidden states rather than logits: true for BERT} */
    public boolean isEncoder() {
        return this == BERT;
    }

    /**
     * {@return whether the feed-forward block multiplies an activated gate with a second projection: true for Llama, Qwen2 and
     * Gemma}
     */
    public boolean isGated() {
        return this == LLAMA || this == QWEN2 || this == GEMMA;
    }

    /**
     * {@return whether the matrices of attention and feed-forward block are stored as (in, out) rather than (out, in): true for
     * GPT-2}
     */
    public boolean storesInOut() {
        return this == GPT2;
    }

    boolean tiedByDefault() {
        return tiedByDefault;
    }

    String epsilonKey() {
        return epsilonKey;
    }

    double defaultEpsilon() {
        return defaultEpsilon;
    }

    static Optional<TransformerArchitecture> named(String modelType) {
        return Arrays.stream(values())
                .filter(architecture -> architecture.modelType.equals(modelType))
                .findFirst();
    }

    static String names() {
        return Arrays.stream(values()).map(TransformerArchitecture::modelType).collect(Collectors.joining(", "));
    }
}
