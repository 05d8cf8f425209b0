package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.SafetensorsFile;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.DataSource;
import org.isoloss.task.ModelBatch;
import org.isoloss.task.ModelMove;
import org.isoloss.task.MoveDirection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MoveCommandTest {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final String DIGITS =
            EXAMPLES.resolve("digits/digits.csv.gz").toString();
    private static final Path TANH = EXAMPLES.resolve("digits/tanh.safetensors");

    @TempDir
    Path folder;

    private Run move(Path model, String rows, String... more) {
        List<String> words =
                new ArrayList<>(List.of("move", model.toString(), "--protect", DIGITS, "--label", "--scale"));
        words.addAll(List.of("16", "--rows", rows, "--quiet"));
        words.addAll(List.of(more));
        return Run.of(words.toArray(String[]::new));
    }

    private static DataSource rows(int from, int to) {
        return DataSource.table(DIGITS, null, null).taking(List.of(from, to), 16.0, true);
    }

    /** How far outputs of a file are from those of another, by the code that reads files. */
    private static double change(Path before, Path after, int from, int to) throws IOException {
        Matrix old = ModelBatch.read(before, rows(from, to), Path.of("")).outputs(Precision.FLOAT64);
        Matrix now = ModelBatch.read(after, rows(from, to), Path.of("")).outputs(Precision.FLOAT64);
        return now.minus(old).frobeniusNorm() / old.frobeniusNorm();
    }

    @ParameterizedTest
    @CsvSource({
        "digits/tanh.safetensors, 336", // 8 directions for each of 32 hidden units and 10 outputs
        "networks/residual.onnx, 0"
    })
    void thirtyPercentKeepTheProtectedOutputs(String name, int seen) throws IOException {
        Path model = EXAMPLES.resolve(name);
        Path out = folder.resolve("moved" + name.substring(name.lastIndexOf('.')));
        Path page = folder.resolve("page");
        Run run = move(
                model,
                "1347..1355",
                "--fresh-rows",
                "1355..1400",
                "--toward",
                "random:1",
                "--distance",
                "0.3",
                "--out",
                out.toString(),
                "--report",
                page.toString(),
                "--format",
                "json");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode json = JsonMapper.shared().readTree(run.out());
        assertThat(json.get("end").asString()).isEqualTo("reached");
        assertThat(json.get("distance").asDouble()).isBetween(0.29999, 0.30001);
        assertThat(json.get("protected_max_relative").asDouble()).isLessThan(1e-12);
        assertThat(json.get("protected_max_relative_written").asDouble()).isLessThan(2e-6);
        assertThat(json.get("way")).hasSize(11);
        if (seen > 0) {
            assertThat(json.get("seen_directions").asInt()).isEqualTo(seen);
        }
        assertThat(change(model, out, 1347, 1355)).isLessThan(2e-6);
        assertThat(change(model, out, 1355, 1400)).isGreaterThan(1e-2);
        assertThat(page.resolve("report.html")).exists();
        assertThat(page.resolve("figures/changes.svg")).content().contains("other inputs");
        assertThat(folder.resolve(out.getFileName() + ".moving")).doesNotExist();
    }

    /** The rounding that the issue of quantisation tools is: largest magnitude of a row over 127. */
    @Test
    void weightsThatInt8HoldsBetter() throws IOException {
        Path out = folder.resolve("rounded.safetensors");
        Run run = move(TANH, "1347..1355", "--less-rounding", "int8", "--distance", "0.004", "--out", out.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        Path before = folder.resolve("before.safetensors");
        Path after = folder.resolve("after.safetensors");
        quantise(TANH, before);
        quantise(out, after);
        double then = change(TANH, before, 1347, 1355);
        assertThat(then).isGreaterThan(1e-3);
        assertThat(change(out, after, 1347, 1355)).isLessThan(0.5 * then);
    }

    private static void quantise(Path source, Path target) throws IOException {
        var writer = new SafetensorsWriter();
        try (SafetensorsFile file = SafetensorsFile.open(source)) {
            file.metadata().forEach(writer::metadata);
            for (String name : file.names()) {
                double[] numbers = file.tensor(name).toDoubles();
                int width =
                        name.endsWith("weight") ? file.tensor(name).toMatrix().columns() : numbers.length;
                for (int first = 0; name.endsWith("weight") && first < numbers.length; first += width) {
                    double scale = 0;
                    for (int i = first; i < first + width; i++) {
                        scale = Math.max(scale, Math.abs(numbers[i]) / 127);
                    }
                    for (int i = first; i < first + width; i++) {
                        numbers[i] = scale * Math.rint(numbers[i] / scale);
                    }
                }
                writer.add(name, ElementType.F64, file.tensor(name).shape(), numbers);
            }
            writer.saveTo(target);
        }
    }

    @Test
    void theLossOnOtherInputsFalls() throws IOException {
        Run run = move(
                TANH,
                "1347..1349",
                "--loss",
                DIGITS,
                "--loss-rows",
                "0..100",
                "--distance",
                "0.02",
                "--out",
                folder.resolve("x.safetensors").toString(),
                "--format",
                "json");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        JsonNode way = JsonMapper.shared().readTree(run.out()).get("way");
        for (int i = 1; i < way.size(); i++) {
            assertThat(way.get(i).get("objective").asDouble())
                    .isLessThan(way.get(i - 1).get("objective").asDouble());
        }
    }

    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** What a kill leaves is the state after a step; the move goes on from there with the same bits. */
    @Test
    void aStoppedMoveGoesOnWithTheSameBits() throws IOException {
        Path state = folder.resolve("state");
        ModelMove.Moved whole = fresh().run(0.05, folder.resolve("other"), "a", _ -> {});
        Consumer<ModelMove.Progress> killing = progress -> {
            if (progress.steps() == 2) {
                throw new Killed();
            }
        };
        try {
            fresh().run(0.05, state, "a", killing);
            throw new AssertionError("not killed");
        } catch (Killed killed) {
            assertThat(state).exists();
        }
        ModelMove.Moved rest = fresh().run(0.05, state, "a", _ -> {});
        assertThat(rest.point()).containsExactly(whole.point());
        assertThat(rest.rows()).isEqualTo(whole.rows());
    }

    private static ModelMove fresh() throws IOException {
        ModelBatch batch = ModelBatch.read(TANH, rows(1347, 1349), Path.of(""));
        return ModelMove.of(batch, List.of("0.weight"), new MoveDirection.Random(3), null);
    }

    @Test
    void anotherMoveIsNotTakenOn() throws IOException {
        Path out = folder.resolve("m.safetensors");
        Files.copy(TANH, folder.resolve("m.safetensors.moving"));
        Run run = move(TANH, "1347..1349", "--toward", "random:3", "--distance", "0.05", "--out", out.toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("m.safetensors.moving holds another move, which was stopped");
        assertThat(out).doesNotExist();
    }

    @Test
    void moreOutputsThanMovingNumbersSayHowManyInputsCanBeKept() throws IOException {
        Run run = move(
                TANH,
                "1347..1355",
                "--moving",
                "2.weight[0:10, 0:5]",
                "--toward",
                "random:1",
                "--distance",
                "0.1",
                "--out",
                folder.resolve("x.safetensors").toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .hasLineCount(1)
                .contains(
                        "8 protected inputs have 80 output components, 50 of them independent, and 50 numbers move",
                        "the first 4 of the inputs can be kept");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--toward random:x --distance 0.1|expected a whole number behind random:, got 'x'",
                "--toward random:1|Missing required option: '--distance=SHARE'",
                "--toward random:1 --distance 0|expected a share above 0 such as 0.3, got 0.0",
                "--less-rounding int9|expected int8, int4 or bf16, got 'int9'",
                "--toward nothing.npz --distance 0.1|nothing.npz",
                "--smaller-norm --increase|a move without --loss takes no --increase",
                "--smaller-norm --sparser|",
                "--smaller-norm --moving nothing.weight|the model has no parameter \"nothing.weight\"",
                "--smaller-norm --site 4|layer 4 asked for, but the model has 1, counted from 0",
            })
    void badInputIsOneLine(String words) {
        String[] parts = words.split("\\|", -1);
        List<String> more = new ArrayList<>(List.of(parts[0].split(" ")));
        more.addAll(List.of("--out", folder.resolve("x.safetensors").toString()));
        Run run = move(TANH, "1347..1349", more.toArray(String[]::new));
        assertThat(run.code()).isIn(ExitCode.FAILED, ExitCode.USAGE);
        assertThat(run.err()).hasLineCount(1).contains(parts[1]);
        assertThat(folder).isEmptyDirectory();
    }

    /** A direction of the file's own shape moves the weights along it. */
    @Test
    void aDirectionOutOfAFileIsFollowed() throws IOException {
        Path direction = folder.resolve("direction.safetensors");
        Matrix ones = Matrix.zeros(32, 64);
        Arrays.fill(ones.entries(), 1);
        new SafetensorsWriter().add("0.weight", ones).saveTo(direction);
        Path out = folder.resolve("x.safetensors");
        Run run = move(
                TANH,
                "1347..1349",
                "--moving",
                "0.weight",
                "--toward",
                direction.toString(),
                "--distance",
                "0.05",
                "--out",
                out.toString());
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        double along = 0;
        try (SafetensorsFile before = SafetensorsFile.open(TANH);
                SafetensorsFile after = SafetensorsFile.open(out)) {
            double[] old = before.tensor("0.weight").toDoubles();
            double[] now = after.tensor("0.weight").toDoubles();
            for (int i = 0; i < old.length; i++) {
                along += now[i] - old[i];
            }
        }
        assertThat(along).isGreaterThan(0);
    }

    @Test
    void aDirectionOfAnotherShapeIsRefused() throws IOException {
        Path direction = folder.resolve("direction.safetensors");
        new SafetensorsWriter().add("0.weight", Matrix.zeros(3, 2)).saveTo(direction);
        Run run = move(
                TANH,
                "1347..1349",
                "--moving",
                "0.weight",
                "--toward",
                direction.toString(),
                "--distance",
                "0.1",
                "--out",
                folder.resolve("x.safetensors").toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .hasLineCount(1)
                .contains("has shape (3, 2), expected (32, 64), that of the tensor 0.weight");
    }

    @Test
    void aTargetOfAnotherFormatIsRefusedBeforeAnythingIsComputed() {
        Run run = move(
                TANH,
                "1347..1349",
                "--smaller-norm",
                "--out",
                folder.resolve("x.onnx").toString());
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("an edit keeps the format of its source");
    }
}
