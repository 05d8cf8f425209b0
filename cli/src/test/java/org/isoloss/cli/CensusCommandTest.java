package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.isoloss.checkpoint.ElementType;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.SafetensorsWriter;
import org.isoloss.checkpoint.Shape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CensusCommandTest {
    private static final String DIGITS =
            Path.of("..", "examples", "digits", "digits.csv.gz").toString();

    @TempDir
    Path folder;

    private String early = "";
    private String late = "";
    private String data = "";

    /** Two checkpoints of a ReLU network 5-3-2 without biases, and 40 inputs whose last number is always 0. */
    @BeforeEach
    void makeNetworks() throws IOException {
        early = network("early.safetensors", 3, 1).toString();
        late = network("late.safetensors", 3, 2).toString();
        var random = new SplittableRandom(3);
        double[] inputs = new double[200];
        Arrays.setAll(inputs, i -> i % 5 == 4 ? 0 : random.nextGaussian());
        var writer = new NpzWriter();
        writer.add("input", Shape.of(40, 5), inputs);
        data = folder.resolve("x.npz").toString();
        writer.saveTo(Path.of(data));
    }

    private Path network(String name, int hidden, long seed) throws IOException {
        var random = new SplittableRandom(seed);
        double[] first = new double[5 * hidden];
        double[] second = new double[2 * hidden];
        Arrays.setAll(first, _ -> random.nextGaussian());
        Arrays.setAll(second, _ -> random.nextGaussian());
        Path path = folder.resolve(name);
        new SafetensorsWriter()
                .add("0.weight", ElementType.F32, Shape.of(hidden, 5), first)
                .add("2.weight", ElementType.F32, Shape.of(2, hidden), second)
                .saveTo(path);
        return path;
    }

    private Run census(String... more) {
        return Run.of(Stream.concat(Stream.of("census"), Arrays.stream(more)).toArray(String[]::new));
    }

    private static JsonNode json(Run run) {
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.DONE);
        return JsonMapper.shared().readTree(run.out());
    }

    /** A scale for each of three units, and of the batch three weights that read what is always 0. */
    @Test
    void checkpointsAreCountedInTheirOrder() {
        JsonNode json = json(census(
                early,
                late,
                "--activation=relu",
                "--data",
                data,
                "--steps=10,100",
                "--format=json",
                "--out",
                folder.resolve("out").toString()));
        assertThat(json.get("along").asString()).isEqualTo("training step");
        assertThat(json.get("rows").size()).isEqualTo(2);
        for (JsonNode row : json.get("rows")) {
            assertThat(row.get("parameters").asInt()).isEqualTo(21);
            assertThat(row.get("outputs").asInt()).isEqualTo(80);
            assertThat(row.get("symmetries").asInt()).isEqualTo(3);
            assertThat(row.get("unexplained").asInt()).isZero();
            assertThat(row.get("batch").asInt()).isEqualTo(3);
            assertThat(row.get("dimension").asInt()).isEqualTo(6);
            assertThat(row.get("gap").asDouble()).isGreaterThan(1e4);
            assertThat(row.get("spectrum").size()).isEqualTo(21);
        }
        assertThat(json.get("rows").get(1).get("at").asDouble()).isEqualTo(100);
        Path out = folder.resolve("out");
        assertThat(out.resolve("census.svg")).content().contains("role=\"img\"", "training step");
        assertThat(out.resolve("census.csv")).content().contains("all that keeps the outputs");
        assertThat(out.resolve("census-table.csv")).content().contains("early.safetensors,40,80,21,6,3,3,0,");
        assertThat(out.resolve("census-spectrum.csv")).content().contains("above 1e-08");
        assertThat(out.resolve("provenance.json")).content().contains("early.safetensors", "x.npz");
    }

    @Test
    void batchesGrow() {
        JsonNode json = json(
                census(early, "--activation=relu", "--data", data, "--rows=0..40", "--sizes=1,2,40", "--format=json"));
        List<Integer> inputs = json.get("rows")
                .valueStream()
                .map(row -> row.get("inputs").asInt())
                .toList();
        assertThat(inputs).containsExactly(1, 2, 40);
        assertThat(json.get("rows").get(0).get("dimension").asInt()).isEqualTo(21 - 2);
        assertThat(json.get("rows").get(1).get("dimension").asInt()).isEqualTo(21 - 4);
        assertThat(json.get("rows").get(2).get("dimension").asInt()).isEqualTo(6);
    }

    @Test
    void theTableEndsWithWhatItSays() {
        Run run = census(early, late, "--activation=relu", "--data", data);
        assertThat(run.out()).endsWith("the dimension of what keeps the outputs on the data is 6 throughout\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --sizes=2,3          | --sizes goes with one network, got 2
            --steps=1            | --steps gives 1 numbers for 2 checkpoints; give one for each
            --rows=0..41         | rows [0, 41] asked for, but
            --outputs=scores     | the model has no output "scores"
            --moving=0.bias      | the model has no parameter "0.bias"
            """)
    void whatDoesNotFitIsOneLine(String option, String message) {
        Run run = census(early, late, "--activation=relu", "--data", data, option);
        assertThat(run.code()).isNotEqualTo(ExitCode.DONE);
        assertThat(run.err()).hasLineCount(1).contains(message);
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --sizes=0            | --sizes takes numbers of inputs, at least 1, got 0
            --rows=2..5,--sizes=4 | --sizes asks for 4 inputs, and --rows has 3
            """)
    void sizesThatAreNotThereAreRefused(String options, String message) {
        Run run = Run.of(Stream.concat(
                        Stream.of("census", early, "--activation=relu", "--data", data),
                        Arrays.stream(options.split(",", -1)))
                .toArray(String[]::new));
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
    }

    @Test
    void checkpointsOfDifferentArchitecturesAreRefused() throws IOException {
        String wider = network("wider.safetensors", 4, 1).toString();
        Run run = census(early, wider, "--activation=relu", "--data", data);
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err())
                .hasLineCount(1)
                .contains(wider + " is no checkpoint of the network of " + early
                        + ": the parameter '0.weight' has shape (3, 5) in the first network and (4, 5) in the second");
    }

    @Test
    void dataThatDoNotFitAreRefused() {
        Run run = census(early, "--activation=relu", "--data", DIGITS, "--rows=0..3");
        assertThat(run.code()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).hasLineCount(1).contains("65 numbers an input, the network takes 5");
    }

    @Test
    void dataAreNeeded() {
        Run run = census(early);
        assertThat(run.code()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("Missing required option: '--data=FILE'");
    }
}
