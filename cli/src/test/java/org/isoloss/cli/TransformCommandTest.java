package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.isoloss.cli.Run.json;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.Shape;
import org.isoloss.source.Bindings;
import org.isoloss.source.StoredModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class TransformCommandTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final String RELU =
            EXAMPLES.resolve("digits").resolve("relu-nobias.safetensors").toString();

    @TempDir
    Path folder;

    private String out(String name) {
        return folder.resolve(name).toString();
    }

    private static double[] weights(String file) throws IOException {
        try (Checkpoint checkpoint = SafetensorsFile.open(Path.of(file))) {
            return checkpoint.names().stream()
                    .flatMapToDouble(name -> {
                        try {
                            return Arrays.stream(checkpoint.tensor(name).toDoubles());
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    })
                    .toArray();
        }
    }

    /** Other weights, the same function; the inverse element gives the weights back, to the rounding of F32. */
    @Test
    void elementIsAppliedKeptAndTakenBack() throws IOException {
        JsonNode there =
                json(Run.of("transform", RELU, "--random", "5", "--out", out("a.safetensors"), "--format", "json"));
        assertThat(there.get("outputs_before_rounding").asDouble()).isLessThan(1e-12);
        assertThat(there.get("outputs_as_written").asDouble()).isBetween(1e-12, 1e-6);
        assertThat(there.get("weights_changed").asLong()).isGreaterThan(1000);
        json(Run.of(
                "transform",
                out("a.safetensors"),
                "--element",
                there.get("element").asString(),
                "--inverse",
                "--out",
                out("b.safetensors"),
                "--format",
                "json"));
        double[] own = weights(RELU);
        double[] moved = weights(out("a.safetensors"));
        double[] back = weights(out("b.safetensors"));
        double farthest = 0;
        double largest = 0;
        for (int i = 0; i < own.length; i++) {
            farthest = Math.max(farthest, Math.abs(moved[i] - own[i]));
            largest = Math.max(largest, Math.abs(back[i] - own[i]));
        }
        assertThat(farthest).isGreaterThan(0.1);
        assertThat(largest).isLessThan(1e-6);
    }

    /** What a gradient says of a step along the weights is the same number for the moved network: their products keep their sum. */
    @Test
    void momentsGoAlong() throws IOException {
        Path state = folder.resolve("state.npz");
        NpzWriter writer = new NpzWriter();
        double before = 0;
        try (Checkpoint checkpoint = SafetensorsFile.open(Path.of(RELU))) {
            for (String name : checkpoint.names()) {
                double[] own = checkpoint.tensor(name).toDoubles();
                double[] moments = new double[own.length];
                Arrays.setAll(moments, i -> Math.sin(1 + i));
                for (int i = 0; i < own.length; i++) {
                    before += own[i] * moments[i];
                }
                writer.add(name + ".exp_avg", checkpoint.tensor(name).shape(), moments);
            }
        }
        writer.saveTo(state);
        String target = out("moved.safetensors");
        Run run = Run.of("transform", RELU, "--random", "5", "--optimizer", state.toString(), "--out", target);
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).contains("the moments to " + target + ".optimizer.npz");
        double after = 0;
        try (Checkpoint moved = SafetensorsFile.open(Path.of(target));
                Checkpoint moments = Checkpoint.open(Path.of(target + ".optimizer.npz"))) {
            for (String name : moved.names()) {
                double[] own = moved.tensor(name).toDoubles();
                double[] theirs = moments.tensor(name + ".exp_avg").toDoubles();
                for (int i = 0; i < own.length; i++) {
                    after += own[i] * theirs[i];
                }
            }
        }
        assertThat(after).isCloseTo(before, within(1e-5)); // weights in F32
        Path none = folder.resolve("none.npz");
        new NpzWriter().add("0.weight", Shape.of(1, 1), new double[1]).saveTo(none);
        Run refused = Run.of(
                "transform", RELU, "--random", "5", "--optimizer", none.toString(), "--out", out("no.safetensors"));
        assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err())
                .contains("has no moments of the model's parameters; expected tensors such as '0.weight.exp_avg'");
        assertThat(folder.resolve("no.safetensors")).doesNotExist();
    }

    /** What nothing reads in a state is refused by name, and steps stay. */
    @Test
    void tensorsThatAreNoMomentsAreRefused() throws IOException {
        for (String other : List.of("0.weight.max_exp_avg_sq", "1.weight.exp_avg", "0.weight.exp_avg_sq")) {
            Path state = folder.resolve("state.npz");
            NpzWriter writer = new NpzWriter();
            try (Checkpoint checkpoint = SafetensorsFile.open(Path.of(RELU))) {
                for (String name : checkpoint.names()) {
                    Shape shape = checkpoint.tensor(name).shape();
                    writer.add(name + ".exp_avg", shape, new double[(int) shape.count()]);
                }
                Shape shape = checkpoint.tensor("0.weight").shape();
                writer.add("0.weight.step", Shape.of(), 7);
                writer.add(other, shape, new double[(int) shape.count()]);
            }
            writer.saveTo(state);
            Run run = Run.of(
                    "transform",
                    RELU,
                    "--random",
                    "5",
                    "--optimizer",
                    state.toString(),
                    "--out",
                    out("no.safetensors"));
            assertThat(run.code()).isEqualTo(ExitCode.FAILED);
            assertThat(run.err())
                    .contains(
                            other.equals("0.weight.exp_avg_sq")
                                    ? "and no '2.weight.exp_avg_sq', which other parameters have"
                                    : "the tensor '%s' is no moment of a parameter of the model".formatted(other));
            assertThat(folder.resolve("no.safetensors")).doesNotExist();
        }
    }

    /** A tied tensor's moments are of both its uses. */
    @Test
    void momentsOfWhatIsUntiedAreRefused() {
        Run run = Run.of(
                "transform", RELU, "--random", "5", "--untie", "--optimizer", RELU, "--out", out("no.safetensors"));
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("--optimizer goes without --untie");
    }

    @Test
    void sameSeedWritesTheSameBytes() throws IOException {
        for (String name : List.of("a.onnx", "b.onnx")) {
            Run run = Run.of(
                    "transform",
                    EXAMPLES.resolve("networks").resolve("recurrent.onnx").toString(),
                    "--random",
                    "3",
                    "--out",
                    out(name));
            assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
            assertThat(run.out()).contains("before rounding").contains("element.npz");
        }
        assertThat(Files.readAllBytes(folder.resolve("a.onnx")))
                .isEqualTo(Files.readAllBytes(folder.resolve("b.onnx")));
        assertThat(Files.readAllBytes(folder.resolve("a.onnx.element.npz")))
                .isEqualTo(Files.readAllBytes(folder.resolve("b.onnx.element.npz")));
        try (StoredModel read = StoredModel.open(folder.resolve("a.onnx"), Bindings.NONE.axis("batch", 1))) {
            assertThat(read.model().parameterCount()).isEqualTo(922);
        }
    }

    /** As many copies as seeds, all different, each the same function. */
    @Test
    void severalSeedsGiveSeveralCopies() throws IOException {
        Run run = Run.of("transform", RELU, "--random", "1..3", "--out", out("copy-{seed}.safetensors"));
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        assertThat(run.out()).hasLineCount(3).contains("copy-2.safetensors: outputs change by");
        List<double[]> copies = new ArrayList<>();
        for (int seed = 1; seed <= 3; seed++) {
            assertThat(folder.resolve("copy-%d.safetensors.element.npz".formatted(seed)))
                    .exists();
            copies.add(weights(out("copy-%d.safetensors".formatted(seed))));
        }
        assertThat(copies.get(0)).isNotEqualTo(copies.get(1));
        assertThat(copies.get(1)).isNotEqualTo(copies.get(2));
        json(Run.of("transform", RELU, "--random", "2", "--out", out("a.safetensors"), "--format", "json"));
        assertThat(copies.get(1)).isEqualTo(weights(out("a.safetensors")));
    }

    @Test
    void chosenFamilyAloneMoves() throws IOException {
        json(Run.of(
                "transform",
                RELU,
                "--random",
                "5",
                "--family",
                "permutations",
                "--out",
                out("a.safetensors"),
                "--format",
                "json"));
        double[] own = weights(RELU);
        double[] moved = weights(out("a.safetensors"));
        assertThat(moved).isNotEqualTo(own);
        Arrays.sort(own);
        Arrays.sort(moved);
        assertThat(moved).isEqualTo(own);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --family=nope --random=1    | has no family 'nope'; it has permutations at all, scales at all
            --random=1 --layer=9.weight | has no family at layer '9.weight'; it has permutations at all, scales at all
            --inverse --random=1        | --random takes no --inverse
            --all --random=1 --layer=x  | --all chooses every family and takes no --layer
            --all --canonical           | --canonical says what is applied and takes no --all
            --element=e.npz --layer=x   | --element says what is applied and takes no --layer
            --element=missing.npz       | missing.npz
            --random=1..3               | with several seeds expected --out with {seed} in it
            --quiet                     | expected one of --random=SEED, --element=FILE, --canonical
            """)
    void whatCannotBeAppliedIsOneLineAndWritesNothing(String options, String message) {
        List<String> words = new ArrayList<>(List.of("transform", RELU, "--out", out("a.safetensors")));
        words.addAll(List.of(options.split(" ")));
        Run run = Run.of(words.toArray(String[]::new));
        assertThat(run.code()).isNotEqualTo(ExitCode.DONE);
        assertThat(run.err()).contains(message);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void anUntiedOnnxModelHasNothingToUntie() {
        Run run = Run.of(
                "transform",
                EXAMPLES.resolve("networks").resolve("recurrent.onnx").toString(),
                "--untie",
                "--out",
                out("a.onnx"));
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("recurrent.onnx", "leave out --untie");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void elementOfAnotherModelIsRefused() throws IOException {
        Path element = folder.resolve("element.npz");
        new NpzWriter().add("000 Contraction", Shape.of(2, 3), 1, 0, 0, 0, 1, 0).saveTo(element);
        Run run = Run.of("transform", RELU, "--element", element.toString(), "--out", out("a.safetensors"));
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1);
        assertThat(folder.resolve("a.safetensors")).doesNotExist();
        new NpzWriter().add("x", Shape.of(2, 2), 1, 0, 0, 1).saveTo(folder.resolve("square.npz"));
        run = Run.of("transform", RELU, "--element", out("square.npz"), "--out", out("a.safetensors"));
        assertThat(run.err()).hasLineCount(1).contains("square.npz", "the element moves 'x'");
    }
}
