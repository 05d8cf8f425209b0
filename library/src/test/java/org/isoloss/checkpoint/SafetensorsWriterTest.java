package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsWriterTest {
    @TempDir
    Path folder;

    @Test
    void writesTheseBytes() throws IOException {
        Path file = folder.resolve("x.safetensors");
        new SafetensorsWriter()
                .metadata("format", "pt")
                .add("half", ElementType.F16, Shape.of(1), 1.5)
                .add("größe \"1\"", Shape.of(1, 2), 1f, -2f)
                .add("step", Shape.of(), 7L)
                .saveTo(file);
        String header = "{\"__metadata__\":{\"format\":\"pt\"},"
                + "\"step\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
                + "\"größe \\\"1\\\"\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]},"
                + "\"half\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[16,18]}}   ";
        assertThat(Files.readAllBytes(file))
                .isEqualTo(SafetensorsBytes.of(header, "0700000000000000 0000803f 000000c0 003e"));
        assertThat(header.getBytes(StandardCharsets.UTF_8).length % 8).isZero();
    }

    @Test
    void whatIsWrittenIsReadToTheBit() throws IOException {
        var random = new SplittableRandom(1);
        double[] doubles =
                random.longs(70_001).mapToDouble(Double::longBitsToDouble).toArray();
        float[] floats = new float[70_001];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = Float.intBitsToFloat(random.nextInt());
        }
        long[] longs = random.longs(70_001).toArray();
        Path file = folder.resolve("x.safetensors");
        var writer = new SafetensorsWriter()
                .add("f", Shape.of(floats.length), floats)
                .add("d", ElementType.F64, Shape.of(doubles.length), doubles)
                .add("l", Shape.of(longs.length), longs)
                .add("m", Matrix.of(2, 1, 3, 4));
        writer.saveTo(file);
        byte[] first = Files.readAllBytes(file);
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            assertThat(bits(checkpoint.tensor("d").toDoubles())).isEqualTo(bits(doubles));
            float[] read = checkpoint.tensor("f").toFloats();
            assertThat(MemorySegment.ofArray(read).mismatch(MemorySegment.ofArray(floats)))
                    .isEqualTo(-1);
            assertThat(checkpoint.tensor("l").toLongs()).isEqualTo(longs);
            assertThat(checkpoint.tensor("m").toMatrix().entries()).containsExactly(3, 4);
            assertThat(checkpoint.metadata()).isEmpty();

            Path copy = folder.resolve("copy.safetensors");
            var copier = new SafetensorsWriter();
            for (String name : checkpoint.names()) {
                copier.add(checkpoint.tensor(name));
            }
            copier.saveTo(copy);
            assertThat(copy).hasBinaryContent(first);
        }
        writer.saveTo(file);
        assertThat(file).as("the same calls give the same bytes").hasBinaryContent(first);
    }

    private static long[] bits(double[] values) {
        return DoubleStream.of(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }

    @Test
    void nothingAtAllIsAFileToo() throws IOException {
        Path file = folder.resolve("x.safetensors");
        new SafetensorsWriter().saveTo(file);
        assertThat(file).hasBinaryContent(SafetensorsBytes.of("{}      ", ""));
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            assertThat(checkpoint.names()).isEmpty();
        }
    }

    @Test
    void refusesWhatCouldNotBeReadBack() {
        var writer = new SafetensorsWriter().metadata("a", "1").add("a", Shape.of(1), 1L);
        assertThatThrownBy(() -> writer.add("a", Shape.of(1), 1f))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("SafetensorsWriter: tensor 'a' is added twice");
        assertThatThrownBy(() -> writer.metadata("a", "2"))
                .hasMessage("SafetensorsWriter: metadata key 'a' is given twice");
        assertThatThrownBy(() -> writer.add("__metadata__", Shape.of(1), 1f))
                .hasMessage("SafetensorsWriter: no tensor can be called __metadata__");
        assertThatThrownBy(() -> writer.add("b", Shape.of(2, 2), 1f))
                .hasMessage("SafetensorsWriter: tensor 'b' of shape (2, 2) has 4 elements, but 1 are given");
        assertThatThrownBy(() -> writer.add("\ud83d", Shape.of(1), 1f))
                .hasMessage("SafetensorsWriter: a tensor name holds half of a surrogate pair: '\ud83d'");
        assertThatThrownBy(() -> writer.add("b", ElementType.I8, Shape.of(1), 1.0))
                .hasMessage("I8 holds no floats that can be edited, expected one of F64, F32, F16, BF16");
    }

    @Test
    void valuesBeyondTheTypeAreRefusedAndLeaveNoFile() {
        Path file = folder.resolve("x.safetensors");
        var writer = new SafetensorsWriter().add("a", ElementType.F16, Shape.of(2), 1, 65520);
        assertThatThrownBy(() -> writer.saveTo(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("SafetensorsWriter: value 1 of tensor 'a' is 65520.0, beyond the range of F16");
        assertThat(folder).isEmptyDirectory();
    }
}
