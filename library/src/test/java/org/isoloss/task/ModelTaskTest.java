package org.isoloss.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.OnnxBytes;
import org.isoloss.checkpoint.Shape;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** y = max(x W, 0) V + c of an ONNX file, with a norm's statistics, whole numbers, and an initialiser that nothing reads. */
class ModelTaskTest {
    private static final float[] W = {1, -0.5f, 0.25f, 2, 0.5f, 1, -1, 0.75f, -0.25f, 1.5f, 1, -2};
    private static final float[] V = {1, 2, -1, 0.5f, 0.25f, -0.75f, 1.5f, 1};
    private static final double[] X = {1, 2, 3, -1, 0.5, 2, 0.25, -2, 1, 3, 1, -1};

    @TempDir
    Path folder;

    @BeforeEach
    void files() throws IOException {
        Files.write(folder.resolve("model.onnx"), network(0).output("y").bytes());
        Files.write(folder.resolve("fixed.onnx"), network(2).output("y").bytes());
        Files.write(
                folder.resolve("two.onnx"),
                network(0).output("y").output("hidden").bytes());
        OnnxBytes sum = network(0).floats("z", 0, 2).node("Add", "sum", List.of("y", "z"), "s");
        Files.write(folder.resolve("inputs.onnx"), sum.output("s").bytes());
        array("x.npz", "x", Shape.of(4, 3), X);
        array("wide.npz", "x", Shape.of(3, 4), X);
        array("flat.npz", "x", Shape.of(12), X);
        array("scalar.npz", "x", Shape.of(), 3);
        double[] holed = X.clone();
        holed[4] = Double.NaN;
        array("holed.npz", "x", Shape.of(4, 3), holed);
        Files.writeString(folder.resolve("x.csv"), "1,2,3\n-1,0.5,2\n0.25,-2,1\n3,1,-1\n");
        new NpzWriter()
                .add("x", Shape.of(4, 3), X)
                .add("z", Shape.of(3, 2), new double[6])
                .saveTo(folder.resolve("uneven.npz"));
    }

    private static OnnxBytes network(long batch) {
        return new OnnxBytes()
                .opset(17)
                .floats("x", batch, 3)
                .weights("W", W, 3, 4)
                .weights("V", V, 4, 2)
                .weights("c", new float[] {0.5f, -0.25f}, 2)
                .weights("scale", new float[] {1, 1, 1, 1}, 4)
                .weights("shift", new float[4], 4)
                .weights("mean", new float[4], 4)
                .weights("variance", new float[] {1, 1, 1, 1}, 4)
                .weights("spare", new float[] {1}, 1)
                .initialiser(OnnxBytes.wholes("shape", -1, 4))
                .node("MatMul", "first", List.of("x", "W"), "product")
                .node(
                        "BatchNormalization",
                        "norm",
                        List.of("product", "scale", "shift", "mean", "variance"),
                        "normed",
                        OnnxBytes.attribute("epsilon", fields -> {
                            fields.writeFloat(2, 0);
                            fields.writeInt32(20, 1);
                        }))
                .node("Reshape", "same", List.of("normed", "shape"), "rows")
                .node("Relu", "act", List.of("rows"), "hidden")
                .node("MatMul", "last", List.of("hidden", "V"), "outgoing")
                .node("Add", "bias", List.of("outgoing", "c"), "y");
    }

    private void array(String file, String name, Shape shape, double... numbers) throws IOException {
        new NpzWriter().add(name, shape, numbers).saveTo(folder.resolve(file));
    }

    /** What the network computes, written down independently. */
    private static double[] outputs(double[] inputs) {
        double[] outputs = new double[inputs.length / 3 * 2];
        for (int row = 0; row < inputs.length / 3; row++) {
            for (int unit = 0; unit < 4; unit++) {
                double sum = 0;
                for (int i = 0; i < 3; i++) {
                    sum += inputs[3 * row + i] * W[4 * i + unit];
                }
                outputs[2 * row] += Math.max(sum, 0) * V[2 * unit];
                outputs[2 * row + 1] += Math.max(sum, 0) * V[2 * unit + 1];
            }
            outputs[2 * row] += 0.5;
            outputs[2 * row + 1] -= 0.25;
        }
        return outputs;
    }

    private ModelBatch batch(String model, String data) throws IOException {
        return ModelBatch.read(folder.resolve(model), DataSource.table(data, null, null), folder);
    }

    private ModelSetting setting(String data) throws IOException {
        Path file = Files.writeString(folder.resolve("task.yaml"), """
                name: small
                network: {model: model.onnx}
                data: {file: %s}
                support: {tensors: ["W[:, 0]", V]}
                points: {deviation: 0.1, unit: weights}
                """.formatted(data));
        return (ModelSetting) Setting.of(TaskFile.read(file, Map.of()), folder);
    }

    @ParameterizedTest
    @CsvSource({"model.onnx, x.npz", "model.onnx, x.csv", "fixed.onnx, x.npz"})
    void outputsAreThoseWrittenDown(String model, String data) throws IOException {
        ModelBatch batch = batch(model, data);
        assertThat(batch.batches()).hasSize(model.equals("fixed.onnx") ? 2 : 1);
        assertThat(batch.outputs(Precision.FLOAT64).entries()).containsExactly(outputs(X), within(1e-14));
        assertThat(batch.outputs(Precision.FLOAT32).entries()).containsExactly(outputs(X), within(1e-5));
    }

    @Test
    void arrayThatIsNoInputIsNamed() throws IOException {
        new NpzWriter()
                .add("x", Shape.of(4, 3), X)
                .add("labels", Shape.of(4), 0, 1, 2, 3)
                .saveTo(folder.resolve("more.npz"));
        assertThatThrownBy(() -> batch("model.onnx", "more.npz"))
                .hasMessage(
                        "data: the array 'labels' of more.npz is no input of model.onnx, which takes x; leave it out, or name the one that is meant by 'array'");
    }

    @Test
    void allOutputsOfARowAreMeasured() throws IOException {
        Matrix both = batch("two.onnx", "x.npz").outputs(Precision.FLOAT64);
        assertThat(both.rows()).isEqualTo(4);
        assertThat(both.columns()).isEqualTo(2 + 4);
        assertThat(both.row(0)).startsWith(outputs(X)[0], outputs(X)[1]);
        assertThat(both.get(0, 2)).isCloseTo(1 + 2 * 0.5 - 3 * 0.25, within(1e-14));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        inputs.onnx | x.npz      | data: inputs.onnx has the inputs x, z, but x.npz has no array 'z'; there are x
        inputs.onnx | x.csv      | data: x.csv is one table, but the model has the inputs x, z; give an npz file with an array for each
        model.onnx  | scalar.npz | data: the array of the input 'x' has shape [], expected one input a row
        model.onnx  | holed.npz  | data: x: entry (1, 1) is NaN; all entries must be finite
        """)
    void inputsThatDoNotFitAreNamed(String model, String data, String message) {
        assertThatThrownBy(() -> batch(model, data))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        model.onnx  | wide.npz   | input 'x' of node 'first' (MatMul): has data of shape [3, 4], but size 3 along axis 1 in the file
        model.onnx  | flat.npz   | input 'x' of node 'first' (MatMul): has data of shape [12], expected 2 axes
        inputs.onnx | uneven.npz | inputs: the axis any has size 3 along axis 0 of input 'z', but size 4 elsewhere
        """)
    void shapesThatDoNotFitAreNamed(String model, String data, String message) {
        assertThatThrownBy(() -> batch(model, data))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("%s: %s".formatted(folder.resolve(model), message));
    }

    @Test
    void rowsOfAFixedBatchAreAMultiple() {
        DataSource three = DataSource.table("x.npz", null, null).taking(List.of(0, 3), null, false);
        assertThatThrownBy(() -> ModelBatch.read(folder.resolve("fixed.onnx"), three, folder))
                .hasMessage("data: 3 inputs are chosen, but fixed.onnx has batches of 2; choose a multiple");
        DataSource five = DataSource.table("x.npz", null, null).taking(List.of(0, 5), null, false);
        assertThatThrownBy(() -> ModelBatch.read(folder.resolve("model.onnx"), five, folder))
                .hasMessage("data: rows [0, 5] asked for, but the array 'x' has 4");
    }

    @Test
    void expectedOutputsAreCompared() throws IOException {
        double[] outputs = outputs(X);
        array("y.npz", "y", Shape.of(4, 2), outputs);
        DataSource source = DataSource.table("x.npz", null, null);
        Path model = folder.resolve("model.onnx");
        assertThat(ModelBatch.read(model, source.expecting("y.npz"), folder).notices())
                .anyMatch(line -> line.startsWith("outputs agree with y.npz: 4 inputs of 2 outputs, "));
        outputs[3] += 0.5;
        array("y.npz", "y", Shape.of(4, 2), outputs);
        assertThatThrownBy(() -> ModelBatch.read(model, source.expecting("y.npz"), folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "y.npz is not what isoloss computes: input 1, output 1: isoloss computes %.7g, the file says %.7g, ",
                        outputs(X)[3], outputs[3]);
        array("y.npz", "y", Shape.of(4, 3), new double[12]);
        assertThatThrownBy(() -> ModelBatch.read(model, source.expecting("y.npz"), folder))
                .hasMessage("y.npz holds 3 outputs an input, the network gives 2; isoloss sees model.onnx");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        shape      | the tensor shape of model.onnx has type I64, and whole numbers do not move; export the model with weights of type F32
        variance[0]| the tensor variance of model.onnx is a constant of the model, such as a statistic or a size; one of W, V, c, scale, shift can move
        spare      | the tensor spare of model.onnx moves without effect: no output depends on it
        U[0]       | the model has no parameter "U"; it has W, V, c, scale, shift
        """)
    void whatCannotMoveIsNamed(String part, String message) throws IOException {
        ModelBatch batch = batch("model.onnx", "x.npz");
        assertThatThrownBy(() -> batch.moving(List.of(part)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(batch.notices()).containsExactly("the initialiser 'spare' is left aside: no output depends on it");
    }

    @Test
    void coordinatesStandForTheTensorsOfTheFile() throws IOException {
        ModelSetting setting = setting("x.npz");
        double[] origin = setting.origin();
        assertThat(origin).startsWith(1, 0.5, -0.25, 1, 2, -1).hasSize(3 + 8);
        assertThat(setting.problem().target().parameterCount()).isEqualTo(11);
        origin[1] = 7;
        assertThat(Objects.requireNonNull(setting.tensorsAt(origin).get("W"))[4])
                .isEqualTo(7);
        Path edited = folder.resolve("edited.onnx");
        ModelEdit edit = ModelEdit.write(ModelEdit.of(setting, origin), edited);
        assertThat(edit.report().changed()).isEqualTo(1);
        double[] drift = edit.relativeDrift(setting.batch());
        assertThat(drift).hasSize(4);
        assertThat(drift[0]).isGreaterThan(1);
        assertThatThrownBy(setting::dense)
                .hasMessage(
                        "the network of task 'small' is a model of any kind, and this takes a network of dense layers");
    }

    private ModelCompensation compensated(int rows, String moving, String compensating) throws IOException {
        DataSource source = DataSource.table("x.npz", null, null).taking(List.of(0, rows), null, false);
        Path model = folder.resolve("model.onnx");
        return ModelCompensation.of(
                ModelBatch.read(model, source, folder),
                List.of(moving),
                List.of(compensating),
                0.01,
                new SplittableRandom(5));
    }

    @Test
    void whatIsAffineTakesOneLinearSystem() throws IOException {
        ModelCompensation move = compensated(3, "W[:, 0]", "V");
        assertThat(move.steps()).isEqualTo(1);
        assertThat(move.residual()).isLessThan(1e-14);
        assertThat(move.alone()).isGreaterThan(1e-3);
        assertThat(move.movingCount()).isEqualTo(3);
        assertThat(move.compensatingCount()).isEqualTo(8);
        assertThat(move.outputCount()).isEqualTo(6);
        assertThat(move.condition()).isGreaterThan(1);
        double change = 0;
        double size = 0;
        for (int i = 0; i < 3; i++) {
            change = Math.hypot(change, Objects.requireNonNull(move.tensors().get("W"))[4 * i] - W[4 * i]);
            size = Math.hypot(size, W[4 * i]);
        }
        assertThat(change / size).isCloseTo(0.01, within(1e-7));
    }

    @Test
    void whatIsNotAffineIsSolvedByNewton() throws IOException {
        Path smooth = folder.resolve("model.onnx");
        byte[] bytes = new OnnxBytes()
                .opset(17)
                .floats("x", 0, 3)
                .weights("W", W, 3, 4)
                .weights("V", V, 4, 2)
                .node("MatMul", "first", List.of("x", "W"), "product")
                .node("Tanh", "act", List.of("product"), "hidden")
                .node("MatMul", "last", List.of("hidden", "V"), "y")
                .output("y")
                .bytes();
        Files.write(smooth, bytes);
        ModelCompensation move = compensated(2, "V[:, 0]", "W");
        assertThat(move.residual()).isLessThan(1e-13);
        assertThat(move.steps()).isBetween(2, 5);
    }

    @Test
    void tooManyProtectedInputsAreRefused() {
        assertThatThrownBy(() -> compensated(4, "W[:, 0]", "c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "8 protected output components move by \\d\\.\\de-\\d+ of their norm, and the 2 compensating numbers, which reach 2 of them, leave \\d\\.\\de-\\d+; protect fewer inputs, let more compensate, or move less");
        assertThatThrownBy(() -> compensated(2, "W", "W[0]")).hasMessage("an entry of W both moves and compensates");
    }

    private void keptAndChanged(Path changed, byte[] bytes, String message) throws IOException {
        Path run = Files.createDirectories(folder.resolve("run"));
        RunBase.keep(setting("x.npz"), run);
        RunBase.require(setting("x.npz"), run);
        byte[] before = Files.readAllBytes(changed);
        Files.write(changed, bytes);
        assertThatThrownBy(() -> RunBase.require(setting("x.npz"), run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("%s: %s: SHA-256 ".formatted(run.resolve("base.safetensors"), message))
                .hasMessageEndingWith("; put the file back, or give another --out");
        Files.write(changed, before);
        RunBase.require(setting("x.npz"), run);
    }

    @Test
    void weightsOfTheRunAreRequired() throws IOException {
        Path model = folder.resolve("model.onnx");
        Path other = folder.resolve("other.onnx");
        Checkpoint.edit(model).with("c", 0.5, 0.25).saveAs(other);
        keptAndChanged(
                model, Files.readAllBytes(other), "the weights in model.onnx are not those that the run was made with");
    }

    @Test
    void statisticsOfTheRunAreRequiredToo() throws IOException {
        Path model = folder.resolve("model.onnx");
        Path other = folder.resolve("other.onnx");
        Checkpoint.edit(model).with("mean", 0, 0, 0, 1).saveAs(other);
        keptAndChanged(
                model,
                Files.readAllBytes(other),
                "model.onnx has the weights that the run was made with, but it is another file");
    }

    @Test
    void inputsOfTheRunAreRequired() throws IOException {
        double[] other = X.clone();
        other[0] = 2;
        array("other.npz", "x", Shape.of(4, 3), other);
        keptAndChanged(
                folder.resolve("x.npz"),
                Files.readAllBytes(folder.resolve("other.npz")),
                "the inputs in x.npz are not those that the run was made with");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        network: {model: model.onnx, widths: [3, 4, 2]} | network: a 'model' stands alone; its own files say the rest
        support: {unit: [0, 1]}                          | a 'model' takes a 'support' with 'tensors' or 'all', or a 'site': what moves
        points: {deviation: 0.1, nonsingular: true}     | points: 'nonsingular' goes with a network of dense layers, not with a 'model'
        data: {gaussian: 3}                             | a 'model' takes its inputs from a 'file', or 'tokens'
        """)
    void keysThatDoNotGoWithAModelAreRefused(String line, String message) throws IOException {
        Map<String, String> parts = new java.util.LinkedHashMap<>(Map.of(
                "network",
                "network: {model: model.onnx}",
                "data",
                "data: {file: x.npz}",
                "support",
                "support: {all: true}",
                "points",
                "points: {deviation: 0.1}"));
        parts.put(line.substring(0, line.indexOf(':')), line);
        Path file = Files.writeString(
                folder.resolve("keys.yaml"), "name: keys\n" + String.join("\n", parts.values()) + "\n");
        assertThatThrownBy(() -> TaskFile.read(file, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(message);
    }
}
