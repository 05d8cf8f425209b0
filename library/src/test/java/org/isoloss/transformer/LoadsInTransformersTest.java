package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointEdit;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Edits of model folders: the output that was predicted before the edit was written is the one the written folder gives,
 * here and in transformers. The latter runs where the environment variable ISOLOSS_PYTHON or the system property
 * isoloss.python names a Python that has torch and transformers, and is skipped elsewhere.
 */
class LoadsInTransformersTest {
    private static final int[] IDS = {11, 3, 42, 7, 5, 60, 1};

    @TempDir
    Path parent;

    /** A model before its edit, the folder after it, and what it should give. */
    private record Edited(Path folder, Matrix before, Matrix predicted) {}

    /** Scales the embedding and the matrices of the second layer's feed-forward block, each rounded as it will be stored. */
    private Edited edit(String name) throws IOException {
        Path source = Models.folder(name);
        Path target = parent.resolve(name);
        try (StoredTransformer stored = StoredTransformer.open(source)) {
            var replaced = new LinkedHashMap<String, Matrix>();
            CheckpointEdit edit = Checkpoint.edit(source);
            for (String parameter : stored.parameters()) {
                boolean block = parameter.contains(".1.")
                        && parameter.endsWith(".weight")
                        && (parameter.contains(".mlp.")
                                || parameter.matches(".*\\d\\.(intermediate|output)\\.dense.*"));
                if (block || parameter.equals(stored.config().architecture().embedding())) {
                    StoredTensor tensor = stored.tensor(parameter);
                    Matrix values = tensor.toMatrix();
                    for (int i = 0; i < values.rows(); i++) {
                        for (int j = 0; j < values.columns(); j++) {
                            values.set(i, j, tensor.type().nearest(values.get(i, j) * (block ? 1.3 : 0.8)));
                        }
                    }
                    replaced.put(parameter, values);
                    edit = edit.with(stored.storedName(parameter), values);
                }
            }
            assertThat(replaced).hasSizeBetween(3, 4);
            edit.saveAs(target);
            Transformer model = Transformer.of(stored, Arithmetic.FLOAT64);
            TokenBatch tokens = TokenBatch.of(IDS);
            return new Edited(
                    target,
                    model.run(tokens).output(),
                    model.with(replaced).run(tokens).output());
        }
    }

    private static double difference(Matrix found, Matrix expected) {
        return found.minus(expected).largestMagnitude() / expected.largestMagnitude();
    }

    @ParameterizedTest
    @MethodSource("org.isoloss.transformer.Models#random")
    void theWrittenFolderGivesWhatWasPredicted(String name) throws IOException {
        Edited edited = edit(name);
        assertThat(difference(edited.before(), edited.predicted()))
                .as("the edit is seen")
                .isGreaterThan(1e-2);
        try (StoredTransformer written = StoredTransformer.open(edited.folder())) {
            Matrix output = Transformer.of(written, Arithmetic.FLOAT64)
                    .run(TokenBatch.of(IDS))
                    .output();
            assertThat(output.entries()).isEqualTo(edited.predicted().entries());
        }
    }

    @Test
    void transformersGivesWhatWasPredicted() throws IOException, InterruptedException {
        Optional<String> python = Optional.ofNullable(System.getProperty("isoloss.python"))
                .or(() -> Optional.ofNullable(System.getenv("ISOLOSS_PYTHON")));
        assumeTrue(
                python.isPresent(),
                "skipped: neither ISOLOSS_PYTHON nor -Disoloss.python names a Python that has transformers");
        var all = new ArrayList<Edited>();
        var request = new ArrayList<List<Object>>();
        for (String name : Models.random()) {
            Edited edited = edit(name);
            all.add(edited);
            request.add(List.of(edited.folder().toString(), IDS));
        }
        List<Matrix> outputs = run(python.orElseThrow(), request);
        for (int i = 0; i < all.size(); i++) {
            Edited edited = all.get(i);
            assertThat(difference(outputs.get(i), edited.predicted()))
                    .as("%s", edited.folder().getFileName())
                    .isLessThan(3e-6);
        }
    }

    private List<Matrix> run(String python, List<List<Object>> request) throws IOException, InterruptedException {
        Path given = parent.resolve("request.json");
        Path got = parent.resolve("result.json");
        JsonMapper.shared().writeValue(given.toFile(), request);
        var builder = new ProcessBuilder(
                        python, Models.folder("run_transformers.py").toString())
                .redirectInput(given.toFile())
                .redirectOutput(got.toFile())
                .redirectError(parent.resolve("errors.txt").toFile());
        builder.environment().putAll(Map.of("HF_HUB_OFFLINE", "1", "TRANSFORMERS_OFFLINE", "1"));
        assertThat(builder.start().waitFor()).as(this::errors).isZero();
        var outputs = new ArrayList<Matrix>();
        for (JsonNode rows : JsonMapper.shared().readTree(got.toFile())) {
            Matrix output = Matrix.zeros(rows.size(), rows.get(0).size());
            for (int i = 0; i < output.rows(); i++) {
                for (int j = 0; j < output.columns(); j++) {
                    output.set(i, j, rows.get(i).get(j).doubleValue());
                }
            }
            outputs.add(output);
        }
        return outputs;
    }

    private String errors() {
        try {
            return Files.readString(parent.resolve("errors.txt"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
