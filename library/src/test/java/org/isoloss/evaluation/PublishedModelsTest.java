package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.RealModels;
import org.isoloss.linalg.Matrix;
import org.isoloss.source.Models;
import org.isoloss.source.StoredModel.Reading;
import org.isoloss.task.DataSource;
import org.isoloss.task.ModelBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Published models, read from GGUF and ONNX and run, against the numbers of other programs. */
class PublishedModelsTest {
    @Test
    void smolLm2MeetsAFloat64PassOfNumpy() throws IOException {
        Parity parity = Parity.measure(
                RealModels.require("SmolLM2-135M-Instruct.Q4_1.gguf"),
                Reading.PLAIN,
                GoldenFile.read(Models.folder("smollm2-135m.json")));
        assertThat(parity.places()).hasSize(6).allSatisfy(place -> {
            assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(1e-12);
            // the first 64 of 49152 logits or 576 and more columns: the largest number of the tensor is elsewhere
            assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(1e-5);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"all-minilm-l6-v2", "e5-small-v2", "bge-small-en-v1.5"})
    void encodersMeetOnnxRuntime(String name) throws IOException {
        Parity parity = Parity.measure(
                RealModels.require(name + ".onnx"), Reading.PLAIN, GoldenFile.read(Models.folder(name + ".json")));
        assertThat(parity.places()).hasSize(2).allSatisfy(place -> {
            // the golden numbers are float32, rounded on the way, so both precisions differ from them
            assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(5e-6);
            assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(5e-6);
        });
    }

    /** Other texts, of which the golden file has four columns and the norm of each row. */
    @ParameterizedTest
    @ValueSource(strings = {"all-minilm-l6-v2", "e5-small-v2", "bge-small-en-v1.5"})
    void encodersMeetTheFirstColumnsAndNormsOfOnnxRuntime(String name) throws IOException {
        JsonNode cases = JsonMapper.shared()
                .readTree(Files.readString(Models.folder("encoders-first4.json")))
                .get(name);
        assertThat(cases).hasSize(2);
        for (JsonNode golden : cases) {
            try (ModelBatch batch =
                    ModelBatch.read(RealModels.require(name + ".onnx"), DataSource.text(ids(golden)), Path.of(""))) {
                for (Precision precision : Precision.values()) {
                    // what comes after the hidden states, such as their mean, is not in the golden file
                    Matrix output = batch.computed()
                            .rows(batch.model().outputs().firstEntry().getKey(), precision);
                    for (int token = 0; token < output.rows(); token++) {
                        double norm = golden.get("l2").get(token).asDouble();
                        assertThat(output.rows(token, token + 1).frobeniusNorm())
                                .isCloseTo(norm, offset(5e-6 * norm));
                        JsonNode columns = golden.get("first4").get(token);
                        for (int column = 0; column < columns.size(); column++) {
                            assertThat(output.get(token, column))
                                    .as("%s, %s, token %d, column %d", name, precision, token, column)
                                    .isCloseTo(columns.get(column).asDouble(), offset(5e-6 * norm));
                        }
                    }
                }
            }
        }
    }

    private static List<Integer> ids(JsonNode golden) {
        JsonNode ids = golden.get("input_ids");
        return IntStream.range(0, ids.size())
                .mapToObj(index -> ids.get(index).asInt())
                .toList();
    }
}
