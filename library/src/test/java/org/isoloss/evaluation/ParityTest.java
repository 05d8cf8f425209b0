package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.isoloss.source.Models;
import org.isoloss.source.StoredModel.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParityTest {
    @ParameterizedTest
    @MethodSource("org.isoloss.source.Models#all")
    void meetsTheNumbersOfTransformers(String model) throws IOException {
        Parity parity = Parity.measure(Models.folder(model), Reading.PLAIN, GoldenFile.read(Models.golden(model)));
        assertThat(parity.places()).hasSizeGreaterThan(4).allSatisfy(place -> {
            assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(1e-12);
            assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(3e-6);
        });
        assertThat(parity.firstDeparture()).isEmpty();
    }

    /** As PyTorch's exporters write it today, with epsilons and factors rounded to float32, which float64 shows. */
    @ParameterizedTest
    @ValueSource(
            strings = {"script-sdpa-gelu", "script-eager-tanh-pooled", "dynamo-sdpa-tanh", "dynamo-eager-relu-pooled"})
    void anExportedEncoderMeetsItsOwnNumbersAndThoseOfTransformers(String export) throws IOException {
        Path file = Models.folder("onnx").resolve(export + ".onnx");
        Parity own = Parity.measure(file, Reading.PLAIN, GoldenFile.read(file.resolveSibling(export + ".file.json")));
        assertThat(own.places()).hasSize(1).allSatisfy(place -> {
            assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(1e-12);
            assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(3e-6);
        });
        Parity theirs = Parity.measure(file, Reading.PLAIN, GoldenFile.read(file.resolveSibling(export + ".json")));
        assertThat(theirs.places()).hasSize(1).allSatisfy(place -> {
            assertThat(place.float64()).as("%s", place).isLessThanOrEqualTo(5e-9);
            assertThat(place.float32()).as("%s", place).isLessThanOrEqualTo(3e-6);
        });
    }

    @Test
    void namesTheFirstDeparture() {
        var fine = new Parity.Place("a", Parity.Kind.FEED_FORWARD_INPUT, 0, 1e-15, 1e-7);
        var later = new Parity.Place("a", Parity.Kind.OUTPUT, 4, 1e-3, 1e-3);
        var single = new Parity.Place("b", Parity.Kind.FEED_FORWARD_OUTPUT, 2, 1e-15, 4e-6);
        var infinite = new Parity.Place("b", Parity.Kind.FEED_FORWARD_INPUT, 3, Double.POSITIVE_INFINITY, 0);
        assertThat(new Parity(List.of(fine), List.of()).firstDeparture()).isEmpty();
        assertThat(new Parity(List.of(later, fine, infinite, single), List.of()).firstDeparture())
                .contains(single);
        assertThat(infinite.departs()).isTrue();
    }

    @Test
    void refusesOtherShapesAndCountsNanAsDeparting() {
        Matrix one = Matrix.of(1, 2, 1, 4);
        assertThat(Parity.difference("x", Matrix.of(1, 3, 1, 3, 9), one))
                .as("only the columns that are golden")
                .isEqualTo(0.25);
        assertThat(Parity.difference("x", Matrix.of(1, 2, Double.NaN, 4), one)).isInfinite();
        assertThatThrownBy(() -> Parity.difference("x", one, Matrix.zeros(1, 3)))
                .hasMessage("x: the golden numbers have shape (1, 3), the model gives (1, 2)");
        assertThatThrownBy(() -> Parity.difference("x", Matrix.zeros(2, 2), one))
                .hasMessage("x: the golden numbers have shape (1, 2), the model gives (2, 2)");
    }

    @Test
    void numbersOfALayerThatIsNotKnownAreNamed() throws IOException {
        Path file = Models.folder("onnx").resolve("dynamo-sdpa-tanh.onnx");
        List<GoldenCase> cases = GoldenFile.read(file.resolveSibling("dynamo-sdpa-tanh.json"));
        GoldenCase first = cases.getFirst();
        var layered = new GoldenCase(first.name(), first.inputs(), List.of(1), first.expected());
        assertThatThrownBy(() -> Parity.measure(file, Reading.PLAIN, List.of(layered)))
                .hasMessage(
                        "case '%s' has numbers of layer 1, but the model has 0 feed-forward blocks that are known, counted from 0",
                        first.name());
    }
}
