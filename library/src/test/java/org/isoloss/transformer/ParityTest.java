package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.checkpoint.StoredTransformer;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParityTest {
    @ParameterizedTest
    @MethodSource("org.isoloss.transformer.Models#all")
    void meetsTheNumbersOfTransformers(String model) throws IOException {
        try (StoredTransformer stored = StoredTransformer.open(Models.folder(model))) {
            Parity parity = Parity.measure(stored, GoldenFile.read(Models.golden(model)));
            assertThat(parity.places()).isNotEmpty().allSatisfy(place -> {
                assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(1e-12);
                assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(3e-6);
            });
            assertThat(parity.firstDeparture()).isEmpty();
        }
    }

    /** As PyTorch's exporters write it today; positions in a graph, not names, tell what its weights are. */
    @ParameterizedTest
    @ValueSource(
            strings = {"script-sdpa-gelu", "script-eager-tanh-pooled", "dynamo-sdpa-tanh", "dynamo-eager-relu-pooled"})
    void anExportedEncoderMeetsTheNumbersOfTransformers(String export) throws IOException {
        Path file = Models.folder("onnx").resolve(export + ".onnx");
        try (StoredTransformer stored = StoredTransformer.open(file)) {
            Parity parity = Parity.measure(stored, GoldenFile.read(file.resolveSibling(export + ".json")));
            assertThat(parity.places()).hasSize(1).allSatisfy(place -> {
                assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(1e-12);
                assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(3e-6);
            });
        }
    }

    @Test
    void namesTheFirstDeparture() {
        var fine = new Parity.Place("a", Parity.Kind.FEED_FORWARD_INPUT, 0, 1e-15, 1e-7);
        var later = new Parity.Place("a", Parity.Kind.OUTPUT, 4, 1e-3, 1e-3);
        var single = new Parity.Place("b", Parity.Kind.FEED_FORWARD_OUTPUT, 2, 1e-15, 4e-6);
        var infinite = new Parity.Place("b", Parity.Kind.FEED_FORWARD_INPUT, 3, Double.POSITIVE_INFINITY, 0);
        assertThat(new Parity(List.of(fine)).firstDeparture()).isEmpty();
        assertThat(new Parity(List.of(later, fine, infinite, single)).firstDeparture())
                .contains(single);
        assertThat(infinite.departs()).isTrue();
    }

    @Test
    void refusesOtherShapesAndCountsNanAsDeparting() {
        Matrix one = Matrix.of(1, 2, 1, 4);
        assertThat(Parity.difference("x", List.of(Matrix.of(1, 3, 1, 3, 9)), List.of(one)))
                .as("only the columns that are golden")
                .isEqualTo(0.25);
        assertThat(Parity.difference("x", List.of(Matrix.of(1, 2, Double.NaN, 4)), List.of(one)))
                .isInfinite();
        assertThatThrownBy(() -> Parity.difference("x", List.of(one), List.of(Matrix.zeros(1, 3))))
                .hasMessage("x: the golden numbers have shape (1, 3), the model gives (1, 2)");
        assertThatThrownBy(() -> Parity.difference("x", List.of(one, one), List.of(one)))
                .hasMessage("x: 1 sequences are expected, but 2 were run");
    }
}
