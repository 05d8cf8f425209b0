package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import org.isoloss.checkpoint.Csv.FirstRow;
import org.isoloss.checkpoint.DenseLayers.Layer;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SequentialCheckpointTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"tanh, 32, true", "relu-nobias, 16, false"})
    void readsTrainedNetworksSoThatTheyGivePyTorchsLogits(String name, int hidden, boolean biases) throws IOException {
        DenseLayers layers = SequentialCheckpoint.read(Resources.path(name + ".safetensors"));
        assertThat(layers.widths()).containsExactly(64, hidden, 10);
        assertThat(layers.layers()).hasSize(2).allMatch(layer -> (layer.bias() != null) == biases);
        assertThat(layers.layers().getLast().names()).isEqualTo(LayerNames.sequential(2, biases));
        boolean tanh = name.equals("tanh");
        assertThat(layers.activation()).contains(tanh ? "tanh" : "relu");

        Matrix digits = Csv.read(Resources.path("digits-1347-to-1354.csv.gz"), FirstRow.NUMBERS);
        JsonNode logits = JsonMapper.shared()
                .readTree(Resources.path("digits-logits.json").toFile())
                .get(name);
        for (int image = 0; image < digits.rows(); image++) {
            double[] pixels = Arrays.stream(digits.row(image))
                    .limit(64)
                    .map(pixel -> pixel / 16)
                    .toArray();
            double[] output = outputs(layers, pixels, tanh ? Math::tanh : z -> Math.max(z, 0));
            for (int i = 0; i < 10; i++) {
                // sums of 64 terms of size 1, in another order
                assertThat(output[i]).isCloseTo(logits.get(image).get(i).asDouble(), within(1e-13));
            }
        }
    }

    private static double[] outputs(DenseLayers layers, double[] inputs, DoubleUnaryOperator activation) {
        double[] values = inputs;
        for (Layer layer : layers.layers()) {
            boolean last = layer == layers.layers().getLast();
            double[] sums =
                    layer.weight().times(Matrix.of(values.length, 1, values)).entries();
            double[] bias = layer.bias();
            for (int i = 0; i < sums.length; i++) {
                double sum = sums[i] + (bias == null ? 0 : bias[i]);
                sums[i] = last ? sum : activation.applyAsDouble(sum);
            }
            values = sums;
        }
        return values;
    }

    @Test
    void whatWasReadGoesBackUnchanged() throws IOException {
        Path source = Resources.path("tanh.safetensors");
        Path target = folder.resolve("tanh.safetensors");
        DenseLayers layers = SequentialCheckpoint.read(source);
        EditReport report = Checkpoint.edit(source).with(layers.values()).saveAs(target);
        assertThat(report.requested()).isZero();
        assertThat(report.changed()).isZero();
        assertThat(report.tensors().stream()
                        .mapToLong(EditReport.EditedTensor::weights)
                        .sum())
                .isEqualTo(64 * 32 + 32 + 32 * 10 + 10);
        assertThat(target).hasSameBinaryContentAs(source);
    }

    @Test
    void oneWeightAndNoOther() throws IOException {
        Path source = Resources.path("tanh.safetensors");
        Path target = folder.resolve("tanh.safetensors");
        DenseLayers layers = SequentialCheckpoint.read(source);
        Matrix last = layers.layers().getLast().weight();
        last.set(9, 31, Math.nextUp((float) last.get(9, 31)));
        EditReport report = Checkpoint.edit(source).with(layers.values()).saveAs(target);
        assertThat(report.changed()).isEqualTo(1);
        EditReport.EditedTensor edited = report.tensors().get(2);
        assertThat(edited)
                .isEqualTo(new EditReport.EditedTensor(
                        "2.weight", ElementType.F32, 320, 1, 1, 1, 1, edited.meantNorm(), 0));
        byte[] before = Files.readAllBytes(source);
        byte[] after = Files.readAllBytes(target);
        assertThat(after.length).isEqualTo(before.length);
        assertThat(Arrays.mismatch(before, after)).isEqualTo(before.length - 4);
    }

    private Path write(SafetensorsWriter writer) throws IOException {
        Path file = folder.resolve("x.safetensors");
        writer.saveTo(file);
        return file;
    }

    @Test
    void writesANetworkThatIsReadAgain() throws IOException {
        var first = new Layer(LayerNames.sequential(0, true), Matrix.of(2, 1, 1, 2), new double[] {3, 4});
        var second = new Layer(LayerNames.sequential(10, false), Matrix.of(1, 2, 5, 6), null);
        Path file = folder.resolve("x.safetensors");
        SequentialCheckpoint.write(
                DenseLayers.of(List.of(first, second), "silu"), ElementType.BF16, Map.of("task", "test"), file);
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            assertThat(checkpoint.metadata()).isEqualTo(Map.of("format", "pt", "activation", "silu", "task", "test"));
            assertThat(checkpoint.names()).containsExactly("0.weight", "0.bias", "10.weight");
            assertThat(checkpoint.tensor("0.weight").type()).isEqualTo(ElementType.BF16);
        }
        DenseLayers read = SequentialCheckpoint.read(file);
        assertThat(read.activation()).contains("silu");
        assertThat(read.widths()).containsExactly(1, 2, 1);
        assertThat(read.layers().getFirst().bias()).containsExactly(3, 4);
        assertThat(read.layers().getLast().bias()).isNull();
        assertThat(read.layers().getLast().weight().entries()).containsExactly(5, 6);
    }

    @Test
    void layersAreOrderedByNumberNotByText() throws IOException {
        Path file = write(new SafetensorsWriter()
                .add("10.weight", Matrix.of(1, 3, 7, 8, 9))
                .add("2.weight", Matrix.of(3, 2, 1, 2, 3, 4, 5, 6)));
        assertThat(SequentialCheckpoint.read(file).widths()).containsExactly(2, 3, 1);
        assertThat(SequentialCheckpoint.read(file).activation()).isEmpty();
    }

    @Test
    void namesCanBeGivenAndWeightsStoredTransposed() throws IOException {
        Path file = write(new SafetensorsWriter()
                .add("mlp.c_fc.w", Matrix.of(2, 3, 1, 2, 3, 4, 5, 6))
                .add("mlp.c_fc.b", Shape.of(3), 7f, 8f, 9f)
                .add("mlp.out", Matrix.of(1, 3, 1, 1, 1)));
        var names = List.of(new LayerNames("mlp.c_fc.w", "mlp.c_fc.b", true), new LayerNames("mlp.out", null, false));
        DenseLayers layers = SequentialCheckpoint.read(file, names);
        assertThat(layers.widths()).containsExactly(2, 3, 1);
        assertThat(layers.layers().getFirst().weight().row(2)).containsExactly(3, 6);
        assertThat(requireNonNull(layers.values().get("mlp.c_fc.w"))).containsExactly(1, 2, 3, 4, 5, 6);

        assertThatThrownBy(() -> SequentialCheckpoint.read(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": tensor 'mlp.c_fc.w' is not called as in a dense Sequential (0.weight, 0.bias,"
                        + " 2.weight, ...); give the names of the layers from the input on: --layers mlp.c_fc.w,mlp.out"
                        + " (in a task network.names)");
        assertThatThrownBy(() -> SequentialCheckpoint.read(file, List.of(names.get(1), names.get(1))))
                .hasMessage(file + ": tensor 'mlp.out' is named for two layers");
        assertThatThrownBy(() -> SequentialCheckpoint.read(file, List.of(new LayerNames("mlp.c_fc.b", null, false))))
                .hasMessage(file + ": tensor 'mlp.c_fc.b' of type F32 and shape (3) is not the weight of a dense layer,"
                        + " expected floats of shape (out, in), none of them 0");
        assertThatThrownBy(() -> new LayerNames("a", "a", false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("weight and bias of a layer have the same name 'a'");
    }

    @Test
    void readsNpzToo() throws IOException {
        Path file = folder.resolve("x.npz");
        new NpzWriter()
                .add("0.weight", Matrix.of(1, 2, 3, 4))
                .add("0.bias", Shape.of(1), 5.0)
                .saveTo(file);
        DenseLayers layers = SequentialCheckpoint.read(file);
        assertThat(layers.layers().getFirst().weight().entries()).containsExactly(3, 4);
        assertThat(layers.layers().getFirst().bias()).containsExactly(5);
    }

    @Test
    void refusesWhatIsNoDenseNetwork() throws IOException {
        assertThat(refusal(new SafetensorsWriter())).isEqualTo("holds no tensors, expected a dense network");
        assertThat(refusal(new SafetensorsWriter().add("0.bias", Shape.of(1), 1f)))
                .isEqualTo(
                        "tensor '0.bias' of shape (1) has no weight of a layer beside it, expected one of shape (out, in)");
        assertThat(refusal(new SafetensorsWriter()
                        .add("0.weight", Matrix.zeros(3, 2))
                        .add("2.weight", Matrix.zeros(1, 4))))
                .isEqualTo("widths do not chain: weight '2.weight' takes 4 inputs, but '0.weight' before it gives 3");
        assertThat(refusal(new SafetensorsWriter()
                        .add("0.weight", Matrix.zeros(3, 2))
                        .add("0.bias", Shape.of(2), 1f, 2f)))
                .isEqualTo("layer with weight '0.weight' of shape (3, 2): the bias has length 2, expected 3");
        assertThat(refusal(new SafetensorsWriter().add("0.weight", Shape.of(1, 1, 1), 1f)))
                .isEqualTo("tensor '0.weight' of type F32 and shape (1, 1, 1) is not the weight of a dense layer,"
                        + " expected floats of shape (out, in), none of them 0");
        assertThat(refusal(new SafetensorsWriter().add("0.weight", Matrix.zeros(0, 2))))
                .startsWith("tensor '0.weight' of type F64 and shape (0, 2) is not the weight");
        assertThat(refusal(new SafetensorsWriter()
                        .add("0.weight", Matrix.of(1, 1, 1))
                        .add("0.running_mean", Shape.of(1), 1f)))
                .startsWith("a tensor is not used: '0.running_mean' of shape (1) holds running statistics");
    }

    @Test
    void namesTheFirstWeightThatIsNotFinite() throws IOException {
        assertThat(refusal(new SafetensorsWriter().add("0.weight", Matrix.of(2, 2, 1, 2, 3, Double.NaN))))
                .isEqualTo("tensor '0.weight' holds NaN at [1, 1]; all weights must be finite");
        assertThat(refusal(new SafetensorsWriter()
                        .add("0.weight", Matrix.zeros(2, 2))
                        .add("0.bias", Shape.of(2), 0f, Float.NEGATIVE_INFINITY)))
                .isEqualTo("tensor '0.bias' holds -Infinity at [1]; all weights must be finite");
    }

    private String refusal(SafetensorsWriter writer) throws IOException {
        Path file = write(writer);
        try {
            throw new AssertionError("read " + SequentialCheckpoint.read(file).widths());
        } catch (CheckpointFormatException e) {
            assertThat(e.getMessage()).startsWith(file + ": ");
            return requireNonNull(e.getMessage()).substring(file.toString().length() + 2);
        }
    }

    @Test
    void emptyAndTruncatedFilesAreRefused() throws IOException {
        byte[] whole = Files.readAllBytes(Resources.path("tanh.safetensors"));
        Path file = folder.resolve("cut.safetensors");
        for (int size : new int[] {0, 5, 8, 100, 600, whole.length - 4000, whole.length - 1}) {
            Files.write(file, Arrays.copyOf(whole, size));
            assertThatThrownBy(() -> SequentialCheckpoint.read(file))
                    .as("%d bytes", size)
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessageStartingWith(file + ": ");
        }
    }

    @Test
    void layersOfOnesOwnAreCheckedToo() {
        LayerNames names = LayerNames.sequential(0, true);
        assertThatThrownBy(() -> new Layer(names, Matrix.of(1, 1, 1), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("layer with weight '0.weight': a bias and its name go together, got a name alone");
        assertThatThrownBy(() -> new Layer(names, Matrix.of(1, 1, Double.NaN), new double[1]))
                .hasMessage("weight '0.weight': entry (0, 0) is NaN; all entries must be finite");
        assertThatThrownBy(() -> new Layer(names, Matrix.of(1, 1, 1), new double[] {Double.NaN}))
                .hasMessage("bias of weight '0.weight': entry (0, 0) is NaN; all entries must be finite");
        assertThatThrownBy(() -> DenseLayers.of(List.of(), null))
                .hasMessage("a dense network has at least one layer, got none");
    }
}
