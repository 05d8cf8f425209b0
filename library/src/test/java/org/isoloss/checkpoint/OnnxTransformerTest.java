package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        Files.writeString(folder.resolve("config.json"), "{}"); // the graph says what it is, not what lies beside it
        try (StoredTransformer model = StoredTransformer.open(folder)) {
            assertThat(model.storedName("encoder.layer.1.output.dense.weight")).startsWith("onnx::MatMul_");
            assertThat(model.tensor("encoder.layer.1.output.dense.weight").shape())
                    .isEqualTo(Shape.of(6, 10));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void otherWaysToOnnxExportGiveTheSameModel(int way) throws IOException {
        var export = new OnnxExport();
        export.prefix = way == 0 ? "0.auto_model." : "";
        export.wholeNorms = way == 1;
        export.gemm = way == 2;
        export.joinedShape = way != 3;
        export.namedBiases = way != 4;
        export.turned = way == 5;
        export.safeSoftmax = way == 6;
        export.mask = way == 7 ? "none" : "padding";
        requireWhole(export, CONFIG);
    }

    @Test
    void factorsOfQueriesAndKeysAreOneScale() throws IOException {
        var export = new OnnxExport();
        export.scale = 0.5f;
        export.placeOfChange = "queries";
        export.change = (place, value) -> export.node("Mul", export.constant(0.5f), value);
        requireWhole(export, CONFIG);
    }

    @Test
    void whatOnlyTrainingChangesIsPassedOver() throws IOException {
        for (String place : OnnxExport.PLACES) {
            var export = new OnnxExport();
            export.placeOfChange = place;
            export.change = (name, value) -> export.node("Dropout", value);
            requireWhole(export, CONFIG);
        }
    }

    /** Puts an operation into one place after the other; each changes the numbers, so none may be passed over. */
    @ParameterizedTest
    @ValueSource(strings = {"twice", "shifted", "weighted", "Relu", "Tanh", "rounded", "turned", "training"})
    void anOperationBetweenThePiecesIsRefused(String kind) throws IOException {
        for (String place : OnnxExport.PLACES) {
            var export = new OnnxExport();
            export.placeOfChange = place;
            export.change = (name, value) -> switch (kind) {
                case "twice" -> export.node("Mul", value, export.constant(2));
                case "shifted" -> export.node("Add", export.constant(0.25f), value);
                case "weighted" -> {
                    export.graph.weights(name, new float[] {1, 2, 3, 4, 5, 6}, 6);
                    yield export.node("Mul", name, value);
                }
                case "rounded" -> {
                    export.graph.node(
                            "Cast",
                            name,
                            List.of(value),
                            name,
                            OnnxBytes.attribute("to", fields -> fields.writeInt64(3, 10)));
                    yield name;
                }
                case "turned" -> export.node("Reshape", export.node("Transpose", value), export.node("Shape", value));
                case "training" -> {
                    export.graph.constant(name, OnnxBytes.wholes("", 1));
                    yield export.node("Dropout", value, "", name);
                }
                default -> export.node(kind, value);
            };
            Path file = write(export);
            assertThatThrownBy(() -> StoredTransformer.open(file))
                    .as("%s at %s", kind, place)
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessageStartingWith(file + ": ")
                    .hasMessageContaining("expected")
                    .message()
                    .doesNotContain("\n");
        }
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

    @Test
    void headsThatReadTheHiddenStatesAreLeftAside() throws IOException {
        var whole = new OnnxExport();
        whole.head = (name, hidden) -> {
            whole.graph
                    .weights("pooler.dense.weight", new float[36], 6, 6)
                    .weights("pooler.dense.bias", new float[6], 6)
                    .node("Gemm", "", List.of(hidden, "pooler.dense.weight", "pooler.dense.bias"), "pooled")
                    .output("pooled");
            return hidden;
        };
        requireWhole(whole, CONFIG);
        requireRefused(
                other -> other.head = (name, hidden) -> {
                    other.graph
                            .weights("adapter.weight", new float[36], 6, 6)
                            .node("MatMul", "/adapter", List.of(hidden, "adapter.weight"), "adapted")
                            .output("adapted");
                    return hidden;
                },
                "tensor 'adapter.weight' (node '/adapter' (MatMul) reads it) is not used by a bert of 2 layers; it looks"
                        + " like a low-rank adapter: merge it into its base model first (merge_and_unload)");
        requireRefused(
                other -> other.head = (name, hidden) -> other.node("Mul", hidden, other.constant(2)),
                "no output is the norm of a last layer, expected an encoder exported alone, as for feature extraction:"
                        + " 'last_hidden_state' is node '/Mul895' (Mul) of 'Add893', 'constant894'");
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
                "'Sigmoid866' is node '/Sigmoid866' (Sigmoid) of '/encoder/layer.1/intermediate/dense/Add_output_0', expected"
                        + " GELU, its approximation by tanh, or ReLU of the first projection of the last layer");
        requireRefused(
                export -> export.activation = "half Erf",
                "'Mul876' is node '/Mul876' (Mul) of '/encoder/layer.1/intermediate/dense/Add_output_0', 'Add875', expected GELU,"
                        + " its approximation by tanh, or ReLU of the first projection of the last layer");
        requireRefused(
                export -> export.heads = 4,
                "'Transpose827' is node '/Transpose827' (Transpose) of 'Reshape826', expected queries in the shape (texts, heads,"
                        + " tokens, size) of the last layer");
        requireRefused(export -> export.epsilon = 0, "epsilon is 0.0, expected a finite number above 0");
        requireRefused(
                export -> export.named("other.embeddings.word_embeddings.weight", 1, 6),
                "tensor 'other.embeddings.word_embeddings.weight' (no node reads it) is not used by a bert of 2 layers; it"
                        + " looks like nothing that is known here, of shape (1, 6): take it out of the file if the model"
                        + " does without it");
        Path other = Files.write(
                folder.resolve("other.onnx"),
                new OnnxBytes().weights("fc.weight", new float[4], 2, 2).bytes());
        assertThatThrownBy(() -> StoredTransformer.open(other))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(
                        other + ": holds no initialiser 'embeddings.position_embeddings.weight', as an exported BERT"
                                + " encoder has; its tensors can be read one by one");
        requireRefused(
                export -> export.layers = 0,
                "has no layer between the embeddings and its output, expected an exported BERT encoder");
    }

    @Test
    void refusesWhatChangesTheAttention() throws IOException {
        requireRefused(
                export -> export.mask = "causal",
                "node '/Add862' (Add) adds -3.00e+38 to the score of token 1 for token 0 in the attention of the last layer,"
                        + " expected 0: only the mask of padding is computed here; it looks like the causal mask of a"
                        + " decoder");
        requireRefused(
                export -> export.mask = "distance",
                "node '/Add860' (Add) adds -1.00 to the score of token 1 for token 0 in the attention of the last layer, expected"
                        + " 0: only the mask of padding is computed here");
        requireRefused(
                export -> export.mask = "constant",
                "node '/Add853' (Add) adds -1.00 to the score of token 1 for token 0 in the attention of the last layer, expected"
                        + " 0: only the mask of padding is computed here");
        requireRefused(
                export -> export.scale = 2,
                "the attention of the last layer scales scores by 0.3535533966440824, values by 1.0 and what comes out by 1.0,"
                        + " expected 1/sqrt(2), 1 and 1");
    }

    @Test
    void followsOrRefusesTheAttributesOfGemm() throws IOException {
        requireRefused(
                export -> {
                    export.gemm = true;
                    export.gemmAlpha = 2;
                },
                "node '/encoder/layer.1/output/dense/Gemm' (Gemm) has alpha 2.0, which is not computed here, expected 1");
        requireRefused(
                export -> {
                    export.gemm = true;
                    export.gemmBeta = 0.5f;
                },
                "node '/encoder/layer.1/output/dense/Gemm' (Gemm) has beta 0.5, which is not computed here, expected 1");
    }

    @Test
    void refusesLayersThatDiffer() throws IOException {
        requireRefused(
                export -> export.lastEpsilon = 1e-5f,
                "layer 1 differs from the first in its heads, its activation or its epsilon");
    }
}
