package org.isoloss.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.OnnxBytes;
import org.isoloss.model.Model;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OnnxModelTest {
    static Path file(String name) {
        try {
            return Path.of(Objects.requireNonNull(OnnxModelTest.class.getResource(name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static NamedArrays run(String name, Precision precision) throws IOException {
        NamedArrays inputs = NamedArrays.read(file(name + ".in.npz"));
        try (OnnxModel opened = OnnxModel.open(file(name + ".onnx"), inputs.bind(Bindings.NONE))) {
            return new ComputedOutputs(opened.model(), List.of(inputs.all())).in(precision);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "pointwise, 1e-14, 41",
        "arithmetic, 1e-14, 21",
        "shapes, 0, 14",
        "selection, 0, 16",
        "convolution, 1e-14, 10",
        "pooling, 1e-14, 8",
        "norms, 1e-6, 10",
        "reductions, 1e-14, 19",
        "contractions, 1e-14, 9",
        "recurrent, 1e-6, 14",
        "resize, 1e-6, 13",
        "attention, 1e-14, 5",
        "opset6, 1e-6, 1",
        "opset9, 1e-6, 4",
        "branch, 0, 1"
    })
    void outputsAreThoseOfOnnx(String name, double tolerance, int outputs) throws IOException {
        NamedArrays expected = NamedArrays.read(file(name + ".out.npz"));
        assertThat(run(name, Precision.FLOAT64).confirm(expected, tolerance)).hasSize(outputs);
        assertThat(run(name, Precision.FLOAT32).confirm(expected, 2e-5)).hasSize(outputs);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        operator  | node 'step' (TopK): the operator TopK is not read; export the part of the model before it, or use ReduceMax
        domain    | node 'step' (FusedGelu): the operator com.example.FusedGelu is not read; export the model with ONNX's own operators
        attribute | node 'step' (Relu): its attribute leak is not read
        axis      | input 'x' of node 'step' (Relu): axis 0 (batch) has no size in the file; bind it by data, or by --bind batch=1
        unnamed   | input 'x' of node 'step' (Relu): axis 0 has no size in the file; bind it by data, or by --bind x:0=1
        opset     | was written for opset 5 of ONNX; 6 and later are read
        result    | output 'y1' of node 'step' (MaxPool): 'y1' is made by node 'step' (MaxPool), of which this result is not read
        shape     | node 'step' (MatMul): xy,yz->xz of tensors of shapes (2, 3) and (2, 3): axis y has the sizes 3 and 2
        training  | node 'step' (BatchNormalization): it takes the statistics of the batch; export the model for inference
        known     | node 'step' (Reshape): input 1 ('shape') has to be known when the model is opened, but depends on shape; bind the input by data
        text      | node 'step' (StringNormalizer): the operator StringNormalizer is not read; export the model without it, or a part of the model
        """)
    void whatIsNotReadIsNamed(String name, String message) {
        Path path = file("refused-" + name + ".onnx");
        assertThatThrownBy(() -> OnnxModel.open(path, Bindings.NONE))
                .isInstanceOf(OnnxModelException.class)
                .hasMessage(path + ": " + message);
    }

    @Test
    void numbersThatDecideAboutShapesAreBound() throws IOException {
        Bindings bindings = Bindings.NONE.numbers("shape", List.of(2), 3, -1);
        try (OnnxModel opened = OnnxModel.open(file("refused-known.onnx"), bindings)) {
            assertThat(opened.model().inputs()).containsOnlyKeys("x");
            assertThat(opened.model().outputs().firstEntry().getValue().shape().sizes())
                    .containsExactly(3, 2);
        }
    }

    @Test
    void axesAreBoundByName() throws IOException {
        try (OnnxModel opened = OnnxModel.open(file("refused-axis.onnx"), Bindings.NONE.axis("batch", 4))) {
            assertThat(opened.model().inputs().firstEntry().getValue().shape().sizes())
                    .containsExactly(4, 3);
        }
        try (OnnxModel opened = OnnxModel.open(file("refused-unnamed.onnx"), Bindings.NONE.axis("x:0", 5))) {
            assertThat(opened.model().inputs().firstEntry().getValue().shape().sizes())
                    .containsExactly(5, 3);
        }
    }

    /** As a published all-MiniLM-L6-v2 is exported, whose texts and tokens both have the name "batch". */
    @Test
    void labelWithTwoSizesAlongOneInputNamesNoSize(@TempDir Path folder) throws IOException {
        Path path = Files.write(
                folder.resolve("one-label.onnx"),
                new OnnxBytes()
                        .opset(17)
                        .floats("x", 0, 0)
                        .node("Relu", "relu", List.of("x"), "y")
                        .output("y")
                        .bytes());
        try (OnnxModel opened = OnnxModel.open(path, Bindings.NONE.shape("x", List.of(2, 3)))) {
            assertThat(opened.model().output("y").shape().sizes()).containsExactly(2, 3);
        }
        assertThatThrownBy(() -> OnnxModel.open(path, Bindings.NONE))
                .hasMessageEndingWith("axis 0 (any) has no size in the file; bind it by data, or by --bind any=1");
    }

    @Test
    void floatInitialisersAreParametersButStatisticsAndSettingsAreNot() throws IOException {
        try (OnnxModel norms = OnnxModel.open(file("norms.onnx"), Bindings.NONE)) {
            assertThat(norms.model().parameters().keySet()).containsExactly("scale", "shift", "ls", "lb", "rs");
            assertThat(norms.notes()).isEmpty();
        }
        try (OnnxModel resize = OnnxModel.open(file("resize.onnx"), Bindings.NONE)) {
            assertThat(resize.model().parameters()).isEmpty();
        }
    }

    @Test
    void branchThatIsNotTakenHasNoParameters() throws IOException {
        Bindings bindings = Bindings.NONE.shape("x", List.of(2, 3)).numbers("rate", List.of(), 8000);
        try (OnnxModel opened = OnnxModel.open(file("branch.onnx"), bindings)) {
            Model model = opened.model();
            assertThat(model.parameters()).containsOnlyKeys("narrow_weight");
            assertThat(model.run(Precision.FLOAT64, Map.of("x", new double[] {1, 2, 3, 4, 5, 6}))
                            .get("y"))
                    .containsExactly(3, 6, 9, 12, 15, 18);
        }
    }

    @Test
    void differenceIsNamedByItsFirstPlace() throws IOException {
        NamedArrays run = run("branch", Precision.FLOAT64);
        NamedArrays inputs = NamedArrays.read(file("branch.in.npz")).only("x", "y");
        double[] x = inputs.numbers("y");
        assertThatThrownBy(() -> run.confirm(inputs, 1e-5))
                .hasMessageStartingWith("output 'y' differs first at [0, 0]: %s, expected %s; largest difference "
                        .formatted(2 * x[0], x[0]));
    }
}
