package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest {
    private static final Path DIGITS = Path.of("..", "examples", "digits");
    private static final String MODEL = DIGITS.resolve("tanh.onnx").toString();
    private static final String INPUTS = DIGITS.resolve("tanh-inputs.npz").toString();

    @TempDir
    Path folder;

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void writesOutputsInThePrecisionOfTheRun() throws IOException {
        assertThat(Run.of("run", MODEL, "--data", INPUTS, "--out", path("y.npz"))
                        .out())
                .isEqualTo("logits (8, 10)%nwritten to %s%n".formatted(path("y.npz")));
        assertThat(Run.of("run", MODEL, "--data", INPUTS, "--array", "x", "--float64", "--out", path("wide.npz"))
                        .code())
                .isZero();
        try (Npz narrow = Npz.open(folder.resolve("y.npz"));
                Npz wide = Npz.open(folder.resolve("wide.npz"))) {
            StoredTensor logits = narrow.tensor("logits");
            assertThat(logits.type()).hasToString("F32");
            assertThat(wide.tensor("logits").type()).hasToString("F64");
            assertThat(logits.shape()).isEqualTo(Shape.of(8, 10));
        }
        assertThat(Run.of("run", MODEL, "--data", INPUTS, "--expect", path("y.npz"), "--tolerance", "0")
                        .out())
                .isEqualTo("output 'logits' agrees: largest difference 0.0e+00 of its largest magnitude%n".formatted());
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        assertThat(Run.of("run", MODEL, "--data", INPUTS).err())
                .contains("give --out FILE for the outputs, or --expect FILE");
        new NpzWriter()
                .add("a", Shape.of(1, 64), new double[64])
                .add("b", Shape.of(1, 3), 1, 2, 3)
                .saveTo(folder.resolve("two.npz"));
        assertThat(Run.of("run", MODEL, "--data", path("two.npz"), "--out", path("y.npz"))
                        .err())
                .isEqualTo(
                        "isoloss: error: %s: input 'x' of node '0' (Gemm): axis 0 (batch) has no size in the file; bind it by data, or by --bind batch=1%n"
                                .formatted(MODEL));
        assertThat(Run.of("run", MODEL, "--data", path("two.npz"), "--bind", "batch=1", "--out", path("y.npz"))
                        .err())
                .isEqualTo(
                        "isoloss: error: the input \"x\" of shape (1, 64) has no data; given are [a, b]%n".formatted());
        assertThat(Run.of("run", MODEL, "--data", path("two.npz"), "--array", "b", "--out", path("y.npz"))
                        .err())
                .isEqualTo(
                        "isoloss: error: %s: input 'x' of node '0' (Gemm): has data of shape [1, 3], but size 64 along axis 1 in the file%n"
                                .formatted(MODEL));
        assertThat(Run.of("run", MODEL, "--data", path("two.npz"), "--array", "c", "--out", path("y.npz"))
                        .err())
                .contains("no array 'c'; there are a, b");
    }

    @Test
    void differenceIsAFailure() throws IOException {
        new NpzWriter().add("y", Shape.of(8, 10), new double[80]).saveTo(folder.resolve("zero.npz"));
        Run run = Run.of("run", MODEL, "--data", INPUTS, "--expect", path("zero.npz"));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).startsWith("isoloss: error: output 'logits' differs first at [0, 0]: ");
    }
}
