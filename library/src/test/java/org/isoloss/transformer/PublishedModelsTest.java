package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.isoloss.checkpoint.RealModels;
import org.isoloss.checkpoint.StoredTransformer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Published models, read from GGUF and ONNX and run, against the numbers of other programs. */
class PublishedModelsTest {
    @Test
    void smolLm2MeetsAFloat64PassOfNumpy() throws IOException {
        try (StoredTransformer model = StoredTransformer.open(RealModels.require("SmolLM2-135M-Instruct.Q4_1.gguf"))) {
            Parity parity = Parity.measure(model, GoldenFile.read(Models.folder("smollm2-135m.json")));
            assertThat(parity.places()).hasSize(6).allSatisfy(place -> {
                assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(1e-12);
                // the first 64 of 49152 logits or 576 and more columns: the largest number of the tensor is elsewhere
                assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(1e-5);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"all-minilm-l6-v2", "e5-small-v2", "bge-small-en-v1.5"})
    void encodersMeetOnnxRuntime(String name) throws IOException {
        try (StoredTransformer model = StoredTransformer.open(RealModels.require(name + ".onnx"))) {
            Parity parity = Parity.measure(model, GoldenFile.read(Models.folder(name + ".json")));
            assertThat(parity.places()).hasSize(2).allSatisfy(place -> {
                // the golden numbers are float32, rounded on the way, so both precisions differ from them
                assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(5e-6);
                assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(5e-6);
            });
        }
    }
}
