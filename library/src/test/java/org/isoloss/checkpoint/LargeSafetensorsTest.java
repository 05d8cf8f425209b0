package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file beyond the 2 GiB of one buffer and of one array: it is sparse, so the disk holds only what is written. */
@Tag("slow")
class LargeSafetensorsTest {
    private static final long LARGE = (1L << 29) + (1L << 20); // elements of float32: 2 GiB and 4 MiB

    @TempDir
    Path folder;

    private static ByteBuffer floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        return bytes.flip();
    }

    private Path write() throws IOException {
        long end = 4 * LARGE;
        byte[] header = ("{\"large\":{\"dtype\":\"F32\",\"shape\":[%d,2],\"data_offsets\":[0,%d]},"
                        + "\"after\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[%d,%d]}}")
                .formatted(LARGE / 2, end, end, end + 12)
                .getBytes(StandardCharsets.UTF_8);
        Path file = folder.resolve("large.safetensors");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            ByteBuffer start = ByteBuffer.allocate(8 + header.length).order(ByteOrder.LITTLE_ENDIAN);
            channel.write(start.putLong(header.length).put(header).flip());
            long data = 8L + header.length;
            channel.write(floats(1, 2), data);
            channel.write(floats(3, 4), data + end - 8);
            channel.write(floats(5, 6, 7), data + end);
        }
        return file;
    }

    @Test
    void bothEndsAreReadAndTheEndIsEdited() throws IOException {
        Path file = write();
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            StoredTensor large = checkpoint.tensor("large");
            assertThat(large.shape()).isEqualTo(Shape.of(LARGE / 2, 2));
            assertThat(large.floats(0, 3)).containsExactly(1, 2, 0);
            assertThat(large.doubles(LARGE - 3, 3)).containsExactly(0, 3, 4);
            assertThat(large.bytes().byteSize()).isGreaterThan(Integer.MAX_VALUE);
            assertThat(checkpoint.tensor("after").toFloats()).containsExactly(5, 6, 7);
        }
        Path edited = folder.resolve("edited.safetensors");
        Checkpoint.edit(file).with("after", 8, 9, 10).saveAs(edited);
        try (Checkpoint checkpoint = Checkpoint.open(edited)) {
            assertThat(checkpoint.tensor("after").toFloats()).containsExactly(8, 9, 10);
            assertThat(checkpoint.tensor("large").doubles(LARGE - 3, 3)).containsExactly(0, 3, 4);
        }
    }
}
