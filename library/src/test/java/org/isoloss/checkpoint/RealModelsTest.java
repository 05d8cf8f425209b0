package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

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
}
