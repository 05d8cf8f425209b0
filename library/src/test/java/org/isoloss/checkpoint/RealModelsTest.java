package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Published models, tensor by tensor against independent readers. */
class RealModelsTest {
    @Test
    void smolLm2InQ4ComesAsTransformersHasIt() throws IOException {
        try (StoredTransformer model = StoredTransformer.open(RealModels.require("SmolLM2-135M-Instruct.Q4_1.gguf"))) {
            assertThat(model.config())
                    .isEqualTo(new TransformerConfig(
                            TransformerArchitecture.LLAMA,
                            49152,
                            8192,
                            0,
                            576,
                            1536,
                            30,
                            9,
                            3,
                            64,
                            64,
                            100_000,
                            1e-5f,
                            Activation.SILU,
                            true,
                            false,
                            false,
                            false,
                            false));
            assertThat(model.parameters()).hasSize(272);
            TensorHashes.requireSame(model, "smollm2-135m-sha256.csv");
        }
    }

    @ParameterizedTest
    @CsvSource({"all-minilm-l6-v2, 6", "e5-small-v2, 12", "bge-small-en-v1.5, 12"})
    void encodersAsOnnxComeAsTransformersHasThem(String name, int layers) throws IOException {
        try (StoredTransformer model = StoredTransformer.open(RealModels.require(name + ".onnx"))) {
            assertThat(model.config())
                    .isEqualTo(new TransformerConfig(
                            TransformerArchitecture.BERT,
                            30522,
                            512,
                            2,
                            384,
                            1536,
                            layers,
                            12,
                            12,
                            32,
                            0,
                            0,
                            1e-12f,
                            Activation.GELU,
                            false,
                            false,
                            true,
                            true,
                            true));
            assertThat(model.weights().metadata()).containsEntry("producer_name", "pytorch");
            assertThat(model.storedName("encoder.layer.0.intermediate.dense.weight"))
                    .startsWith("onnx::MatMul_");
            TensorHashes.requireSame(model, name + "-sha256.csv");
        }
    }

    @Test
    void aQuantisedEncoderIsRefused() {
        Path file = RealModels.require("all-minilm-l6-v2-q.onnx");
        assertThatThrownBy(() -> StoredTransformer.open(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(file + ": holds a quantised model (node ")
                .hasMessageEndingWith("), whose weights are rounded to 8 bits; take the float32 model");
    }
}
