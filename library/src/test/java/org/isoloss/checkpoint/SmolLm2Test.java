package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;

/** SmolLM2-135M-Instruct in Q4_1: every weight as two independent readers have it. */
class SmolLm2Test {
    private static final String MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf";

    @Test
    void everyTensorHasTheHashOfIndependentReaders() throws IOException, NoSuchAlgorithmException {
        List<String> lines = Files.readAllLines(Resources.path("smollm2-135m-sha256.csv"), StandardCharsets.UTF_8);
        try (StoredTransformer model = StoredTransformer.open(RealModels.require(MODEL))) {
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
            assertThat(model.parameters()).hasSize(272).hasSize(lines.size() - 1);
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String line : lines.subList(1, lines.size())) {
                String[] columns = line.split(",", -1);
                StoredTensor tensor = model.tensor(columns[0]);
                assertThat(tensor.type()).isEqualTo(ElementType.F32);
                digest.update(tensor.bytes().asByteBuffer());
                assertThat(HexFormat.of().formatHex(digest.digest()))
                        .as(columns[0])
                        .isEqualTo(columns[1]);
            }
        }
    }
}
