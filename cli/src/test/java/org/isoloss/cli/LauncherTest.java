package org.isoloss.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a clone of its own, with a Maven that does nothing. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class LauncherTest {
    private static final Path ROOT = Path.of("..");

    @TempDir
    Path clone;

    private void copyLauncher() throws IOException {
        Files.createDirectories(clone.resolve(".mvn"));
        Files.copy(ROOT.resolve("isoloss"), clone.resolve("isoloss"));
        Files.copy(ROOT.resolve(".mvn/find-jdk.sh"), clone.resolve(".mvn/find-jdk.sh"));
    }

    private String launch(String maven) throws IOException, InterruptedException {
        copyLauncher();
        Path mvnw = clone.resolve("mvnw");
        Files.writeString(mvnw, "#!/bin/sh\necho \"$@\" > '%s'\n%s\n".formatted(clone.resolve("asked"), maven));
        assertThat(mvnw.toFile().setExecutable(true)).isTrue();
        Path said = clone.resolve("said");
        Process process = new ProcessBuilder("sh", clone.resolve("isoloss").toString(), "--version")
                .redirectError(said.toFile())
                .redirectOutput(clone.resolve("results").toFile())
                .start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(clone.resolve("results")).isEmptyFile();
        return Files.readString(said, StandardCharsets.UTF_8);
    }

    @Test
    void saysWhatItBuildsAndShowsTheLogOfABuildThatFails() throws Exception {
        String said = launch("""
                echo '[INFO] Building isoloss 0.1.0          [1/4]'
                echo '[INFO] Building isoloss library 0.1.0          [2/4]'
                echo '[INFO] Building isoloss reproduction 0.1.0     [3/4]'
                echo 'a refusal of the compiler'
                exit 1
                """);

        assertThat(said.lines())
                .containsSubsequence(
                        "building isoloss, 1 of 5: starting Maven, which fetches what it does not have yet; all this happens once",
                        "building isoloss, 2 of 5: compiling the library, the longest part",
                        "building isoloss, 3 of 5: compiling the study",
                        "a refusal of the compiler")
                .doesNotContain("building isoloss, 4 of 5: compiling the command");
        assertThat(said).contains("isoloss: error: the build failed; its log is above and in ");
        assertThat(clone.resolve("cli/target/isoloss.built")).doesNotExist();
        assertThat(clone.resolve(".isoloss.lock")).doesNotExist();
    }

    /** The modules are named as the launcher expects them, and it asks for the profile that leaves the checks out. */
    @Test
    void knowsTheModulesAndTheProfile() throws Exception {
        String said = launch(List.of("library", "reproduce", "cli").stream()
                        .map(module -> "sed -n 's|^  <name>\\(.*\\)</name>|[INFO] Building \\1 0.1.0|p' '%s'"
                                .formatted(
                                        ROOT.resolve(module).resolve("pom.xml").toAbsolutePath()))
                        .reduce("", (all, one) -> all + one + "\n")
                + "exit 1");

        assertThat(said).contains("2 of 5", "3 of 5", "4 of 5");
        assertThat(Files.readString(clone.resolve("asked"))).contains("-Plauncher", "package");
        assertThat(Files.readString(ROOT.resolve("pom.xml")))
                .contains("<id>launcher</id>", "<classes.directory>launcher-classes</classes.directory>");
    }

    /** A jar beside the launcher is started as it is: a package has neither sources nor Maven. */
    @Test
    void aPackageIsStartedWithoutBuilding() throws Exception {
        copyLauncher();
        Files.createDirectories(clone.resolve("lib"));
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Said.class.getName());
        String entry = Said.class.getName().replace('.', '/') + ".class";
        try (var jar = new JarOutputStream(Files.newOutputStream(clone.resolve("isoloss.jar")), manifest);
                InputStream code = Objects.requireNonNull(Said.class.getResourceAsStream("/" + entry))) {
            jar.putNextEntry(new JarEntry(entry));
            code.transferTo(jar);
        }
        for (int start = 0; start < 2; start++) {
            Process process = new ProcessBuilder("sh", clone.resolve("isoloss").toString(), "symmetries", "a b.onnx")
                    .redirectError(clone.resolve("said").toFile())
                    .redirectOutput(clone.resolve("results").toFile())
                    .start();
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(clone.resolve("results")).hasContent("[symmetries, a b.onnx]");
            assertThat(clone.resolve("said")).hasContent(start == 0 ? "preparing quick starts; this happens once" : "");
        }
        assertThat(clone.resolve("cli")).doesNotExist();
        assertThat(clone.resolve("archived-run")).doesNotExist();
    }

    /** The program of the package: prints its arguments. */
    static final class Said {
        private Said() {}

        @SuppressWarnings("SystemOut") // a program of its own
        public static void main(String[] arguments) {
            System.out.println(Arrays.toString(arguments));
        }
    }
}
