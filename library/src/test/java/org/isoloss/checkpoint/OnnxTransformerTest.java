package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.isoloss.network.Activation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxTransformerTest {
    private static final TransformerConfig CONFIG = new TransformerConfig(
            TransformerArchitecture.BERT,
            7,
            5,
            2,
            6,
            10,
            2,
            3,
            3,
            2,
            0,
            0,
            1e-12f,
            Activation.GELU,
            false,
            false,
            true,
            true,
            true);

    @TempDir
    Path folder;

    private Path write(OnnxExport export) throws IOException {
        return Files.write(folder.resolve("model.onnx"), export.bytes());
    }

    private void requireWhole(OnnxExport export, TransformerConfig config) throws IOException {
        try (StoredTransformer model = StoredTransformer.open(write(export))) {
            assertThat(model.config()).isEqualTo(config);
            assertThat(model.parameters()).containsExactlyInAnyOrderElementsOf(export.expected.keySet());
            for (String name : model.parameters()) {
                assertThat(model.tensor(name).toFloats()).as(name).isEqualTo(export.expected.get(name));
            }
        }
    }

    @Test
    void findsEveryWeightThroughTheNodeThatUsesIt() throws IOException {
        var export = new OnnxExport();
        requireWhole(export, CONFIG);
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            assertThat(model.storedName("encoder.layer.1.output.dense.weight")).startsWith("onnx::MatMul_");
            assertThat(model.tensor("encoder.layer.1.output.dense.weight").shape())
                    .isEqualTo(Shape.of(6, 10));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void otherWaysToOnnxExportGiveTheSameModel(int way) throws IOException {
        var export = new OnnxExport();
        export.prefix = way == 0 ? "0.auto_model." : "";
        export.wholeNorms = way == 1;
        export.gemm = way == 2;
        export.joinedShape = way != 3;
        export.namedBiases = way != 4;
        requireWhole(export, CONFIG);
    }

    @ParameterizedTest
    @CsvSource({"Erf, GELU", "Gelu, GELU", "Tanh, GELU_TANH", "Relu, RELU"})
    void readsTheActivation(String operation, Activation activation) throws IOException {
        var export = new OnnxExport();
        export.activation = operation;
        try (StoredTransformer model = StoredTransformer.open(write(export))) {
            assertThat(model.config().activation()).isEqualTo(activation);
        }
    }

    @Test
    void readsEpsilonAndHeads() throws IOException {
        var export = new OnnxExport();
        export.epsilon = 1e-5f;
        export.heads = 2;
        try (StoredTransformer model = StoredTransformer.open(write(export))) {
            assertThat(model.config().epsilon()).isEqualTo(1e-5f);
            assertThat(model.config().heads()).isEqualTo(2);
            assertThat(model.config().headSize()).isEqualTo(3);
        }
    }

    private void requireRefused(Consumer<OnnxExport> change, String problem) throws IOException {
        var export = new OnnxExport();
        change.accept(export);
        Path file = write(export);
        assertThatThrownBy(() -> StoredTransformer.open(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": " + problem);
    }

    @Test
    void refusesWhatItCannotReadAsAnEncoder() throws IOException {
        requireRefused(
                export -> export.graph.node("MatMulInteger", "/q", List.of("a", "b"), "c"),
                "holds a quantised model (node '/q' (MatMulInteger)), whose weights are rounded to 8 bits; take the"
                        + " float32 model");
        requireRefused(
                export -> export.graph.node("DynamicQuantizeLinear", "", List.of("a"), "c"),
                "holds a quantised model (node 'c' (DynamicQuantizeLinear)), whose weights are rounded to 8 bits; take"
                        + " the float32 model");
        requireRefused(
                export -> export.graph.rawNode(OnnxBytes.message(fields -> {
                    fields.writeString(3, "/fused");
                    fields.writeString(4, "Attention");
                    fields.writeString(7, "com.microsoft");
                })),
                "holds node '/fused' (Attention) of 'com.microsoft', as optimised models do; export it again without"
                        + " optimisation");
        requireRefused(
                export -> export.graph.node("CumSum", "/c", List.of("a"), "c"),
                "node '/c' (CumSum) counts positions as RoBERTa does, which is not computed here, expected a BERT"
                        + " encoder");
        requireRefused(
                export -> export.activation = "Sigmoid",
                "the activation of layer 0 is made of [Sigmoid], expected GELU (Erf, Tanh or Gelu) or Relu");
        requireRefused(
                export -> export.heads = 4,
                "the queries of layer 0 are not brought into heads by a Reshape to (sequences, tokens, heads, size) of"
                        + " constants");
        requireRefused(export -> export.epsilon = 0, "epsilon is 0.0, expected a finite number above 0");
        requireRefused(
                export -> export.named("other.embeddings.word_embeddings.weight", 1, 6),
                "holds 2 initialisers 'embeddings.word_embeddings.weight', expected 1, as an exported BERT encoder has;"
                        + " its tensors can be read one by one");
        requireRefused(
                export -> export.linear("encoder.layer.1.output.dense", 6, 10, "x"),
                "the graph has initialiser 'encoder.layer.1.output.dense.bias' twice");
        Path other = Files.write(
                folder.resolve("other.onnx"),
                new OnnxBytes().weights("fc.weight", new float[4], 2, 2).bytes());
        assertThatThrownBy(() -> StoredTransformer.open(other))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(other + ": holds 0 initialisers 'embeddings.word_embeddings.weight', expected 1, as an"
                        + " exported BERT encoder has; its tensors can be read one by one");
        Path distilled = Files.write(
                folder.resolve("distilled.onnx"),
                new OnnxBytes()
                        .weights("embeddings.word_embeddings.weight", new float[4], 2, 2)
                        .bytes());
        assertThatThrownBy(() -> StoredTransformer.open(distilled))
                .hasMessage(distilled + ": no node uses the weight of layer 'encoder.layer.0.attention.self.query',"
                        + " expected an exported BERT encoder");
    }

    @Test
    void refusesLayersThatDiffer() throws IOException {
        var export = new OnnxExport();
        byte[] whole = export.bytes();
        // one epsilon of five is another: the constant of the last norm stands after all others
        byte[] small = OnnxBytes.raw(1e-12f);
        byte[] large = OnnxBytes.raw(1e-5f);
        for (int at = whole.length - 4; at >= 0; at--) {
            if (Arrays.equals(whole, at, at + 4, small, 0, 4)) {
                System.arraycopy(large, 0, whole, at, 4);
                break;
            }
        }
        Path file = Files.write(folder.resolve("model.onnx"), whole);
        assertThatThrownBy(() -> StoredTransformer.open(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": layer 1 differs from the first in its heads, its activation or its epsilon");
    }
}
