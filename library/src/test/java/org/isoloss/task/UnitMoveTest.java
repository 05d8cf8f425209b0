package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.isoloss.network.ParameterLayout;
import org.isoloss.task.UnitMove.Part;
import org.isoloss.task.UnitMove.Place;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UnitMoveTest {
    private final SplittableRandom random = new SplittableRandom(5);
    private final DenseNetwork network = Networks.random(random, Activation.GELU, true, 3, 7, 6, 2);
    private final Matrix inputs = Networks.gaussian(random, 3, 3);

    @TempDir
    Path folder;

    private ModelBatch batch;

    /** Stored with widths 3, 7, 6, 2 and the inputs beside it. */
    @BeforeEach
    void store() throws IOException {
        batch = stored(network);
    }

    private ModelBatch stored(DenseNetwork weights) throws IOException {
        var writer = new SafetensorsWriter().metadata("activation", "gelu");
        ParameterLayout layout = weights.layout();
        for (ParameterLayout.Entry entry : layout.entries()) {
            long[] shape = entry.shape().stream().mapToLong(Integer::longValue).toArray();
            double[] numbers = Arrays.copyOfRange(weights.parameters(), entry.offset(), entry.offset() + entry.size());
            writer.add(entry.name(), ElementType.F64, Shape.of(shape), numbers);
        }
        Path file = folder.resolve("network.safetensors");
        writer.saveTo(file);
        new NpzWriter().add("x", inputs).saveTo(folder.resolve("x.npz"));
        return ModelBatch.read(file, DataSource.table("x.npz", null, null), folder);
    }

    private Place place(Part part) {
        return Place.of(batch, 1, List.of(4, 2), List.of(), part);
    }

    private static double[] numbers(Map<String, double[]> tensors) {
        return tensors.values().stream().flatMapToDouble(Arrays::stream).toArray();
    }

    /** In the second hidden layer, for one path of the whole network. */
    @ParameterizedTest
    @EnumSource(Part.class)
    void protectedOutputsStayAlongTheCurve(Part part) {
        UnitMove move = UnitMove.of(place(part), UnitMove.randomChange(place(part), 0.3, random), _ -> ElementType.F64);
        for (double t : new double[] {-1, 0.5, 1}) {
            assertThat(largest(move.drift(move.at(t), batch))).isLessThan(1e-13);
            assertThat(largest(move.drift(move.uncompensated(t), batch))).isGreaterThan(1e-3);
        }
        Matrix both = move.contributions(1);
        Matrix sum = both.rows(0, 1).plus(both.rows(1, 2));
        assertThat(both.largestMagnitude()).isGreaterThan(1e-3);
        assertThat(sum.largestMagnitude()).isLessThan(1e-14);
        move.at(0)
                .forEach((name, tensor) ->
                        assertThat(tensor).containsExactly(batch.model().numbers(name), within(1e-15)));
    }

    /** Of plain and gated blocks, stored either way round, in folders and in ONNX. */
    @ParameterizedTest
    @CsvSource({
        "gptneox-parallel-f32, 1",
        "gpt2-gelu-new, 0",
        "llama-gqa, 1",
        "gemma-geglu, 0",
        "onnx/script-sdpa-gelu.onnx, 0"
    })
    void unitsOfEveryModelMove(String model, int layer) throws IOException {
        ModelBatch text = ModelBatch.read(SiteModels.folder(model), DataSource.text(List.of(7, 3, 9)), Path.of(""));
        for (Part part : Part.values()) {
            Place place = Place.of(text, layer, List.of(5, 1), List.of(), part);
            UnitMove move = UnitMove.of(place, UnitMove.randomChange(place, 0.3, random), _ -> ElementType.F64);
            assertThat(largest(move.drift(move.at(1), text))).isLessThan(1e-12);
            assertThat(largest(move.drift(move.uncompensated(1), text))).isGreaterThan(1e-5);
        }
    }

    @Test
    void everyUnitMovesByTheSizeAskedFor() {
        Place place = place(Part.INCOMING);
        double[] change = UnitMove.randomChange(place, -0.25, new SplittableRandom(1));
        double[] opposite = UnitMove.randomChange(place, 0.25, new SplittableRandom(1));
        double[] weights = place.weights();
        assertThat(weights).hasSize(2 * 8); // seven weights and a bias each
        for (int unit = 0; unit < 2; unit++) {
            assertThat(norm(change, unit) / norm(weights, unit)).isCloseTo(0.25, within(1e-15));
        }
        for (int i = 0; i < change.length; i++) {
            assertThat(opposite[i]).isEqualTo(-change[i]);
        }
        assertThat(UnitMove.of(place, change, _ -> ElementType.F64).size()).isCloseTo(0.25, within(1e-15));
    }

    private static double largest(double[] drift) {
        return Arrays.stream(drift).max().orElseThrow();
    }

    private static double norm(double[] numbers, int unit) {
        return Matrix.over(1, 8, Arrays.copyOfRange(numbers, 8 * unit, 8 * unit + 8))
                .frobeniusNorm();
    }

    @Test
    void movedWeightsAreNumbersOfTheStoredType() {
        Place place = place(Part.ALL);
        UnitMove move = UnitMove.of(place, UnitMove.randomChange(place, 0.3, random), _ -> ElementType.BF16);
        long moved = Arrays.stream(numbers(move.uncompensated(1)))
                .filter(weight -> Math.abs(weight - ElementType.BF16.nearest(weight)) <= 1e-15)
                .count();
        assertThat(moved).isGreaterThanOrEqualTo(place.weights().length);
        assertThat(largest(move.drift(move.at(1), batch))).isLessThan(1e-13);
    }

    @Test
    void whatDoesNotFitIsRefused() throws IOException {
        Place place = place(Part.OUTGOING);
        assertThatThrownBy(() -> UnitMove.of(place, new double[3], _ -> ElementType.F64))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("3 numbers for the change, expected 4: 2 for each of 2 moving units");
        assertThatThrownBy(() -> UnitMove.of(place, new double[] {1, 2, Double.NaN, 3}, _ -> ElementType.F64))
                .hasMessage("the change: entry (0, 2) is NaN; all entries must be finite");
        assertThatThrownBy(() -> UnitMove.randomChange(place, Double.NaN, random))
                .hasMessage("size NaN of a move, expected a finite number other than 0");
        double[] silent = network.parameters();
        for (int output = 0; output < 2; output++) {
            silent[network.layout().weight(2).index(output, 4)] = 0;
        }
        Place nothing = Place.of(stored(network.withParameters(silent)), 1, List.of(4), List.of(), Part.OUTGOING);
        assertThatThrownBy(() -> UnitMove.randomChange(nothing, 0.1, random))
                .hasMessage(
                        "unit 4: the weights that would change are all zero, so a relative size says nothing; give the change itself");
        UnitMove given = UnitMove.of(nothing, new double[] {1, -1}, _ -> ElementType.F64);
        assertThat(given.size()).isInfinite();
        assertThat(largest(given.drift(given.at(1), nothing.batch()))).isLessThan(1e-13);
    }
}
