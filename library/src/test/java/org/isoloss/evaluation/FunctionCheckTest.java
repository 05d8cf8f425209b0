package org.isoloss.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Csv;
import org.isoloss.checkpoint.SequentialCheckpoint;
import org.isoloss.linalg.Matrix;
import org.isoloss.network.Activation;
import org.isoloss.network.DenseLayer;
import org.isoloss.network.DenseNetwork;
import org.isoloss.network.Networks;
import org.isoloss.source.ComputedOutputs;
import org.junit.jupiter.api.Test;

class FunctionCheckTest {
    private static final double TOLERANCE = FunctionCheck.TOLERANCE;

    private static SequencedMap<String, Matrix> data(Matrix inputs) {
        SequencedMap<String, Matrix> data = new LinkedHashMap<>();
        data.put("data", inputs);
        return data;
    }

    private static FunctionCheck.Side side(String name, DenseNetwork network, SequencedMap<String, Matrix> data) {
        SequencedMap<String, ComputedOutputs> outputs = new LinkedHashMap<>();
        data.forEach((key, inputs) -> outputs.put(key, ComputedOutputs.of(network, inputs)));
        return new FunctionCheck.Side(name, outputs);
    }

    private static FunctionCheck check(DenseNetwork first, DenseNetwork second, Matrix inputs, double tolerance) {
        return FunctionCheck.of(side("A", first, data(inputs)), side("B", second, data(inputs)), tolerance);
    }

    private static DenseNetwork linear(double... weights) {
        return new DenseNetwork(Activation.IDENTITY, List.of(DenseLayer.of(Matrix.of(weights.length, 1, weights))));
    }

    @Test
    void otherHiddenWidthsMayComputeTheSameFunction() {
        var random = new SplittableRandom(1);
        DenseNetwork narrow = Networks.random(random, Activation.TANH, true, 3, 5, 2);
        DenseLayer first = narrow.layers().getFirst();
        DenseLayer second = narrow.layers().getLast();
        // the last unit is split into two that contribute 0.25 and 0.75 of it
        Matrix wide = Matrix.zeros(6, 3);
        System.arraycopy(first.weight().entries(), 0, wide.entries(), 0, 15);
        System.arraycopy(first.weight().row(4), 0, wide.entries(), 15, 3);
        double[] bias = Arrays.copyOf(first.bias().orElseThrow(), 6);
        bias[5] = bias[4];
        Matrix out = Matrix.zeros(2, 6);
        for (int row = 0; row < 2; row++) {
            for (int unit = 0; unit < 6; unit++) {
                double weight = second.weight().get(row, Math.min(unit, 4));
                out.set(row, unit, unit < 4 ? weight : (unit == 4 ? 0.25 : 0.75) * weight);
            }
        }
        DenseNetwork split = new DenseNetwork(
                Activation.TANH,
                List.of(
                        DenseLayer.of(wide, bias),
                        DenseLayer.of(out, second.bias().orElseThrow())));
        Matrix inputs = Networks.gaussian(random, 20, 3);
        FunctionCheck check = check(narrow, split, inputs, 1e-6);
        assertThat(check.same()).isTrue();
        assertThat(check.parts())
                .extracting(FunctionCheck.Part::precision)
                .containsExactly(Precision.FLOAT64, Precision.FLOAT32);
        assertThat(check.parts().getFirst().outputs().max()).isLessThan(1e-14);
        assertThat(check.parts().getLast().outputs().max()).isBetween(1e-9, 1e-5);
        assertThat(check.rounding()).isBetween(1e-9, 1e-6);
        assertThat(check.verdict()).startsWith("same function on these inputs: no output differs by more than");
    }

    /** An output a million times as small as another is not hidden by it. */
    @Test
    void aSmallOutputThatIsWrongIsSeen() {
        FunctionCheck check = check(linear(1e6, 1), linear(1e6, 1.001), Matrix.of(2, 1, 1, -3), TOLERANCE);
        assertThat(check.same()).isFalse();
        assertThat(check.verdict())
                .startsWith(
                        "different functions: output 1 of input 1 differs by 3.00e-03, 1.0e-03 of its largest magnitude (data, float")
                .endsWith("; tolerance 1e-05");
    }

    /** 1 - 1 + 1e-7 carries the rounding of 1, which is no difference between functions. */
    @Test
    void whatCancelsMayDifferByTheRoundingOfWhatItIsMadeOf() {
        DenseNetwork first = twoUnits(1 + 1.5e-7, -1);
        DenseNetwork second = twoUnits(1 + 3e-7, -1);
        FunctionCheck check = check(first, second, Matrix.of(1, 1, 1.1), TOLERANCE);
        assertThat(check.parts().getLast().outputs().worst().relative()).isGreaterThan(TOLERANCE);
        assertThat(check.same()).isTrue();
        assertThat(check.verdict()).endsWith("tolerance 1e-05, or what rounding to float32 explains");
        assertThat(check(twoUnits(1 + 1e-7, -1), twoUnits(1.001, -1), Matrix.of(1, 1, 1.1), TOLERANCE)
                        .same())
                .isFalse();
    }

    /** One output is the difference of two units, the other their first. */
    private static DenseNetwork twoUnits(double first, double second) {
        return new DenseNetwork(
                Activation.IDENTITY,
                List.of(DenseLayer.of(Matrix.of(2, 1, first, second)), DenseLayer.of(Matrix.of(2, 2, 1, 1, 1, 0))));
    }

    /** Every single digit: few inputs, so outputs near zero. */
    @Test
    void rescaledNetworksAreTheSameAlsoOnOneInput() throws IOException {
        Path digits = Path.of("..", "examples", "digits");
        Matrix rows =
                Csv.read(digits.resolve("digits.csv.gz"), Csv.FirstRow.NUMBERS).rows(1347, 1797);
        DenseNetwork relu = network(digits.resolve("relu-nobias.safetensors"), Activation.RELU);
        DenseNetwork rescaled = network(digits.resolve("relu-rescaled.safetensors"), Activation.RELU);
        DenseNetwork almost = network(digits.resolve("relu-almost.safetensors"), Activation.RELU);
        int told = 0;
        for (int row = 0; row < rows.rows(); row++) {
            Matrix input = Matrix.zeros(1, 64);
            for (int pixel = 0; pixel < 64; pixel++) {
                input.set(0, pixel, rows.get(row, pixel) / 16);
            }
            assertThat(check(relu, rescaled, input, TOLERANCE).verdict()).startsWith("same function");
            told += check(relu, almost, input, TOLERANCE).same() ? 0 : 1;
        }
        // where the unit whose weight was changed is off, or the pixel is 0, the two are the same
        assertThat(told).isBetween(100, 449);
    }

    private static DenseNetwork network(Path file, Activation activation) throws IOException {
        return new DenseNetwork(
                activation,
                SequentialCheckpoint.read(file).layers().stream()
                        .map(layer -> DenseLayer.of(layer.weight()))
                        .toList());
    }

    @Test
    void bothSetsOfInputsAreJudged() {
        SequencedMap<String, Matrix> data = data(Matrix.of(1, 1, 2));
        data.put("fresh", Matrix.of(1, 1, -2));
        DenseNetwork relu = twoLayers(Activation.RELU);
        DenseNetwork identity = twoLayers(Activation.IDENTITY);
        FunctionCheck check = FunctionCheck.of(side("A", relu, data), side("B", identity, data), TOLERANCE);
        assertThat(check.parts().getFirst().same()).isTrue();
        assertThat(check.same()).isFalse();
        assertThat(check.verdict())
                .isEqualTo(
                        "different functions, the same only on data: output 0 of input 0 differs by 2.00e+00, 1.0e+00 of its largest magnitude (fresh, float64); tolerance 1e-05");
    }

    private static DenseNetwork twoLayers(Activation activation) {
        return new DenseNetwork(
                activation, List.of(DenseLayer.of(Matrix.of(1, 1, 1)), DenseLayer.of(Matrix.of(1, 1, 1))));
    }

    @Test
    void whatCannotBeComparedIsRefused() {
        Matrix one = Matrix.of(1, 1, 1);
        assertThatThrownBy(() -> check(linear(1), linear(1, 2), one, TOLERANCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A has 1 outputs and B has 2, so they do not compute functions that can be compared");
        assertThatThrownBy(() -> FunctionCheck.requireComparable("A", List.of(1, 1), "B", List.of(1, 2)))
                .hasMessage(
                        "A has 1 outputs and B has 2, so they do not compute functions that can be compared (widths [1, 1] and [1, 2])");
        assertThatThrownBy(() -> FunctionCheck.requireComparable("A", List.of(1, 1), "B", List.of(2, 1)))
                .hasMessageStartingWith("A has 1 inputs and B has 2");
        assertThatThrownBy(() -> check(linear(1), linear(1e39), one, TOLERANCE))
                .hasMessage("B: output 0 of input 0 (data) is Infinity in float32, so nothing can be said about it");
        assertThatThrownBy(() -> check(linear(1e300), linear(1), Matrix.of(1, 1, 1e300), TOLERANCE))
                .hasMessage("A: output 0 of input 0 (data) is Infinity in float64, so nothing can be said about it");
        for (double tolerance : new double[] {-1, 1, Double.NaN}) {
            assertThatThrownBy(() -> check(linear(1), linear(1), one, tolerance))
                    .hasMessage("tolerance %s, expected at least 0 and below 1".formatted(tolerance));
        }
        assertThat(check(linear(1), linear(1), one, 0).same()).isTrue();
    }
}
