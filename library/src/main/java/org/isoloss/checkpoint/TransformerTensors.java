package org.isoloss.checkpoint;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** The tensors that a transformer must have, by the names under which transformers stores them, and their shapes. */
final class TransformerTensors {
    private final TransformerConfig config;
    private final SequencedMap<String, Shape> shapes = new LinkedHashMap<>();
    private String prefix = "";

    private TransformerTensors(TransformerConfig config) {
        this.config = config;
    }

    static SequencedMap<String, Shape> of(TransformerConfig config) {
        var tensors = new TransformerTensors(config);
        TransformerArchitecture kind = config.architecture();
        tensors.shapes.put(kind.embedding(), Shape.of(config.vocabulary(), config.width()));
        tensors.prefix = kind.prefix();
        switch (kind) {
            case GPT_NEOX -> tensors.gptNeox();
            case GPT2 -> tensors.gpt2();
            case LLAMA, QWEN2, GEMMA -> tensors.llama();
            case BERT -> tensors.bert();
        }
        if (!config.tied() && !kind.isEncoder()) {
            tensors.shapes.put(kind.head(), Shape.of(config.vocabulary(), config.width()));
        }
        return tensors.shapes;
    }

    private void gptNeox() {
        int width = config.width();
        for (int layer = 0; layer < config.layers(); layer++) {
            prefix = "gpt_neox.layers." + layer + ".";
            norm("input_layernorm");
            norm("post_attention_layernorm");
            linear("attention.query_key_value", 3 * width, width, config.queryKeyValueBias());
            linear("attention.dense", width, width, config.attentionOutputBias());
            linear("mlp.dense_h_to_4h", config.feedForwardWidth(), width, true);
            linear("mlp.dense_4h_to_h", width, config.feedForwardWidth(), true);
        }
        prefix = "gpt_neox.";
        norm("final_layer_norm");
    }

    private void gpt2() {
        int width = config.width();
        add("wpe.weight", config.positions(), width);
        for (int layer = 0; layer < config.layers(); layer++) {
            prefix = "transformer.h." + layer + ".";
            norm("ln_1");
            linear("attn.c_attn", 3 * width, width, true);
            linear("attn.c_proj", width, width, true);
            norm("ln_2");
            linear("mlp.c_fc", config.feedForwardWidth(), width, true);
            linear("mlp.c_proj", width, config.feedForwardWidth(), true);
        }
        prefix = "transformer.";
        norm("ln_f");
    }

    private void llama() {
        int width = config.width();
        int queries = config.heads() * config.headSize();
        int keys = config.keyValueHeads() * config.headSize();
        for (int layer = 0; layer < config.layers(); layer++) {
            prefix = "model.layers." + layer + ".";
            add("input_layernorm.weight", width);
            linear("self_attn.q_proj", queries, width, config.queryKeyValueBias());
            linear("self_attn.k_proj", keys, width, config.queryKeyValueBias());
            linear("self_attn.v_proj", keys, width, config.queryKeyValueBias());
            linear("self_attn.o_proj", width, queries, config.attentionOutputBias());
            add("post_attention_layernorm.weight", width);
            linear("mlp.gate_proj", config.feedForwardWidth(), width, config.feedForwardBias());
            linear("mlp.up_proj", config.feedForwardWidth(), width, config.feedForwardBias());
            linear("mlp.down_proj", width, config.feedForwardWidth(), config.feedForwardBias());
        }
        prefix = "model.";
        add("norm.weight", width);
    }

    private void bert() {
        int width = config.width();
        add("embeddings.position_embeddings.weight", config.positions(), width);
        add("embeddings.token_type_embeddings.weight", config.tokenTypes(), width);
        norm("embeddings.LayerNorm");
        for (int layer = 0; layer < config.layers(); layer++) {
            prefix = "encoder.layer." + layer + ".";
            linear("attention.self.query", width, width, true);
            linear("attention.self.key", width, width, true);
            linear("attention.self.value", width, width, true);
            linear("attention.output.dense", width, width, true);
            norm("attention.output.LayerNorm");
            linear("intermediate.dense", config.feedForwardWidth(), width, true);
            linear("output.dense", width, config.feedForwardWidth(), true);
            norm("output.LayerNorm");
        }
    }

    private void norm(String name) {
        add(name + ".weight", config.width());
        add(name + ".bias", config.width());
    }

    private void linear(String name, int out, int in, boolean bias) {
        if (config.architecture().storesInOut()) {
            add(name + ".weight", in, out);
        } else {
            add(name + ".weight", out, in);
        }
        if (bias) {
            add(name + ".bias", out);
        }
    }

    private void add(String name, long... sizes) {
        shapes.put(prefix + name, Shape.of(sizes));
    }
}
