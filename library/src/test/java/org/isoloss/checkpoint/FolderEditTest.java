package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.isoloss.checkpoint.EditReport.EditedTensor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderEditTest {
    private static final String FIRST = "model-00001-of-00002.safetensors";
    private static final String SECOND = "model-00002-of-00002.safetensors";
    private static final String INDEX = "model.safetensors.index.json";

    @TempDir
    Path parent;

    private Path source;
    private Path target;

    @BeforeEach
    void writeSource() throws IOException {
        source = Files.createDirectory(parent.resolve("source"));
        target = parent.resolve("target");
        new SafetensorsWriter()
                .metadata("format", "pt")
                .add("a", ElementType.BF16, Shape.of(2), 1, 2)
                .add("kept", ElementType.F32, Shape.of(1), 7)
                .saveTo(source.resolve(FIRST));
        new SafetensorsWriter()
                .metadata("format", "pt")
                .add("b", ElementType.F16, Shape.of(1), 3)
                .saveTo(source.resolve(SECOND));
        Files.writeString(source.resolve(INDEX), """
                {"metadata": {"total_size": 10, "odd": [1]},
                 "weight_map": {"b": "%2$s", "a": "%1$s", "kept": "%1$s"}, "unknown": null}
                """.formatted(FIRST, SECOND));
        Files.writeString(source.resolve("tokenizer.json"), "{}");
        Files.writeString(Files.createDirectory(source.resolve("more")).resolve("notes.txt"), "note");
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static double[] values(Path folder, String tensor) throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            return checkpoint.tensor(tensor).toDoubles();
        }
    }

    private void writeTied(String config, double head) throws IOException {
        for (String name : List.of(FIRST, SECOND, INDEX)) {
            Files.delete(source.resolve(name));
        }
        var writer = new SafetensorsWriter()
                .add("transformer.wte.weight", ElementType.F32, Shape.of(1), 1)
                .add("other", ElementType.F32, Shape.of(1), 2);
        if (!Double.isNaN(head)) {
            writer.add("lm_head.weight", ElementType.F32, Shape.of(1), head);
        }
        writer.saveTo(source.resolve("model.safetensors"));
        Files.writeString(source.resolve("config.json"), config);
    }

    @Test
    void aNewFolderDiffersInTheSelectedTensorsAlone() throws IOException {
        EditReport report = Checkpoint.edit(source).with("b", 4).saveAs(target);
        assertThat(report.tensors()).containsExactly(new EditedTensor("b", ElementType.F16, 1, 1, 1, 512, 512, 1, 0));
        assertThat(names(target)).isEqualTo(names(source)).hasSize(5);
        for (String same : List.of(FIRST, INDEX, "tokenizer.json", "more/notes.txt")) {
            assertThat(target.resolve(same)).hasSameBinaryContentAs(source.resolve(same));
        }
        byte[] expected = Files.readAllBytes(source.resolve(SECOND));
        expected[expected.length - 1] = 0x44; // 4200 is 3 in F16, 4400 is 4
        assertThat(target.resolve(SECOND)).hasBinaryContent(expected);
        assertThat(names(parent)).containsExactly("source", "target");
        assertThat(values(source, "b")).containsExactly(3);
    }

    @Test
    void aWidenedFolderHoldsTheSameNumbersIn32Bits() throws IOException {
        Files.writeString(source.resolve("config.json"), """
                {"torch_dtype": "bfloat16",  "eps": 1e-05,
                 "sub": {"dtype":"float16", "bnb_4bit_compute_dtype": "bfloat16"}, "dtype": null}
                """);
        double third = 1.0 / 3;
        EditReport report = Checkpoint.edit(source).with("b", third).widened().saveAs(target);
        assertThat(report.tensors())
                .containsExactly(new EditedTensor(
                        "b", ElementType.F32, 1, 1, 1, 26_563_925, 26_563_925, 3 - third, (float) third - third));
        try (Checkpoint wide = Checkpoint.open(target)) {
            assertThat(wide.names()).containsExactly("b", "a", "kept");
            for (String name : wide.names()) {
                assertThat(wide.tensor(name).type()).isEqualTo(ElementType.F32);
            }
        }
        assertThat(values(target, "a")).containsExactly(1, 2);
        assertThat(values(target, "kept")).containsExactly(7);
        assertThat(values(target, "b")).containsExactly((float) third);
        assertThat(target.resolve("config.json")).hasContent("""
                        {"torch_dtype": "float32",  "eps": 1e-05,
                         "sub": {"dtype":"float32", "bnb_4bit_compute_dtype": "bfloat16"}, "dtype": null}
                        """);
        assertThat(JsonFile.read(target.resolve(INDEX))
                        .get("metadata")
                        .get("total_size")
                        .intValue())
                .isEqualTo(16);
        assertThat(JsonFile.read(target.resolve(INDEX))
                        .get("metadata")
                        .get("odd")
                        .isArray())
                .isTrue();
        assertThat(target.resolve("tokenizer.json")).hasContent("{}");
        assertThat(names(target)).contains(FIRST, SECOND, INDEX);
    }

    @Test
    void aFolderIsWidenedIntoANewOneOnly() throws IOException {
        List<String> before = names(source);
        assertThatThrownBy(() -> Checkpoint.edit(source).with("b", 4).widened().saveAs(source))
                .hasMessage(source + ": not written: a folder is widened into a new one; choose another");
        assertThat(names(source)).isEqualTo(before);
        assertThat(values(source, "b")).containsExactly(3);
    }

    @Test
    void theCacheOfAHubIsNotEditedInPlace() throws IOException {
        Path cache = Files.createDirectories(parent.resolve("models--a--b"));
        Path snapshot = Files.createDirectories(cache.resolve("snapshots").resolve("0123abc"));
        Files.createDirectories(cache.resolve("blobs"));
        for (String name : List.of(FIRST, SECOND, INDEX)) {
            Path blob = Files.move(source.resolve(name), cache.resolve("blobs").resolve("blob-of-" + name));
            Files.createSymbolicLink(
                    snapshot.resolve(name), Path.of("..", "..", "blobs").resolve(blob.getFileName()));
        }
        List<String> before = names(snapshot);
        for (CheckpointEdit edit : List.of(
                Checkpoint.edit(snapshot).with("b", 4),
                Checkpoint.edit(snapshot).with("b", 4).with("a", 5, 6))) {
            assertThatThrownBy(() -> edit.saveAs(snapshot)).hasMessageContaining("it is a link into a model cache");
        }
        assertThat(names(snapshot)).isEqualTo(before);
        assertThat(values(snapshot, "b")).containsExactly(3);
        Checkpoint.edit(snapshot).with("b", 4).saveAs(target);
        assertThat(values(target, "b")).containsExactly(4);
        assertThat(target.resolve(SECOND)).isRegularFile();
        assertThat(Files.isSymbolicLink(target.resolve(SECOND))).isFalse();
    }

    @Test
    void severalFilesOfTheFolderItselfChangeAtOnce() throws IOException {
        Checkpoint.edit(source).with("a", 5, 6).with("b", 7).saveAs(source);
        assertThat(values(source, "a")).containsExactly(5, 6);
        assertThat(values(source, "b")).containsExactly(7);
        assertThat(values(source, "kept")).containsExactly(7);
        String first = FIRST.replace(".safetensors", "-edited.safetensors");
        assertThat(names(source)).contains(first, INDEX, "tokenizer.json").doesNotContain(FIRST);
        assertThat(source.resolve(INDEX)).content().contains("\"odd\"", "\"unknown\" : null", first);

        Checkpoint.edit(source).with("a", 1, 2).with("b", 3).saveAs(source);
        assertThat(names(source)).as("the usual names again").contains(FIRST, SECOND);
        assertThat(values(source, "b")).containsExactly(3);
    }

    @Test
    void whatAKilledSaveLeftDoesNoHarm() throws IOException {
        Files.writeString(source.resolve(FIRST.replace(".safetensors", "-edited.safetensors")), "half a file");
        Files.writeString(source.resolve("." + FIRST + ".1-1.tmp"), "half a file");
        Checkpoint.edit(source).with("a", 5, 6).with("b", 7).saveAs(source);
        assertThat(values(source, "a")).containsExactly(5, 6);
        Checkpoint.edit(source).with("b", 8).saveAs(target);
        assertThat(names(target)).noneMatch(name -> name.endsWith(".tmp"));
    }

    @Test
    void oneFileOfTheFolderItselfKeepsItsName() throws IOException {
        Checkpoint.edit(source).with("a", 5, 6).saveAs(source);
        assertThat(values(source, "a")).containsExactly(5, 6);
        assertThat(names(source)).containsExactly(FIRST, SECOND, INDEX, "more", "tokenizer.json");
    }

    @Test
    void aFailedSaveLeavesNothing() throws IOException {
        assertThatThrownBy(
                        () -> Checkpoint.edit(source).with("a", 5, Double.NaN).saveAs(target))
                .hasMessage("edit: new value 1 of tensor 'a' is NaN, expected a finite number");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("c", 5).saveAs(target))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(source.resolve(INDEX) + ": no tensor 'c'; it holds 3: 'b', 'a', 'kept'");
        assertThat(names(parent)).containsExactly("source");
        Files.writeString(Files.createDirectory(target).resolve("x"), "");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("b", 5).saveAs(target))
                .isInstanceOf(IOException.class)
                .hasMessage(target + ": not written: the folder is there and not empty; choose a new one");
        Path inside = source.resolve("copy");
        assertThatThrownBy(() -> Checkpoint.edit(source).with("b", 5).saveAs(inside))
                .hasMessage(inside + ": not written: it lies in the folder it is a copy of; choose another");
        Path index = source.resolve(INDEX);
        assertThatThrownBy(() -> Checkpoint.edit(index).with("b", 5).saveAs(target))
                .hasMessage(index + ": is an index, edit the folder it lies in");
    }

    @Test
    void tiedWeightsAreEditedAsOne() throws IOException {
        writeTied("{\"model_type\": \"gpt2\"}", 1);
        EditReport report = Checkpoint.edit(source).with("lm_head.weight", 5).saveAs(target);
        assertThat(report.tensors())
                .extracting(EditedTensor::name)
                .containsExactly("lm_head.weight", "transformer.wte.weight");
        assertThat(values(target, "transformer.wte.weight")).containsExactly(5);
        assertThat(values(target, "lm_head.weight")).containsExactly(5);
        assertThatThrownBy(() -> Checkpoint.edit(source)
                        .with("lm_head.weight", 5)
                        .with("transformer.wte.weight", 6)
                        .saveAs(source))
                .hasMessage(source.resolve("model.safetensors") + ": tensors 'transformer.wte.weight' and"
                        + " 'lm_head.weight' are tied by the configuration; give both the same values or one of them");
    }

    @Test
    void tiedWeightsThatDifferAreEditedEachByItself() throws IOException {
        writeTied("{\"model_type\": \"gpt2\"}", 2);
        Checkpoint.edit(source).with("transformer.wte.weight", 5).saveAs(target);
        assertThat(values(target, "transformer.wte.weight")).containsExactly(5);
        assertThat(values(target, "lm_head.weight")).as("another head").containsExactly(2);
        Checkpoint.edit(target).with("lm_head.weight", 6).saveAs(target);
        assertThat(values(target, "transformer.wte.weight")).containsExactly(5);
        assertThat(values(target, "lm_head.weight")).containsExactly(6);
        Checkpoint.edit(source).with("other", 5).saveAs(source);
        assertThat(values(source, "other")).containsExactly(5);
        Files.writeString(source.resolve("config.json"), "{\"model_type\": \"gpt2\", \"tie_word_embeddings\": false}");
        Checkpoint.edit(source).with("transformer.wte.weight", 5).saveAs(source);
        assertThat(values(source, "lm_head.weight")).as("not tied").containsExactly(2);
    }

    @Test
    void aTiedHeadThatIsNotStoredIsNamed() throws IOException {
        writeTied("{\"model_type\": \"gpt2\"}", Double.NaN);
        assertThatThrownBy(
                        () -> Checkpoint.edit(source).with("lm_head.weight", 5).saveAs(source))
                .hasMessage(source.resolve("model.safetensors") + ": tensor 'lm_head.weight' is not stored:"
                        + " the configuration ties it to 'transformer.wte.weight'; edit that one");
    }
}
