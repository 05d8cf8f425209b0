package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that edits both files of a model folder again and again: the two always come from the same save. */
@Tag("slow")
class KilledFolderSaveTest {
    private static final int WEIGHTS = 1 << 19;

    @TempDir
    Path parent;

    /** Saves until it is killed, each time with all weights one higher. */
    static final class Saver {
        private Saver() {}

        public static void main(String[] arguments) throws IOException {
            Path folder = Path.of(arguments[0]);
            double[] values = new double[WEIGHTS];
            for (double value = 1; ; value++) {
                Arrays.fill(values, value);
                Checkpoint.edit(folder).with("a", values).with("b", values).saveAs(folder);
                Files.writeString(Path.of(arguments[1]), "saved");
            }
        }
    }

    @Test
    void aKilledSaveLeavesOneOfTheSavedModels() throws IOException, InterruptedException {
        Path folder = Files.createDirectory(parent.resolve("model"));
        Path ready = parent.resolve("ready");
        new SafetensorsWriter().add("a", Shape.of(WEIGHTS), new float[WEIGHTS]).saveTo(folder.resolve("1.safetensors"));
        new SafetensorsWriter().add("b", Shape.of(WEIGHTS), new float[WEIGHTS]).saveTo(folder.resolve("2.safetensors"));
        Files.writeString(
                folder.resolve("model.safetensors.index.json"),
                "{\"weight_map\": {\"a\": \"1.safetensors\", \"b\": \"2.safetensors\"}}");
        KilledSaver.run(Saver.class, folder, ready, kill -> {
            try (Checkpoint checkpoint = Checkpoint.open(folder)) {
                double[] values = checkpoint.tensor("a").toDoubles();
                assertThat(Arrays.stream(values).distinct().toArray())
                        .as("kill %d", kill)
                        .hasSize(1);
                assertThat(checkpoint.tensor("b").toDoubles())
                        .as("kill %d", kill)
                        .isEqualTo(values);
            }
        });
    }
}
