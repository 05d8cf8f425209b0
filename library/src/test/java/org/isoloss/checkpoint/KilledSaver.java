package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Starts a process that saves again and again, and kills it up to 50 ms after its first save. */
final class KilledSaver {
    private static final int KILLS = 50;

    private KilledSaver() {}

    /** Looks at what a killed process left. */
    interface Check {
        void afterKill(int kill) throws IOException;
    }

    /**
     * Kills 50 processes at random moments.
     *
     * @param saver a class whose {@code main} saves to its first argument and writes the file of the second after each save
     * @param target what it saves to
     * @param ready where that file is
     */
    static void run(Class<?> saver, Path target, Path ready, Check check) throws IOException, InterruptedException {
        var random = new SplittableRandom(1);
        for (int kill = 0; kill < KILLS; kill++) {
            Files.deleteIfExists(ready);
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            saver.getName(),
                            target.toString(),
                            ready.toString())
                    .inheritIO()
                    .start();
            while (!Files.exists(ready)) {
                assertThat(process.isAlive()).isTrue();
                Thread.onSpinWait();
            }
            process.waitFor(random.nextInt(50), TimeUnit.MILLISECONDS);
            process.destroyForcibly().waitFor();
            check.afterKill(kill);
        }
    }
}
