package org.isoloss.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Loader;
import org.isoloss.linalg.Blas;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The environment variable that names what multiplies in a training. */
class NamedBlasTest {
    private static final String SHORT = " --set recipe.steps=20 --set recipe.width=16 --quiet";

    @TempDir
    private Path folder;

    private Shell.Result run(String command) throws IOException, InterruptedException {
        try (Shell shell = Shell.in(folder, Pages.REPOSITORY)) {
            return shell.run(command, 2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "discover examples/sigmoid-k1.yaml --seed 101 --out runs/short" + SHORT,
                "demo --out runs/short" + SHORT,
                "reproduce figure1 --out runs/figures --quiet",
                "search examples/sigmoid-k1.yaml --selection-only --selection-seeds 11 --try recipe.steps=20,recipe.width=8"
                        + " --out runs/search --quiet",
            })
    void aLibraryThatIsNotThereIsNamedByEveryCommandThatTrains(String command) throws Exception {
        Shell.Result result = run("ISOLOSS_BLAS=absent.so ./isoloss " + command);

        assertThat(result.output())
                .containsOnlyOnce("isoloss: OpenBLAS multiplies in place of ISOLOSS_BLAS=absent.so: ");
    }

    @Test
    void theLibraryIsInTheProvenanceOfWhatItTrained() throws Exception {
        assertThat(Blas.coreName()).isNotEmpty(); // unpacks OpenBLAS, which plays the library of a user
        Path library;
        try (Stream<Path> files = Files.walk(Loader.getCacheDir().toPath())) {
            library = files.filter(file -> file.getFileName().toString().matches("libopenblas.*\\.so.*"))
                    .filter(Files::isRegularFile)
                    .findFirst()
                    .orElseThrow();
        }
        String variable = "ISOLOSS_BLAS=" + library;
        String discover = " ./isoloss discover examples/sigmoid-k1.yaml --seed 101 --out runs/short" + SHORT;
        assertThat(run(variable + discover).code()).isZero();
        assertThat(folder.resolve("runs/short/provenance.json"))
                .content()
                .contains("\"blas\" : \"%s\"".formatted(library.getFileName()));

        assertThat(run(variable + " ./isoloss evaluate runs/short --declared --quiet")
                        .code())
                .isZero();
        assertThat(folder.resolve("runs/short/report.html")).content().doesNotContain("libopenblas");
    }
}
