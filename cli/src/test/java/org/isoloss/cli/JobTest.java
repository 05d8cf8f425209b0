package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.isoloss.checkpoint.Npz;
import org.isoloss.discovery.RunDirectory;
import org.isoloss.lie.GroupWord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program does that has Java within it: commands as jobs, runs and models opened to compute with. */
class JobTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final int MINUTE = 60_000;

    @TempDir
    private Path folder;

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    private static Job ended(String... arguments) throws InterruptedException {
        Job job = Job.start(arguments);
        assertThat(job.waitFor(5 * MINUTE)).isTrue();
        return job;
    }

    private String fitted() throws InterruptedException {
        Job job = ended(
                "discover",
                EXAMPLES.resolve("residual.yaml").toString(),
                "--seed",
                "101",
                "--set",
                "recipe.steps=6",
                "--set",
                "recipe.width=8",
                "--out",
                path("run"));
        assertThat(job.code()).as(job.err()).isEqualTo(ExitCode.DONE);
        assertThat(job.what()).isEqualTo("residual");
        assertThat(job.unit()).isEqualTo("steps");
        assertThat(job.done()).isEqualTo(6);
        assertThat(job.total()).isEqualTo(6);
        assertThat(job.out()).startsWith("residual: 1 of 1 fits finished");
        assertThat(job.isRefused()).isFalse();
        return path("run");
    }

    @Test
    void aJobIsTheCommand() throws InterruptedException {
        String model = EXAMPLES.resolve("digits/relu-nobias.safetensors").toString();
        Job job = ended("symmetries", model, "--format", "json", "--quiet");
        assertThat(job.out())
                .isEqualTo(Run.of("symmetries", model, "--format", "json", "--quiet")
                        .out());
        assertThat(Job.version()).isNotEmpty();
    }

    @Test
    void whatIsRefusedIsToldFromWhatFailed() throws InterruptedException {
        Job usage = ended("symmetries");
        assertThat(usage.code()).isEqualTo(ExitCode.USAGE);
        assertThat(usage.isRefused()).isTrue();
        Job missing = ended("symmetries", path("none.onnx"));
        assertThat(missing.code()).isEqualTo(ExitCode.FAILED);
        assertThat(missing.err())
                .isEqualTo("isoloss: error: no such file or folder: %s%n".formatted(path("none.onnx")));
        assertThat(missing.isRefused()).isFalse();
        assertThat(Job.line(new IllegalArgumentException("two\n lines"))).isEqualTo("two lines");
    }

    @Test
    void aJobThatIsStoppedEndsAtItsNextStep() throws InterruptedException {
        Job job = Job.start(
                "discover",
                EXAMPLES.resolve("residual.yaml").toString(),
                "--seed",
                "101",
                "--set",
                "recipe.steps=1000000",
                "--set",
                "recipe.width=8",
                "--out",
                path("long"));
        while (job.done() == 0) {
            assertThat(job.waitFor(1)).as(job.err()).isFalse();
        }
        assertThat(job.code()).isEqualTo(-1);
        job.stop();
        assertThat(job.waitFor(MINUTE)).isTrue();
        assertThat(job.code()).isEqualTo(ExitCode.FAILED);
        assertThat(job.done()).isLessThan(1_000_000);
        assertThat(folder.resolve("long/action.safetensors")).doesNotExist();
    }

    @Test
    void anOpenedRunMovesPointsAsItsActionDoes() throws Exception {
        OpenedRun opened = OpenedRun.open(fitted());
        var action = RunDirectory.open(folder.resolve("run")).action();
        double[] origin = opened.origin();
        assertThat(origin).hasSize(opened.parameterCount()).hasSize(52);
        double[] element = opened.exponentials(opened.generator(0));
        double[] expected = action.apply(GroupWord.exp(1), origin);
        assertThat(opened.apply(element, origin)).containsExactly(expected, within(1e-14));
        assertThat(expected).isNotEqualTo(origin);

        double[] many = repeated(opened.apply(repeated(element, 5000), repeated(origin, 5000)), 1);
        assertThat(Arrays.copyOfRange(many, 4999 * 52, 5000 * 52)).containsExactly(expected, within(1e-14));
        assertThat(opened.apply(new double[0], new double[0])).isEmpty();

        Map<String, double[]> tensors = opened.tensors(expected);
        assertThat(tensors.keySet()).containsExactly("up1.weight", "head.weight");
        assertThat(opened.shape("head.weight")).containsExactly(10, 16);
        assertThat(Objects.requireNonNull(tensors.get("up1.weight"))[16]).isEqualTo(expected[1]);
        assertThatThrownBy(() -> opened.apply(element, new double[51]))
                .hasMessageContaining("expected (n, 2, 2) and (n, 52)");
    }

    private static double[] repeated(double[] numbers, int times) {
        double[] all = new double[numbers.length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(numbers, 0, all, i * numbers.length, numbers.length);
        }
        return all;
    }

    /** Its cells end in threads of their own. */
    @Test
    void anEvaluationSaysHowFarItIsAndStops() throws Exception {
        String run = fitted();
        Job whole = ended("evaluate", run, "--quiet");
        assertThat(whole.code()).isEqualTo(ExitCode.DONE);
        assertThat(whole.unit()).isEqualTo("cells");
        assertThat(whole.done()).isEqualTo(whole.total()).isGreaterThan(20);
        Files.delete(Path.of(run, "evaluation.json"));

        Job stopped = Job.start("evaluate", run, "--quiet");
        stopped.stop();
        assertThat(stopped.waitFor(MINUTE)).isTrue();
        assertThat(stopped.code()).isNotEqualTo(ExitCode.DONE);
        assertThat(Path.of(run, "evaluation.json")).doesNotExist();
    }

    @Test
    void manyPointsAreWrittenAtOnce() throws Exception {
        String run = fitted();
        String file = path("thetas.npz");
        assertThat(Run.of("apply", run, "--t", "-1:1:5", "--out", file).out())
                .startsWith("theta at 5 coefficients, 52 numbers each, written to ");
        OpenedRun opened = OpenedRun.open(run);
        try (Npz npz = Npz.open(Path.of(file))) {
            assertThat(npz.tensor("t").toDoubles()).containsExactly(-1, -0.5, 0, 0.5, 1);
            double[] thetas = npz.tensor("theta").toDoubles();
            assertThat(thetas).hasSize(5 * 52);
            assertThat(Arrays.copyOfRange(thetas, 2 * 52, 3 * 52))
                    .containsExactly(npz.tensor("theta0").toDoubles());
            assertThat(Arrays.copyOfRange(thetas, 4 * 52, 5 * 52))
                    .containsExactly(
                            opened.apply(opened.exponentials(opened.generator(0)), opened.origin()), within(1e-14));
        }
        Run refused = Run.of("apply", run, "--t", "-1:1:5", "--out", path("thetas.onnx"));
        assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err())
                .contains("--t with many coefficients writes an npz file")
                .hasLineCount(1);
        assertThat(Files.exists(folder.resolve("thetas.onnx"))).isFalse();
    }

    @Test
    void anOpenedModelComputesWhatTheCommandDoes() throws IOException {
        String model = EXAMPLES.resolve("digits/tanh.onnx").toString();
        String inputs = EXAMPLES.resolve("digits/tanh-inputs.npz").toString();
        try (OpenedModel opened = OpenedModel.open(model, null, inputs);
                Npz expected = Npz.open(EXAMPLES.resolve("digits/tanh-outputs.npz"))) {
            String output = opened.outputs().getFirst();
            double[] computed = opened.run(Map.of(), 0).get(output);
            assertThat(computed)
                    .containsExactly(
                            expected.tensor(expected.names().getFirst()).toDoubles(), within(1e-4));
            String weight = opened.parameters().getFirst();
            double[] none = new double[opened.numbers(weight).length];
            assertThat(opened.run(Map.of(weight, none), 0).get(output)).isNotEqualTo(computed);
            assertThat(opened.batchCount()).isEqualTo(1);
        }
    }
}
