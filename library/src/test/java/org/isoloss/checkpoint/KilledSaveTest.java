package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that saves over its own source again and again: the file is always one of the saved ones, whole. */
@Tag("slow")
class KilledSaveTest {
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
        Path file = folder.resolve("x.safetensors");
        Path ready = folder.resolve("ready");
        new SafetensorsWriter().add("a", Shape.of(WEIGHTS), new float[WEIGHTS]).saveTo(file);
        AtomicInteger left = new AtomicInteger();
        KilledSaver.run(Saver.class, file, ready, kill -> {
            int now = temporaries();
            assertThat(now).as("those of earlier kills are gone").isLessThanOrEqualTo(1);
            left.addAndGet(now);
            try (Checkpoint checkpoint = Checkpoint.open(file)) {
                double[] values = checkpoint.tensor("a").toDoubles();
                assertThat(values).hasSize(WEIGHTS);
                assertThat(Arrays.stream(values).distinct().toArray())
                        .as("kill %d", kill)
                        .hasSize(1);
            }
        });
        assertThat(left).as("some were killed while they wrote").hasPositiveValue();
        Checkpoint.edit(file).saveAs(file);
        assertThat(temporaries()).isZero();
    }

    private int temporaries() throws IOException {
        try (var files = Files.newDirectoryStream(folder, ".x.safetensors.*.tmp")) {
            return Math.toIntExact(
                    StreamSupport.stream(files.spliterator(), false).count());
        }
    }
}
