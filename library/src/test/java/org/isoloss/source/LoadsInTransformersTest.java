package org.isoloss.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.model.Model;
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
    private static final List<String> EMBEDDINGS =
            List.of("embed_in.weight", "wte.weight", "embed_tokens.weight", "word_embeddings.weight");
    private static final int[] IDS = {11, 3, 42, 7, 5, 60, 1};

    @TempDir
    Path parent;

    /** A model before its edit, the folder after it, and what it should give. */
    private record Edited(Path folder, Matrix before, Matrix predicted) {}

    /** Scales the embedding and the matrices of the second layer's feed-forward block, each rounded as it will be stored. */
    private Edited edit(String name) throws IOException {
        Path source = Models.folder(name);
        Path target = parent.resolve(name);
        try (HuggingFaceFolder stored = HuggingFaceFolder.open(source)) {
            Model model = stored.model(1, IDS.length);
            Map<String, double[]> replaced = new LinkedHashMap<>();
            for (String parameter : model.parameters().keySet()) {
                boolean block = parameter.contains(".1.")
                        && parameter.endsWith(".weight")
                        && (parameter.contains(".mlp.")
                                || parameter.matches(".*\\d\\.(intermediate|output)\\.dense.*"));
                if (block || EMBEDDINGS.stream().anyMatch(parameter::endsWith)) {
                    StoredTensor tensor = stored.weights().tensor(parameter);
                    double[] values = tensor.toDoubles();
                    Arrays.setAll(values, i -> tensor.type().nearest(values[i] * (block ? 1.3 : 0.8)));
                    replaced.put(parameter, values);
                }
            }
            assertThat(replaced).hasSizeBetween(3, 4);
            Checkpoint.edit(source).with(replaced).saveAs(target);
            return new Edited(target, output(model), output(model.with(replaced)));
        }
    }

    /** One token a row. */
    private static Matrix output(Model model) {
        double[] ids = Arrays.stream(IDS).asDoubleStream().toArray();
        double[] numbers = model.run(Precision.FLOAT64, Map.of("input_ids", ids))
                .firstEntry()
                .getValue();
        return Matrix.over(IDS.length, numbers.length / IDS.length, numbers);
    }

    private static double difference(Matrix found, Matrix expected) {
        return found.minus(expected).largestMagnitude() / expected.largestMagnitude();
    }

    @ParameterizedTest
    @MethodSource("org.isoloss.source.Models#random")
    void theWrittenFolderGivesWhatWasPredicted(String name) throws IOException {
        Edited edited = edit(name);
        assertThat(difference(edited.before(), edited.predicted()))
                .as("the edit is seen")
                .isGreaterThan(1e-2);
        try (HuggingFaceFolder written = HuggingFaceFolder.open(edited.folder())) {
            assertThat(output(written.model(1, IDS.length)).entries())
                    .isEqualTo(edited.predicted().entries());
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
