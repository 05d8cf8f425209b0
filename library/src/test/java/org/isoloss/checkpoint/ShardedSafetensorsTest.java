package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardedSafetensorsTest {
    private static final String FIRST = "model-00001-of-00002.safetensors";
    private static final String SECOND = "model-00002-of-00002.safetensors";

    @TempDir
    Path folder;

    private Path index;

    @BeforeEach
    void writeShards() throws IOException {
        index = folder.resolve("model.safetensors.index.json");
        new SafetensorsWriter()
                .metadata("format", "pt")
                .add("layer.weight", ElementType.F16, Shape.of(2), 1, 2)
                .saveTo(folder.resolve(FIRST));
        new SafetensorsWriter()
                .add("layer.bias", ElementType.BF16, Shape.of(1), 3)
                .saveTo(folder.resolve(SECOND));
        writeIndex("\"layer.bias\": \"%s\", \"layer.weight\": \"%s\"".formatted(SECOND, FIRST));
    }

    private void writeIndex(String map) throws IOException {
        Files.writeString(index, "{\"weight_map\": {" + map + "}}");
    }

    @Test
    void oneLayerMayLieInTwoShards() throws IOException {
        for (Path path : new Path[] {folder, index}) {
            try (Checkpoint checkpoint = Checkpoint.open(path)) {
                assertThat(checkpoint.names()).containsExactly("layer.bias", "layer.weight");
                assertThat(checkpoint.tensor("layer.weight").toDoubles()).containsExactly(1, 2);
                assertThat(checkpoint.tensor("layer.bias").toDoubles()).containsExactly(3);
                assertThat(checkpoint.metadata()).containsEntry("format", "pt");
                assertThat(checkpoint.path()).isEqualTo(index);
                assertThatThrownBy(() -> checkpoint.tensor("c"))
                        .hasMessage(index + ": no tensor 'c'; it holds 2: 'layer.bias', 'layer.weight'");
            }
        }
    }

    @Test
    void refusesATensorThatTheIndexDoesNotName() throws IOException {
        writeIndex("\"layer.weight\": \"%s\"".formatted(FIRST));
        try (Checkpoint checkpoint = Checkpoint.open(folder)) { // the second file is then none of its own
            assertThat(checkpoint.names()).containsExactly("layer.weight");
        }
        new SafetensorsWriter()
                .add("layer.weight", ElementType.F16, Shape.of(2), 1, 2)
                .add("extra", ElementType.F16, Shape.of(1), 1)
                .saveTo(folder.resolve(FIRST));
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .hasMessage(index + ": '" + FIRST + "' holds tensor 'extra', which the index does not name");
    }

    @Test
    void refusesIndicesThatLeadElsewhere() throws IOException {
        for (String name : new String[] {"/etc/x.safetensors", "..\\\\x.safetensors", "a\\u0000.safetensors", "C:x"}) {
            writeIndex("\"a\": \"" + name + "\"");
            assertThatThrownBy(() -> Checkpoint.open(index))
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessageContaining("which is not in its folder; expected a file name alone");
        }
        writeIndex("\"a\": \"pytorch_model.bin\"");
        assertThatThrownBy(() -> Checkpoint.open(index))
                .hasMessageContaining("expected a name that ends with .safetensors; convert it to safetensors: python");
        writeIndex("\"a\": 1");
        assertThatThrownBy(() -> Checkpoint.open(index))
                .hasMessage(index + ": the index gives tensor 'a' no file name, expected a string");
        writeIndex("\"a\": \"%1$s\", \"a\": \"%1$s\"".formatted(FIRST));
        assertThatThrownBy(() -> Checkpoint.open(index))
                .hasMessage(index + ": not valid JSON: Duplicate Object property \"a\"; it looks like JSON text");
        Files.writeString(index, "[]");
        assertThatThrownBy(() -> Checkpoint.open(index))
                .hasMessage(index + ": not a JSON object; it looks like JSON text");
    }

    @Test
    void aFolderHoldsItsWeightsOnce() throws IOException {
        Path single = folder.resolve("model.safetensors");
        Files.copy(folder.resolve(FIRST), single);
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .hasMessage(folder + ": holds both model.safetensors and model.safetensors.index.json;"
                        + " remove the one that is not meant");
        Files.delete(index);
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            assertThat(checkpoint.path()).isEqualTo(single);
        }
        Files.delete(single);
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .hasMessage("%s: holds 2 files that could be the weights: '%s', '%s'; name one of them"
                        .formatted(folder, FIRST, SECOND));
        Files.delete(folder.resolve(FIRST));
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            assertThat(checkpoint.names()).containsExactly("layer.bias");
        }
        Files.delete(folder.resolve(SECOND));
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(folder + ": holds no weights, expected model.safetensors or model.safetensors.index.json");
        Files.writeString(folder.resolve("pytorch_model.bin"), "");
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .hasMessageContaining("holds its weights only as 'pytorch_model.bin', a Python pickle,")
                .hasMessageEndingWith("old.pt new.safetensors");
    }
}
