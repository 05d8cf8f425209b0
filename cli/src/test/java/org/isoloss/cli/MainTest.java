package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class MainTest {
    @Test
    void versionIsTheBuilds() {
        Run run = Run.of("--version");

        assertThat(run.code()).isEqualTo(0);
        assertThat(run.out()).matches("isoloss \\d+\\.\\d+\\.\\d+ \\(Java \\d+, .+\\)\\R");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void verboseVersionSaysWhatComputes() {
        Run run = Run.of("--version", "--verbose");
        assertThat(run.code()).isEqualTo(0);
        assertThat(run.out().lines().map(line -> line.split(" ", 2)[0]))
                .containsExactly("isoloss", "Java", "BLAS", "kernel", "cores", "heap");
        assertThat(run.out())
                .contains(
                        Runtime.version().toString(),
                        "OpenBLAS",
                        "cores     " + Runtime.getRuntime().availableProcessors());
        assertThat(Run.of("--verbose").code()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void helpListsTheCommandsAndTheExitCodes() {
        Run run = Run.of("--help");

        assertThat(run.code()).isEqualTo(0);
        assertThat(run.out()).contains("Commands:", "help", "3   the result is not usable");
    }

    @Test
    void noCommandIsWrongUsageAndShowsTheUsage() {
        Run run = Run.of();

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("Usage: isoloss");
    }

    @Test
    void aMisspeltOptionIsOneLineWithASuggestion() {
        Run run = failing(() -> 0, "--sed", "1");

        assertThat(run)
                .isEqualTo(new Run(
                        2,
                        "",
                        "isoloss: error: Unknown options: '--sed', '1' (did you mean --seed?)"
                                + System.lineSeparator()));
    }

    @Test
    void aSeedThatIsNoNumberIsOneLine() {
        Run run = failing(() -> 0, "--seed", "seven");

        assertThat(run)
                .isEqualTo(new Run(
                        2,
                        "",
                        "isoloss: error: Invalid value for option '--seed': expected a whole number, got 'seven' (see isoloss probe --help)"
                                + System.lineSeparator()));
    }

    @Test
    void anUnknownFormatNamesTheAllowedOnes() {
        Run run = failing(() -> 0, "--format", "xml");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("'--format': expected text or json, got 'xml'")
                .hasLineCount(1);
    }

    static List<Arguments> failures() {
        return List.of(
                Arguments.of(
                        new IllegalArgumentException("k is 9,\n  expected at most 8"), 1, "k is 9, expected at most 8"),
                Arguments.of(new NumberFormatException("bad count"), 1, "bad count"),
                Arguments.of(new IOException("No space left on device"), 1, "No space left on device"),
                Arguments.of(
                        new UncheckedIOException(new NoSuchFileException("a.yaml")),
                        1,
                        "no such file or folder: a.yaml"),
                Arguments.of(new AccessDeniedException("a.yaml"), 1, "permission denied: a.yaml"),
                Arguments.of(new FileAlreadyExistsException("run"), 1, "exists already: run"),
                Arguments.of(new DirectoryNotEmptyException("run"), 1, "folder is not empty: run"),
                Arguments.of(new NotDirectoryException("run"), 1, "not a folder: run"),
                Arguments.of(new UnusableResultException("loss is NaN at step 7"), 3, "loss is NaN at step 7"),
                Arguments.of(
                        new IllegalStateException("odd"),
                        1,
                        "IllegalStateException: odd (unexpected; --stacktrace shows where)"),
                Arguments.of(
                        new ArrayIndexOutOfBoundsException(),
                        1,
                        "ArrayIndexOutOfBoundsException (unexpected; --stacktrace shows where)"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailureIsOneLine(Exception failure, int code, String line) {
        Run run = failing(() -> {
            throw failure;
        });

        assertThat(run).isEqualTo(new Run(code, "", "isoloss: error: " + line + System.lineSeparator()));
    }

    @Test
    void anErrorOfTheJvmIsOneLineToo() {
        Run memory = failing(() -> {
            throw new OutOfMemoryError("Java heap space");
        });
        Run linkage = failing(() -> {
            throw new UnsatisfiedLinkError("no openblas");
        });

        assertThat(memory.code()).isEqualTo(1);
        assertThat(memory.err())
                .startsWith("isoloss: error: out of memory (Java heap space);")
                .hasLineCount(1);
        assertThat(linkage.code()).isEqualTo(1);
        assertThat(linkage.err())
                .startsWith("isoloss: error: UnsatisfiedLinkError: no openblas")
                .hasLineCount(1);
    }

    @Test
    void stackTraceIsPrintedWhenAskedForOnEitherSide() {
        Callable<Integer> broken = () -> {
            throw new IllegalArgumentException("bad");
        };
        Run after = failing(broken, "--stacktrace");
        Run before = Run.of(withProbe(new Probe(broken)), "--stacktrace", "probe");

        assertThat(after.err())
                .contains("at org.isoloss.cli.MainTest")
                .endsWith("isoloss: error: bad" + System.lineSeparator());
        assertThat(before.err()).contains("at org.isoloss.cli.MainTest");
    }

    @Test
    void sharedOptionsFallBackToTheCommandsOwnDefaults() {
        var probe = new Probe(() -> 0);
        Run.of(withProbe(probe), "probe");

        assertThat(probe.shared.seed(101)).isEqualTo(101);
        assertThat(probe.shared.out(Path.of("runs"))).isEqualTo(Path.of("runs"));
        assertThat(probe.shared.format()).isEqualTo(OutputFormat.TEXT);
        assertThat(probe.shared.quiet()).isFalse();
    }

    @Test
    void sharedOptionsAreRead() {
        var probe = new Probe(() -> 0);
        Run run = Run.of(withProbe(probe), "probe", "--seed=-3", "--out", "a b", "--format", "json", "--quiet");

        assertThat(run.code()).isEqualTo(0);
        assertThat(probe.shared.seed(101)).isEqualTo(-3);
        assertThat(probe.shared.out(Path.of("runs"))).isEqualTo(Path.of("a b"));
        assertThat(probe.shared.format()).isEqualTo(OutputFormat.JSON);
        assertThat(probe.shared.quiet()).isTrue();
    }

    @Test
    void aFlagMayBeRepeatedAndStandOnEitherSide() {
        for (String line : List.of(
                "probe --quiet --quiet",
                "--quiet probe",
                "--quiet probe --quiet",
                "--quiet --quiet probe --quiet --quiet")) {
            var probe = new Probe(() -> 0);
            Run run = Run.of(withProbe(probe), line.split(" "));
            assertThat(run).as(line).isEqualTo(new Run(0, "", ""));
            assertThat(probe.shared.quiet()).as(line).isTrue();
        }
        assertThat(failing(() -> 0, "--stacktrace", "--stacktrace").code()).isZero();
    }

    @Test
    void aValueIsGivenOnce() {
        Run seed = failing(() -> 0, "--seed", "1", "--seed", "1");
        assertThat(seed.code()).isEqualTo(ExitCode.USAGE);
        assertThat(seed.err()).hasLineCount(1).contains("option '--seed' (N) should be specified only once");
        Run set = Run.of("subnetwork", "task.yaml", "--set", "a=1", "--set", "b=1", "--set", "a=2");
        assertThat(set.code()).isEqualTo(ExitCode.USAGE);
        assertThat(set.err()).hasLineCount(1).contains("option '--set' gives a twice");
    }

    private static CommandLine withProbe(Probe probe) {
        return new CommandLine(new IsolossCommand()).addSubcommand(probe);
    }

    private static Run failing(Callable<Integer> body, String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "probe";
        System.arraycopy(options, 0, arguments, 1, options.length);
        return Run.of(withProbe(new Probe(body)), arguments);
    }

    /** A command that does what the test says. */
    @Command(name = "probe")
    private static final class Probe implements Callable<Integer> {
        @Mixin
        private final SharedOptions shared = new SharedOptions();

        private final Callable<Integer> body;

        Probe(Callable<Integer> body) {
            this.body = body;
        }

        @Override
        public Integer call() throws Exception {
            return body.call();
        }
    }
}
