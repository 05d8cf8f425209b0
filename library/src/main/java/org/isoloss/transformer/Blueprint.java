package org.isoloss.transformer;

import org.isoloss.checkpoint.TransformerArchitecture;
import org.isoloss.checkpoint.TransformerConfig;
import org.jspecify.annotations.Nullable;

/** Finds the parts of a transformer among its parameters, by the names that transformers gives them. */
final class Blueprint {
    private final TransformerConfig config;
    private final Parameters parameters;
    private final TransformerArchitecture kind;

    Blueprint(TransformerConfig config, Parameters parameters) {
        this.config = config;
        this.parameters = parameters;
        this.kind = config.architecture();
    }

    /** Returns the states that enter the first layer. */
    HiddenStates embed(TokenBatch tokens, Arithmetic arithmetic) {
        HiddenStates states = arithmetic.gather(parameters.get(kind.embedding()), tokens.allIds());
        switch (kind) {
            case GPT2 -> states.add(arithmetic.gather(parameters.get("transformer.wpe.weight"), tokens.allPositions()));
            case GEMMA -> states.scale(config.embeddingScale());
            case BERT -> {
                Parameter positions = parameters.get("embeddings.position_embeddings.weight");
                Parameter types = parameters.get("embeddings.token_type_embeddings.weight");
                states.add(arithmetic.gather(types, tokens.allTypes()));
                states.add(arithmetic.gather(positions, tokens.allPositions()));
                return states.normalized(layerNorm("embeddings.LayerNorm"));
            }
            case GPT_NEOX, LLAMA, QWEN2 -> {}
        }
        return states;
    }

    Layer layer(int layer) {
        return switch (kind) {
            case GPT_NEOX -> gptNeox("gpt_neox.layers." + layer + ".");
            case GPT2 -> gpt2("transformer.h." + layer + ".");
            case LLAMA, QWEN2, GEMMA -> llama("model.layers." + layer + ".");
            case BERT -> bert("encoder.layer." + layer + ".");
        };
    }

    /** Returns the norm before the logits; null for an encoder, whose last layer ends with one. */
    @Nullable
    Normalization finalNorm() {
        return switch (kind) {
            case GPT_NEOX -> layerNorm("gpt_neox.final_layer_norm");
            case GPT2 -> layerNorm("transformer.ln_f");
            case LLAMA, QWEN2, GEMMA -> rootMeanSquareNorm("model.norm");
            case BERT -> null;
        };
    }

    /** Returns what makes logits, the embedding where it is tied. */
    Projection head() {
        String weight = config.tied() ? kind.embedding() : kind.head();
        return parameters.projection(weight.substring(0, weight.length() - ".weight".length()), false);
    }

    private Layer gptNeox(String layer) {
        return new Layer(
                config,
                new Attention.Joint(
                        projection(layer + "attention.query_key_value"), true, projection(layer + "attention.dense")),
                twoLayer(layer + "mlp.dense_h_to_4h", layer + "mlp.dense_4h_to_h"),
                layerNorm(layer + "input_layernorm"),
                layerNorm(layer + "post_attention_layernorm"));
    }

    private Layer gpt2(String layer) {
        return new Layer(
                config,
                new Attention.Joint(projection(layer + "attn.c_attn"), false, projection(layer + "attn.c_proj")),
                twoLayer(layer + "mlp.c_fc", layer + "mlp.c_proj"),
                layerNorm(layer + "ln_1"),
                layerNorm(layer + "ln_2"));
    }

    private Layer llama(String layer) {
        return new Layer(
                config,
                new Attention.Separate(
                        projection(layer + "self_attn.q_proj"),
                        projection(layer + "self_attn.k_proj"),
                        projection(layer + "self_attn.v_proj"),
                        projection(layer + "self_attn.o_proj")),
                new FeedForward.Gated(
                        config.activation(),
                        projection(layer + "mlp.gate_proj"),
                        projection(layer + "mlp.up_proj"),
                        projection(layer + "mlp.down_proj")),
                rootMeanSquareNorm(layer + "input_layernorm"),
                rootMeanSquareNorm(layer + "post_attention_layernorm"));
    }

    private Layer bert(String layer) {
        return new Layer(
                config,
                new Attention.Separate(
                        projection(layer + "attention.self.query"),
                        projection(layer + "attention.self.key"),
                        projection(layer + "attention.self.value"),
                        projection(layer + "attention.output.dense")),
                twoLayer(layer + "intermediate.dense", layer + "output.dense"),
                layerNorm(layer + "attention.output.LayerNorm"),
                layerNorm(layer + "output.LayerNorm"));
    }

    private FeedForward twoLayer(String first, String second) {
        return new FeedForward.TwoLayer(config.activation(), projection(first), projection(second));
    }

    private Projection projection(String module) {
        return parameters.projection(module, kind.storesInOut());
    }

    private Normalization layerNorm(String module) {
        return new Normalization(
                parameters.get(module + ".weight"), parameters.get(module + ".bias"), 0, config.epsilon());
    }

    private Normalization rootMeanSquareNorm(String module) {
        double offset = kind == TransformerArchitecture.GEMMA ? 1 : 0;
        return new Normalization(parameters.get(module + ".weight"), null, offset, config.epsilon());
    }
}
