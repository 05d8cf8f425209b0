package org.isoloss.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a fit at random moments, twenty times, and lets it go on: in the end the bytes are those of an unbroken fit. */
@Tag("slow")
class KilledFitTest {
    private static final int KILLS = 20;
    private static final Recipe RECIPE = TinyFit.recipe(4_000, 48);

    @TempDir
    Path folder;

    /** One fit in a process of its own. */
    static final class Fitting {
        private Fitting() {}

        public static void main(String[] arguments) throws IOException {
            Training training = new Training(TinyFit.linear(Group.ONE_GENERATOR), ObjectiveKind.HYBRID, RECIPE, 1);
            RunDirectory run = RunDirectory.create(Path.of(arguments[0]), "name: x\n", 1);
            Path started = Path.of(arguments[1]);
            Fit.of(training, RECIPE, run).savedEvery(50).run((step, steps, loss) -> {
                try {
                    if (!Files.exists(started)) {
                        Files.writeString(started, "started");
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private Process start(Path run, Path started) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Fitting.class.getName(),
                        run.toString(),
                        started.toString())
                .inheritIO()
                .start();
    }

    @Test
    void aFitKilledTwentyTimesWritesTheBytesOfAnUnbrokenOne() throws IOException, InterruptedException {
        Path whole = folder.resolve("whole");
        assertThat(start(whole, folder.resolve("whole-started")).waitFor()).isZero();
        Path broken = folder.resolve("broken");
        var random = new SplittableRandom(1);
        int killed = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            Path started = folder.resolve("started-" + kill);
            Process process = start(broken, started);
            while (!Files.exists(started) && process.isAlive()) {
                Thread.onSpinWait();
            }
            if (!process.waitFor(random.nextInt(120), TimeUnit.MILLISECONDS)) {
                killed++;
            }
            process.destroyForcibly().waitFor();
        }
        assertThat(killed).as("kills that met a running fit").isGreaterThan(KILLS / 4);
        assertThat(start(broken, folder.resolve("last")).waitFor()).isZero();

        for (String file : List.of("task.yaml", "action.safetensors", "checkpoint.safetensors", "metrics.jsonl")) {
            assertThat(broken.resolve(file)).hasSameBinaryContentAs(whole.resolve(file));
        }
    }
}
