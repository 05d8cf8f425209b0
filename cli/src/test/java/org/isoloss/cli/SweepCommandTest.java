package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepCommandTest {
    private static final String TASK = """
            name: small
            network:
              widths: [2, 3, 2]
              activation: tanh
            data:
              gaussian: 3
            support:
              all: true
            points:
              deviation: 0.2
            recipe:
              steps: 30
              width: 8
            """;

    private static final String SWEEP = """
            name: two-by-two
            task: small.yaml
            vary: {points.deviation: [0.1, 0.3]}
            seeds: 101..102
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void writeSweep() throws IOException {
        Files.writeString(folder.resolve("small.yaml"), TASK);
        Files.writeString(folder.resolve("sweep.yaml"), SWEEP);
    }

    private Run sweep(String out, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "sweep",
                folder.resolve("sweep.yaml").toString(),
                "--out",
                folder.resolve(out).toString(),
                "--quiet"));
        arguments.addAll(Arrays.asList(more));
        return Run.of(arguments.toArray(String[]::new));
    }

    private String table(String out) throws IOException {
        return Files.readString(folder.resolve(out).resolve("tables/sweep.csv"));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void aFitOfASweepIsTheRunThatDiscoverAndEvaluateMake() throws IOException {
        Run made = sweep("all", "--threads", "2");
        assertThat(made.code()).as(made.err()).isEqualTo(ExitCode.DONE);
        assertThat(made.out()).contains("two-by-two: 4 of 4 fits made", "no failures");

        String alone = folder.resolve("alone").toString();
        Run.of(
                "discover",
                folder.resolve("small.yaml").toString(),
                "--set",
                "points.deviation=0.3",
                "--seed",
                "102",
                "--out",
                alone,
                "--quiet");
        Path fit = folder.resolve("all/fits/4");
        for (String name : List.of("task.yaml", "action.safetensors", "base.safetensors", "checkpoint.safetensors")) {
            assertThat(fit.resolve(name))
                    .hasSameBinaryContentAs(folder.resolve("alone").resolve(name));
        }
        assertThat(Run.of("evaluate", alone, "--declared").code()).isEqualTo(ExitCode.DONE);
        Run report = Run.of("evaluate", fit.toString(), "--declared", "--format", "json");
        assertThat(Run.json(report).get("output").asDouble())
                .isEqualTo(Run.json(Run.of("evaluate", alone, "--declared", "--format", "json"))
                        .get("output")
                        .asDouble());
        assertThat(table("all")).contains(Run.json(report).get("output").asString());
        assertThat(Run.of("report", folder.resolve("all/fits").toString()).out())
                .contains("fits/4");
    }

    @Test
    void manyProcessesOfOneIndexEachMakeTheTableOfOneProcess() throws IOException {
        sweep("whole", "--threads", "1");
        Run list = Run.of("sweep", folder.resolve("sweep.yaml").toString(), "--list");
        assertThat(list.out()).isEqualTo("""
                        1  points.deviation 0.1, seed 101
                        2  points.deviation 0.1, seed 102
                        3  points.deviation 0.3, seed 101
                        4  points.deviation 0.3, seed 102
                        """);
        assertThat(folder.resolve("parts")).doesNotExist();

        assertThat(sweep("parts", "--index", "3").out()).startsWith("fit 3 (points.deviation 0.3, seed 101): ");
        assertThat(sweep("parts", "--index", "1..2").out()).hasLineCount(2);
        assertThat(sweep("parts", "--table").out()).contains("3 of 4 fits made");
        Path done = folder.resolve("parts/fits/3/action.safetensors");
        Object before = Files.getLastModifiedTime(done);
        Run rest = sweep("parts", "--resume", "--threads", "2");

        assertThat(rest.code()).as(rest.err()).isEqualTo(ExitCode.DONE);
        assertThat(Files.getLastModifiedTime(done)).as("what is done stays").isEqualTo(before);
        assertThat(table("parts")).isEqualTo(table("whole"));
    }

    @Test
    void aFolderIsGoneOnWithOnlyWhenThatIsAskedFor() throws IOException {
        sweep("out", "--index", "1");
        List<Path> before = files();

        Run again = sweep("out");

        assertThat(again.code()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err())
                .hasLineCount(1)
                .contains("has 1 of the 4 fits of this sweep; go on with --resume, or give another --out");
        assertThat(files()).isEqualTo(before);
        assertThat(sweep("out", "--resume").code()).isEqualTo(ExitCode.DONE);
    }

    @Test
    void failuresAreListedApartAndTheOtherFitsAreMade() throws IOException {
        Files.writeString(folder.resolve("sweep.yaml"), """
                name: with-a-failure
                task: small.yaml
                vary:
                  network:
                    there: {widths: [2, 3, 2], activation: tanh}
                    missing: {checkpoint: none.safetensors}
                """);
        Run made = sweep("out");

        assertThat(made.code()).isEqualTo(ExitCode.UNUSABLE);
        assertThat(made.out()).contains("1 of 2 fits made", "1 failure");
        assertThat(made.err()).hasLineCount(1).contains("fit 2 (network missing, seed 101): no such file or folder: ");
        assertThat(folder.resolve("out/tables/failures.csv"))
                .content()
                .hasLineCount(2)
                .contains("none.safetensors");
        assertThat(table("out")).hasLineCount(2);
    }

    @Test
    void whatCannotBeUsedIsOneLineAndLeavesNothing() throws IOException {
        List<Path> before = files();
        assertRefused("there is no fit 5, the sweep has 4", sweep("out", "--index", "5"), ExitCode.USAGE);
        assertRefused("expected a number from 1", sweep("out", "--index", "0"), ExitCode.USAGE);
        assertRefused("out has no sweep; make it first", sweep("out", "--table"), ExitCode.FAILED);
        assertRefused("mutually exclusive", sweep("out", "--list", "--table"), ExitCode.USAGE);
        assertRefused("expected a whole number from 1, got '0'", sweep("out", "--threads", "0"), ExitCode.USAGE);
        assertRefused("--list makes no fit and takes no --out", sweep("out", "--list"), ExitCode.USAGE);
        assertRefused(
                "--table makes no fit and takes no --resume", sweep("out", "--table", "--resume"), ExitCode.USAGE);
        assertRefused("takes no --resume", sweep("out", "--index", "1", "--resume"), ExitCode.USAGE);
        assertRefused(
                "--index draws nothing and takes no --figure-width",
                sweep("out", "--index", "1", "--figure-width", "3in"),
                ExitCode.USAGE);
        assertThat(files()).isEqualTo(before);
        Files.writeString(folder.resolve("sweep.yaml"), SWEEP.replace("vary", "varies"));
        assertRefused("key 'varies' is unknown", sweep("out"), ExitCode.FAILED);
        Files.writeString(folder.resolve("sweep.yaml"), SWEEP.replace("[0.1, 0.3]", "[]"));
        assertRefused("has no values, so there are no fits", sweep("out"), ExitCode.FAILED);
        Files.writeString(folder.resolve("sweep.yaml"), SWEEP.replace("small.yaml", "none.yaml"));
        assertRefused("no such file or folder", sweep("out"), ExitCode.FAILED);
        assertThat(files()).isEqualTo(before);
    }

    private static void assertRefused(String message, Run run, int code) {
        assertThat(run.err()).hasLineCount(1).contains(message).doesNotContain("Exception", "unexpected");
        assertThat(run.code()).isEqualTo(code);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void emptyFitsCostNoTraining() throws IOException {
        Run run = sweep("empty", "--empty", "--format", "json");

        assertThat(Run.json(run).get("made").asInt()).isEqualTo(4);
        assertThat(table("empty")).contains("1,0.1,101,empty,0");
        assertThat(folder.resolve("empty/fits/1/action.safetensors")).doesNotExist();
    }
}
