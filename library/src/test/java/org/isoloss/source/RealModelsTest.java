package org.isoloss.source;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.isoloss.checkpoint.RealModels;
import org.isoloss.model.Model;
import org.junit.jupiter.api.Test;

/** A published model, tensor by tensor against an independent reader. */
class RealModelsTest {
    @Test
    void smolLm2InQ4ComesAsTransformersHasIt() throws IOException, NoSuchAlgorithmException {
        List<String> lines;
        try (BufferedReader file = new BufferedReader(new InputStreamReader(
                requireNonNull(getClass().getResourceAsStream("/org/isoloss/checkpoint/smollm2-135m-sha256.csv")),
                StandardCharsets.UTF_8))) {
            lines = file.lines().skip(1).toList();
        }
        try (HuggingFaceFolder opened = HuggingFaceFolder.open(RealModels.require("SmolLM2-135M-Instruct.Q4_1.gguf"))) {
            Model model = opened.model(1, 1);
            assertThat(model.parameters()).hasSize(lines.size());
            for (String line : lines) {
                String[] columns = line.split(",", -1);
                double[] numbers = model.numbers(columns[0]);
                ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
                for (double number : numbers) {
                    bytes.putFloat((float) number);
                }
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes.array());
                assertThat(HexFormat.of().formatHex(digest)).as(columns[0]).isEqualTo(columns[1]);
            }
        }
    }
}
