package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The elements of initialisers are replaced where they lie, and no other byte. */
class OnnxEditTest {
    private static final int FLOAT16 = 10;
    private static final int DOUBLE = 11;

    @TempDir
    Path folder;

    private Path written(byte[]... initialisers) throws IOException {
        var graph = new OnnxBytes().input("x", 2);
        graph.weights("before", new float[] {7, 8}, 2);
        for (byte[] initialiser : initialisers) {
            graph.initialiser(initialiser);
        }
        graph.weights("after", new float[] {9}, 1).node("Add", "last", List.of("x", "w"), "y");
        return Files.write(folder.resolve("model.onnx"), graph.output("y").bytes());
    }

    private Path target() {
        return folder.resolve("edited.onnx");
    }

    /** A tensor called w with its elements in a field for its type. */
    private static byte[] typed(int type, long count, OnnxBytes.Fields elements) {
        return OnnxBytes.message(output -> {
            output.writeInt64(1, count);
            output.writeInt32(2, type);
            elements.write(output);
            output.writeString(8, "w");
        });
    }

    private static OnnxBytes.Fields packed(int field, OnnxBytes.Fields elements) {
        return output -> output.writeByteArray(field, OnnxBytes.message(elements));
    }

    private static void floats(CodedOutputStream output) throws IOException {
        output.writeFloatNoTag(1);
        output.writeFloatNoTag(2);
        output.writeFloatNoTag(3);
    }

    /** Saves new values and compares every byte: only {@code width * 3} that lie together may differ. */
    private void edited(Path model, int width, double... values) throws IOException {
        byte[] before = Files.readAllBytes(model);
        Checkpoint.edit(model).with("w", values).saveAs(target());
        byte[] after = Files.readAllBytes(target());
        assertThat(Files.readAllBytes(model)).as("the source").isEqualTo(before);
        assertThat(after).hasSameSizeAs(before);
        Set<Integer> places = new HashSet<>();
        for (int i = 0; i < after.length; i++) {
            if (after[i] != before[i]) {
                places.add(i);
            }
        }
        int first = places.stream().min(Integer::compare).orElseThrow();
        int last = places.stream().max(Integer::compare).orElseThrow();
        assertThat(last - first).isLessThan(3 * width);
        try (OnnxFile file = OnnxFile.open(target())) {
            assertThat(file.tensor("w").toDoubles()).containsExactly(values);
            assertThat(file.tensor("before").toDoubles()).containsExactly(7, 8);
            assertThat(file.tensor("after").toDoubles()).containsExactly(9);
        }
    }

    @Test
    void rawElementsAreReplaced() throws IOException {
        edited(written(OnnxBytes.tensor("w", OnnxBytes.FLOAT, OnnxBytes.raw(1, 2, 3), 3)), 4, 0.5, -2.25, 3.125);
    }

    @Test
    void rawElementsOfOtherTypesAreReplaced() throws IOException {
        byte[] doubles = ByteBuffer.allocate(24)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putDouble(1)
                .putDouble(2)
                .putDouble(3)
                .array();
        edited(written(OnnxBytes.tensor("w", DOUBLE, doubles, 3)), 8, 1.0 / 3, 1e-300, -4);
        byte[] halves = {0, 0x3c, 0, 0x40, 0, 0x42};
        edited(written(OnnxBytes.tensor("w", FLOAT16, halves, 3)), 2, 1.5, -2, 0.25);
    }

    @Test
    void packedElementsAreReplaced() throws IOException {
        edited(written(typed(OnnxBytes.FLOAT, 3, packed(4, OnnxEditTest::floats))), 4, 0.5, -2.25, 3.125);
        edited(
                written(typed(DOUBLE, 3, packed(10, output -> {
                    output.writeDoubleNoTag(1);
                    output.writeDoubleNoTag(2);
                    output.writeDoubleNoTag(3);
                }))),
                8,
                1.0 / 3,
                1e-300,
                -4);
    }

    @Test
    void fileMayBeReplacedByItself() throws IOException {
        Path model = written(OnnxBytes.tensor("w", OnnxBytes.FLOAT, OnnxBytes.raw(1, 2, 3), 3));
        EditReport report = Checkpoint.edit(model).with("w", 1, 2, 4).saveAs(model);
        assertThat(report.changed()).isEqualTo(1);
        try (OnnxFile file = OnnxFile.open(model)) {
            assertThat(file.tensor("w").toDoubles()).containsExactly(1, 2, 4);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"single", "two runs", "half"})
    void elementsThatLieApartAreRefused(String kind) throws IOException {
        byte[] tensor = switch (kind) {
            case "single" ->
                typed(OnnxBytes.FLOAT, 3, output -> {
                    output.writeFloat(4, 1);
                    output.writeFloat(4, 2);
                    output.writeFloat(4, 3);
                });
            case "two runs" ->
                typed(OnnxBytes.FLOAT, 3, output -> {
                    output.writeByteArray(4, OnnxBytes.message(run -> run.writeFloatNoTag(1)));
                    output.writeByteArray(4, OnnxBytes.message(run -> {
                        run.writeFloatNoTag(2);
                        run.writeFloatNoTag(3);
                    }));
                });
            default ->
                typed(FLOAT16, 3, packed(5, output -> {
                    output.writeInt32NoTag(0x3c00);
                    output.writeInt32NoTag(0x4000);
                    output.writeInt32NoTag(0x4200);
                }));
        };
        Path model = written(tensor);
        try (OnnxFile file = OnnxFile.open(model)) {
            assertThat(file.tensor("w").toDoubles()).containsExactly(1, 2, 3);
        }
        refused(
                model,
                "%s: tensor 'w' has its elements in single fields, which cannot be changed in place; write them raw: onnx.numpy_helper.from_array(array, name)"
                        .formatted(model));
    }

    private void refused(Path model, String message) throws IOException {
        Files.writeString(target(), "old");
        assertThatThrownBy(() -> Checkpoint.edit(model).with("w", 1, 2, 4).saveAs(target()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
        assertThat(target()).hasContent("old");
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .isSubsetOf("model.onnx", "edited.onnx", "weights.bin");
        }
    }

    @Test
    void elementsBesideTheFileAreRefused() throws IOException {
        byte[] external = OnnxBytes.message(output -> {
            output.writeInt64(1, 3);
            output.writeInt32(2, OnnxBytes.FLOAT);
            output.writeString(8, "w");
            output.writeByteArray(13, OnnxBytes.message(entry -> {
                entry.writeString(1, "location");
                entry.writeString(2, "weights.bin");
            }));
            output.writeInt32(14, 1);
        });
        Files.write(folder.resolve("weights.bin"), OnnxBytes.raw(1, 2, 3));
        Path model = written(external);
        refused(
                model,
                "%s: tensor 'w' lies in another file, 'weights.bin'; an edit writes one file: join them by onnx.save(onnx.load(path), path)"
                        .formatted(model));
    }

    @Test
    void whatDoesNotFitIsRefusedAndTheOldFileStays() throws IOException {
        Files.write(folder.resolve("weights.bin"), new byte[0]);
        Path wholes = written(OnnxBytes.wholes("w", 1, 2, 3));
        refused(wholes, "%s: tensor 'w' has type I64; only F64, F32, F16 and BF16 are edited".formatted(wholes));
        Path longer = written(OnnxBytes.tensor("w", OnnxBytes.FLOAT, OnnxBytes.raw(1, 2), 2));
        refused(longer, "%s: tensor 'w' has shape (2), 2 elements, but 3 new values are given".formatted(longer));
    }

    @Test
    void namesAndTypesStay() throws IOException {
        Path model = written(OnnxBytes.tensor("w", FLOAT16, new byte[6], 3));
        assertThatThrownBy(() ->
                        Checkpoint.edit(model).with("w", 1, 2, 4).widened().saveAs(target()))
                .hasMessage(
                        "%s: an ONNX model keeps the types of its tensors, and 'w' has type F16; leave out --dtype f32"
                                .formatted(model));
        Path other = folder.resolve("edited.safetensors");
        assertThatThrownBy(() -> Checkpoint.edit(model).with("w", 1, 2, 4).saveAs(other))
                .hasMessage("%s: an edit keeps the format of its source, and %s is ONNX; name the new file accordingly"
                        .formatted(other, model));
        assertThat(other).doesNotExist();
        assertThatThrownBy(() -> Checkpoint.edit(model).with("w", 1, 2, 1e6).saveAs(target()))
                .hasMessageContaining("1000000");
    }

    @Test
    void writeThatFailsLeavesTheOldFile() throws IOException {
        Path model = written(OnnxBytes.tensor("w", OnnxBytes.FLOAT, OnnxBytes.raw(1, 2, 3), 3));
        Path missing = folder.resolve("none").resolve("edited.onnx");
        assertThatThrownBy(() -> Checkpoint.edit(model).with("w", 1, 2, 4).saveAs(missing))
                .isInstanceOf(IOException.class);
        Path taken = folder.resolve("taken.onnx");
        Files.createDirectories(taken.resolve("inside"));
        assertThatThrownBy(() -> Checkpoint.edit(model).with("w", 1, 2, 4).saveAs(taken))
                .isInstanceOf(IOException.class);
        assertThat(taken.resolve("inside")).exists();
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("model.onnx", "taken.onnx");
        }
    }
}
