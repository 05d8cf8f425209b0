package org.isoloss.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.isoloss.checkpoint.OnnxBytes.FLOAT;
import static org.isoloss.checkpoint.OnnxBytes.message;
import static org.isoloss.checkpoint.OnnxBytes.raw;
import static org.isoloss.checkpoint.OnnxBytes.tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxFileTest {
    @TempDir
    Path folder;

    private Path write(byte[] content) throws IOException {
        return Files.write(folder.resolve("x.onnx"), content);
    }

    private double[] read(byte[] tensor) throws IOException {
        try (Checkpoint file =
                Checkpoint.open(write(new OnnxBytes().initialiser(tensor).bytes()))) {
            return file.tensor(file.names().getFirst()).toDoubles();
        }
    }

    private void requireRefused(byte[] tensor, String problem) {
        assertThatThrownBy(() -> read(tensor))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(folder.resolve("x.onnx") + ": " + problem);
    }

    @Test
    void readsNamesShapesAndMetadata() throws IOException {
        Path path = write(new OnnxBytes()
                .weights("onnx::MatMul_1", new float[] {1, 2, 3, 4, 5, 6}, 2, 3)
                .initialiser(OnnxBytes.wholes("shape", 0, -1, 1L << 40))
                .bytes());
        try (Checkpoint file = Checkpoint.open(path)) {
            assertThat(file).isInstanceOf(OnnxFile.class);
            assertThat(file.path()).isEqualTo(path);
            assertThat(file.names()).containsExactly("onnx::MatMul_1", "shape");
            assertThat(file.metadata())
                    .containsEntry("producer_name", "test")
                    .containsEntry("producer_version", "1")
                    .containsEntry("kind", "small");
            assertThat(file.tensor("onnx::MatMul_1").shape()).isEqualTo(Shape.of(2, 3));
            assertThat(file.tensor("onnx::MatMul_1").toFloats()).containsExactly(1, 2, 3, 4, 5, 6);
            assertThat(file.tensor("shape").toLongs()).containsExactly(0, -1, 1L << 40);
            assertThatThrownBy(() -> file.tensor("none")).hasMessageStartingWith(path + ": no tensor 'none'");
        }
        try (Checkpoint ofFolder = Checkpoint.open(folder)) {
            assertThat(ofFolder.names()).hasSize(2);
        }
    }

    @Test
    void readsEveryTypeOfFloatFromRawData() throws IOException {
        assertThat(read(tensor("x", 10, new byte[] {0, 0x3C, 0, (byte) 0xC0}, 2)))
                .containsExactly(1, -2);
        assertThat(read(tensor("x", 16, new byte[] {(byte) 0x80, 0x3F, 0, (byte) 0xC0}, 2)))
                .containsExactly(1, -2);
        byte[] half = {0, 0, 0, 0, 0, 0, (byte) 0xE0, 0x3F};
        assertThat(read(tensor("x", 11, half))).containsExactly(0.5);
        assertThat(read(tensor("x", FLOAT, new byte[0], 0, 7))).isEmpty();
    }

    @Test
    void readsTypedFields() throws IOException {
        byte[] packed = message(output -> {
            output.writeInt64(1, 3);
            output.writeByteArray(4, raw(1, 2));
            output.writeFloat(4, 3); // and one that is not packed
            output.writeInt32(2, FLOAT); // the type may come last
        });
        assertThat(read(packed)).containsExactly(1, 2, 3);
        byte[] doubles = message(output -> {
            output.writeByteArray(1, new byte[] {2}); // packed sizes
            output.writeInt32(2, 11);
            output.writeDouble(10, 0.1);
            output.writeDouble(10, -0.0);
        });
        assertThat(read(doubles)).containsExactly(0.1, -0.0);
        byte[] halves = message(output -> {
            output.writeInt64(1, 2);
            output.writeInt32(2, 10);
            output.writeInt32(5, 0x3C00);
            output.writeInt32(5, 0xC000);
        });
        assertThat(read(halves)).containsExactly(1, -2);
        byte[] bytes = message(output -> {
            output.writeInt64(1, 2);
            output.writeInt32(2, 3);
            output.writeInt32(5, -1);
            output.writeInt32(5, 7);
        });
        assertThat(read(bytes)).containsExactly(-1, 7);
        byte[] unsigned = message(output -> {
            output.writeInt64(1, 1);
            output.writeInt32(2, 12);
            output.writeUInt64(11, 4_000_000_000L);
        });
        assertThat(read(unsigned)).containsExactly(4e9);
    }

    @Test
    void refusesTensorsThatDoNotFitTheirBytes() {
        requireRefused(
                tensor("x", FLOAT, raw(1, 2), 3), "tensor 'x' of shape (3) and type F32 takes 12 bytes, but has 8");
        requireRefused(
                tensor("x", FLOAT, raw(1), -1),
                "tensor 'x': shape (-1) has the negative size -1, expected sizes of at least 0");
        requireRefused(
                tensor("x", FLOAT, raw(1), 1L << 40, 1L << 40),
                "tensor 'x': shape (1099511627776, 1099511627776) has more than 2^63 - 1 elements");
        requireRefused(
                tensor("x", FLOAT, raw(1), 1L << 62),
                "tensor 'x' of shape (4611686018427387904) and type F32 has more than 2^63 bytes");
        requireRefused(tensor("x", 17, raw(1), 1), "tensor 'x' has the data type 17, which is not read");
        requireRefused(tensor("x", 8, raw(1), 1), "tensor 'x' has the data type 8, which is not read");
        requireRefused(
                message(output -> {
                    output.writeInt32(2, FLOAT);
                    output.writeString(8, "x");
                    output.writeInt64(7, 1);
                }),
                "tensor 'x': has type F32, but its elements in field 7 of a tensor, expected 4");
    }

    @Test
    void refusesElementsInTwoFields() {
        byte[] mixed = message(output -> {
            output.writeInt32(2, FLOAT);
            output.writeFloat(4, 1);
            output.writeInt64(7, 1);
        });
        assertThatThrownBy(() -> read(mixed))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageContaining("(elements of one tensor in the fields 4 and 7)");
    }

    @Test
    void refusesWhatIsNoModel() throws IOException {
        assertThatThrownBy(() -> OnnxFile.open(write(new byte[0])))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(folder.resolve("x.onnx") + ": has 0 bytes; an ONNX model has from 1 to 2^31 - 2");
        assertThatThrownBy(() -> OnnxFile.open(write("<html>not found</html>".getBytes(UTF_8))))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(folder.resolve("x.onnx") + ": no valid ONNX model: byte ")
                .hasMessageEndingWith("it looks like an HTML or XML page in place of the file; download it again and"
                        + " check the address");
        assertThatThrownBy(() -> OnnxFile.open(write(message(output -> output.writeInt64(1, 8)))))
                .hasMessage(folder.resolve("x.onnx") + ": no valid ONNX model: it holds 0 graphs, expected 1");
        byte[] group = message(output -> output.writeTag(20, 3));
        assertThatThrownBy(() -> OnnxFile.open(write(group)))
                .hasMessage(folder.resolve("x.onnx") + ": no valid ONNX model: byte 2 of 2 and what is before it are no"
                        + " protobuf message (a group, which ONNX has none of)");
        byte[] twice = new OnnxBytes()
                .weights("a", new float[1], 1)
                .weights("a", new float[1], 1)
                .bytes();
        assertThatThrownBy(() -> OnnxFile.open(write(twice)))
                .hasMessage(folder.resolve("x.onnx") + ": the graph has initialiser 'a' twice");
        assertThatThrownBy(() -> OnnxFile.open(folder.resolve("none.onnx"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aFileCutAnywhereIsRefused() throws IOException {
        byte[] whole = new OnnxBytes()
                .weights("a", new float[] {1, 2}, 2)
                .node("MatMul", "/m", List.of("x", "a"), "y")
                .bytes();
        int metadata = 17; // after the graph only entries follow, and a file may end before them
        for (int length = 1; length < whole.length - metadata; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> OnnxFile.open(write(cut)))
                    .as("%d bytes", length)
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessageContaining("no valid ONNX model");
        }
    }

    private static byte[] beside(String location, String offset, String length) {
        return message(output -> {
            output.writeInt64(1, 2);
            output.writeInt32(2, FLOAT);
            output.writeString(8, "x");
            for (String[] entry : new String[][] {{"location", location}, {"offset", offset}, {"length", length}}) {
                if (!entry[1].isEmpty()) {
                    output.writeByteArray(13, message(fields -> {
                        fields.writeString(1, entry[0]);
                        fields.writeString(2, entry[1]);
                    }));
                }
            }
            output.writeInt32(14, 1);
        });
    }

    @Test
    void readsDataBesideTheFileAndNowhereElse() throws IOException {
        Files.write(folder.resolve("weights.bin"), raw(9, 1, 2, 9));
        assertThat(read(beside("weights.bin", "4", "8"))).containsExactly(1, 2);
        assertThat(read(beside("weights.bin", "8", ""))).containsExactly(2, 9);
        for (String elsewhere : new String[] {"../weights.bin", "..", ".", "/etc/hostname", "a\\b", "a\0b", ""}) {
            assertThatThrownBy(() -> read(beside(elsewhere, "", "")))
                    .as(elsewhere)
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessageStartingWith(folder.resolve("x.onnx") + ": tensor 'x' lies in '")
                    .hasMessageEndingWith("', expected the name of a file in the same folder");
        }
        requireRefused(
                beside("weights.bin", "12", "8"),
                "tensor 'x' lies at bytes 12 to 20 of 'weights.bin', which has only 16");
        requireRefused(
                beside("weights.bin", "12", "4"), "tensor 'x' of shape (2) and type F32 takes 8 bytes, but has 4");
        requireRefused(
                beside("weights.bin", "-4", ""), "tensor 'x' has '-4' as its offset, expected a whole number from 0");
        assertThatThrownBy(() -> read(beside("none.bin", "", "")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("none.bin");
    }
}
