package org.isoloss.cli.docs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.TensorDifference;
import org.isoloss.model.Clamp;
import org.isoloss.model.Dimensions;
import org.isoloss.model.Layers;
import org.isoloss.model.Model;
import org.isoloss.model.ModelBuilder;
import org.isoloss.model.Numbers;
import org.isoloss.model.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java of docs/library.md. */
class LibraryPageTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");

    /** The program of the page. */
    static String program() {
        return blocks().getFirst();
    }

    private static List<String> blocks() {
        return BLOCK.matcher(Pages.read(ROOT.resolve("docs/library.md")))
                .results()
                .map(result -> result.group(1))
                .toList();
    }

    @Test
    void theProgramCompilesAndRunsAgainstTheJars(@TempDir Path folder) throws Exception {
        Path source = folder.resolve("MoveWeights.java");
        Files.writeString(source, program());
        String classes = System.getProperty("java.class.path");
        JavaCompiler compiler = requireNonNull(ToolProvider.getSystemJavaCompiler());
        assertThat(compiler.run(null, null, null, "-cp", classes, "-d", folder.toString(), source.toString()))
                .isZero();
        Path network = ROOT.resolve("examples/networks/residual.onnx");
        Path moved = folder.resolve("moved.onnx");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        folder + System.getProperty("path.separator") + classes,
                        "MoveWeights",
                        network.toString(),
                        moved.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
        Matcher error = Pattern.compile("^[0-9.E-]+$", Pattern.MULTILINE).matcher(printed);
        assertThat(error.find()).isTrue();
        assertThat(Double.parseDouble(error.group())).isBetween(0.0, 1.0);
        assertThat(printed).contains("[");
        try (Checkpoint before = Checkpoint.open(network);
                Checkpoint after = Checkpoint.open(moved)) {
            assertThat(TensorDifference.between(before, after).stream()
                            .filter(tensor -> !tensor.isSame())
                            .map(TensorDifference::name))
                    .containsExactlyInAnyOrder("up1.weight", "head.weight");
        }
    }

    @Test
    void theBuilderMakesTheModelOfThePage() {
        assertThat(blocks().get(1)).isEqualTo("""
                        ModelBuilder builder = Model.builder();
                        Value x = builder.input("x", 4, 2); // a batch of four
                        Value up = builder.parameter("up", Dimensions.of(8, 2), Numbers.of(weights));
                        Value hidden = builder.apply(Clamp.RELU, new Layers(builder).linear(x, up, null));
                        builder.output("y", builder.sumOver(hidden, List.of(1)));
                        Model model = builder.build();
                        """);
        double[] weights = new double[16];
        ModelBuilder builder = Model.builder();
        Value x = builder.input("x", 4, 2); // a batch of four
        Value up = builder.parameter("up", Dimensions.of(8, 2), Numbers.of(weights));
        Value hidden = builder.apply(Clamp.RELU, new Layers(builder).linear(x, up, null));
        builder.output("y", builder.sumOver(hidden, List.of(1)));
        Model model = builder.build();
        assertThat(model.output("y").shape()).isEqualTo(Dimensions.of(4));
    }
}
