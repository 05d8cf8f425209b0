package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Every fenced block of README.md, CONTRIBUTING.md and docs/ is true.
 *
 * <p>{@code console}: the commands of a page run one after the other in one folder and print what is shown; {@code console
 * slow}: the same, with {@code -Pslow} only. {@code java}: stands word for word in a test. {@code python}: is run by
 * {@code RunFolderTest}, and those of README.md and docs/python.md by {@code python/test}. {@code yaml}, {@code json}: can be read.
 * {@code sh}, {@code text}, {@code mermaid}, {@code bibtex}: not run, so they hold no command of ours with a prompt. Any
 * other block fails.
 */
class ReadmeTest {
    /** How long a command that hangs is waited for. */
    private static final int MINUTES = 15;

    private static final int SLOW_MINUTES = 30;
    private static final Pattern PROGRESS = Pattern.compile("(?m)^[^:\n]+: \\d+ of \\d+ \\S+, about \\d+ s left\n");
    private static final List<Path> TESTS = Stream.of("cli", "library", "reproduce")
            .map(module -> Pages.REPOSITORY.resolve(Path.of(module, "src", "test", "java")))
            .toList();

    @TempDir
    private Path folder;

    static List<Path> pages() {
        return Pages.all();
    }

    static List<Block> blocks() {
        return Pages.all().stream().flatMap(page -> Pages.blocks(page).stream()).toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void consoleBlocksPrintWhatTheyShow(Path page) throws Exception {
        run(page, List.of("console"), MINUTES);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("pages")
    void slowConsoleBlocksPrintWhatTheyShow(Path page) throws Exception {
        run(page, List.of("console", "console slow"), SLOW_MINUTES);
    }

    private void run(Path page, List<String> kinds, int minutes) throws Exception {
        try (Shell shell = Shell.in(folder, Pages.REPOSITORY)) {
            for (Block block : Pages.blocks(page)) {
                if (kinds.contains(block.info())) {
                    run(block, shell, minutes);
                }
            }
        }
    }

    private static void run(Block block, Shell shell, int minutes) throws Exception {
        for (Transcript.Step step : Transcript.of(block).steps()) {
            Shell.Result result = shell.run(step.command(), minutes);
            assertThat(result.code() != 0)
                    .as("%s: `%s` exits with %d:%n%s", block, step.command(), result.code(), result.output())
                    .isEqualTo(step.shouldFail());
            if (!step.matches(withoutProgress(result.output()))) {
                fail("%s: `%s` prints%n%s%nexpected%n%s"
                        .formatted(block, step.command(), result.output(), String.join("\n", step.expected())));
            }
        }
    }

    /** On a busy machine any command may be slow enough to say how far it is. */
    private static String withoutProgress(String output) {
        return PROGRESS.matcher(output).replaceAll("");
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void everyBlockIsOfAKindThatIsChecked(Block block) {
        switch (block.info()) {
            case "console", "console slow" ->
                assertThat(Transcript.of(block).steps()).isNotEmpty();
            case "java" -> {
                if (!block.text()
                        .strip()
                        .equals(LibraryPageTest.program().strip())) { // which is compiled and run there
                    assertThat(words(tests())).as("%s in a test", block).contains(words(block.text()));
                }
            }
            case "python", "python torch", "python jax" -> {
                Path page = Path.of(block.page());
                if (!page.endsWith("README.md") && !page.endsWith("python.md")) { // which python/test runs
                    assertThat(block.text())
                            .as("%s, which RunFolderTest runs", block)
                            .isEqualTo(RunFolderTest.program().strip());
                }
            }
            case "yaml" ->
                assertThatCode(() -> new YAMLMapper().readTree(block.text()))
                        .as("%s", block)
                        .doesNotThrowAnyException();
            case "json" ->
                assertThatCode(() -> JsonMapper.shared().readTree(block.text()))
                        .as("%s", block)
                        .doesNotThrowAnyException();
            case "sh", "text", "mermaid", "bibtex" ->
                assertThat(block.lines())
                        .as("%s: commands with a prompt belong into a console block", block)
                        .noneMatch(line -> line.startsWith("$ "));
            default -> fail("%s: no test knows blocks of this kind".formatted(block));
        }
    }

    private static String words(String text) {
        return String.join(" ", text.strip().split("\\s+", -1));
    }

    private static String tests() {
        return TESTS.stream().map(ReadmeTest::everyFile).collect(Collectors.joining("\n"));
    }

    private static String everyFile(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .map(Pages::read)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
