package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that saves over its own source again and again: the file is always one of the saved ones, whole. */
@Tag("slow")
class KilledSaveTest {
    private static final int KILLS = 50;
    private static final int WEIGHTS = 1 << 20;

    @TempDir
    Path folder;

    /** Saves until it is killed, each time with all weights one higher. */
    static final class Saver {
        private Saver() {}

        public static void main(String[] arguments) throws IOException {
            Path file = Path.of(arguments[0]);
            double[] values = new double[WEIGHTS];
            for (double value = 1; ; value++) {
                Arrays.fill(values, value);
                Checkpoint.edit(file).with("a", values).saveAs(file);
                Files.writeString(Path.of(arguments[1]), "saved");
            }
        }
    }

    @Test
    void aKilledSaveLeavesOneOfTheSavedFiles() throws IOException, InterruptedException {
        var random = new SplittableRandom(1);
        Path file = folder.resolve("x.safetensors");
        Path ready = folder.resolve("ready");
        new SafetensorsWriter().add("a", Shape.of(WEIGHTS), new float[WEIGHTS]).saveTo(file);
        for (int kill = 0; kill < KILLS; kill++) {
            Files.deleteIfExists(ready);
            Process saver = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Saver.class.getName(),
                            file.toString(),
                            ready.toString())
                    .inheritIO()
                    .start();
            while (!Files.exists(ready)) {
                assertThat(saver.isAlive()).isTrue();
                Thread.onSpinWait();
            }
            saver.waitFor(random.nextInt(50), TimeUnit.MILLISECONDS);
            saver.destroyForcibly().waitFor();

            try (Checkpoint checkpoint = Checkpoint.open(file)) {
                double[] values = checkpoint.tensor("a").toDoubles();
                assertThat(values).hasSize(WEIGHTS);
                assertThat(Arrays.stream(values).distinct().toArray())
                        .as("kill %d", kill)
                        .hasSize(1);
            }
        }
        try (var left = Files.newDirectoryStream(folder, ".x.safetensors.*.tmp")) {
            assertThat(left).as("some were killed while they wrote").isNotEmpty();
        }
    }
}
