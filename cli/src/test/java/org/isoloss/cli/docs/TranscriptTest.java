package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The harness of {@link ReadmeTest} sees what is wrong. */
class TranscriptTest {
    private static final String PAGE = """
            text
            ```console
            $ ./isoloss --version
            isoloss … (Java …)
            $ printf 'a\\nb\\nc\\n' | \\
              head -n 2
            a
            …
            ```
            ~~~yaml
            a: 1
            ```
            ~~~
            """;

    @Test
    void findsBlocksWithTheirLines() {
        List<Block> blocks = Block.in("page.md", PAGE);

        assertThat(blocks).extracting(Block::toString).containsExactly("page.md:2 console", "page.md:10 yaml");
        assertThat(blocks.get(1).text()).isEqualTo("a: 1\n```");
    }

    @Test
    void readsCommandsWithTheirOutput() {
        assertThat(Transcript.of(Block.in("page.md", PAGE).getFirst()).steps())
                .containsExactly(
                        new Transcript.Step("./isoloss --version", List.of("isoloss … (Java …)")),
                        new Transcript.Step("printf 'a\\nb\\nc\\n' | \\\n  head -n 2", List.of("a", "…")));
    }

    @Test
    void runsThem(@TempDir Path folder) throws Exception {
        List<Transcript.Step> steps =
                Transcript.of(Block.in("page.md", PAGE).getFirst()).steps();
        try (Shell shell = Shell.in(folder, Pages.REPOSITORY)) {
            for (Transcript.Step step : steps) {
                Shell.Result result = shell.run(step.command(), 2);
                assertThat(result.code()).isZero();
                assertThat(step.matches(result.output())).as(result.output()).isTrue();
            }
            assertThat(shell.run("./isoloss no-such-command", 2).code()).isEqualTo(2);
            assertThat(shell.run("ls examples/digits/tanh.safetensors", 2).code())
                    .isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a,a,true",
        "a|b,a|b,true",
        "a|b,a,false",
        "a,a|b,false",
        "1.5,1x5,false",
        "…,,true",
        "…,a|b,true",
        "a|…|z,a|z,true",
        "a|…|z,a|b|c|z,true",
        "a|…|z,a|b|c,false",
        "a|…,a,false",
        "a|…,a|b|c,true",
        "x … y,x 12 y,true",
        "x … y,x 12|13 y,false",
        "x…,x,true",
        "'','',true",
        "'',a,false"
    })
    void dotsStandForAnything(String expected, String output, boolean matches) {
        String shown = output == null ? "" : output.replace('|', '\n') + "\n";

        assertThat(new Transcript.Step("c", List.of(expected.split("\\|", -1))).matches(shown))
                .isEqualTo(matches);
    }

    @Test
    void anErrorLineMeansThatTheCommandFails() {
        assertThat(new Transcript.Step("c", List.of("isoloss: error: no such file")).shouldFail())
                .isTrue();
        assertThat(new Transcript.Step("c", List.of("all is well")).shouldFail())
                .isFalse();
    }

    @Test
    void refusesWhatItCannotRun() {
        assertThatThrownBy(() ->
                        Transcript.of(Block.in("p", "```console\nls\n```\n").getFirst()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("p:1 console: line 1 is no command: ls");
        assertThatThrownBy(
                        () -> Transcript.of(Block.in("p", "```console\n```\n").getFirst()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("p:1 console: a console block without a command");
        assertThatThrownBy(() -> Block.in("p", "```sh\nls\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("p:1: the fence is never closed");
    }
}
