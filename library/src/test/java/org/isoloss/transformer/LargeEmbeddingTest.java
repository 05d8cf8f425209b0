package org.isoloss.transformer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.checkpoint.StoredTransformer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of an embedding that is larger than any array and than the memory, only the rows of the tokens are read. */
class LargeEmbeddingTest {
    private static final int WORDS = 70_000_000;
    private static final int WIDTH = 32;
    private static final int SHIFT = WORDS - 100;

    @TempDir
    Path folder;

    @Test
    void onlyTheRowsOfTheTokensAreRead() throws IOException {
        int[] ids = {7, 2, 99, 41};
        try (StoredTransformer small = StoredTransformer.open(Models.folder("bert-postln"))) {
            write(small);
            int[] shifted = Arrays.stream(ids).map(id -> id + SHIFT).toArray();
            try (StoredTransformer large = StoredTransformer.open(folder)) {
                for (Arithmetic arithmetic : Arithmetic.values()) {
                    assertThat(Transformer.of(large, arithmetic)
                                    .run(TokenBatch.of(shifted))
                                    .output()
                                    .entries())
                            .isEqualTo(Transformer.of(small, arithmetic)
                                    .run(TokenBatch.of(ids))
                                    .output()
                                    .entries());
                }
            }
        }
    }

    /** Writes the model with its words at the end of a vocabulary that is otherwise a hole in the file: 9 GB of nothing. */
    private void write(StoredTransformer small) throws IOException {
        String config = Files.readString(Models.folder("bert-postln").resolve("config.json"));
        Files.writeString(
                folder.resolve("config.json"), config.replace("\"vocab_size\": 100", "\"vocab_size\": " + WORDS));
        String embedding = small.config().architecture().embedding();
        var header = new StringBuilder("{");
        long at = 0;
        for (String name : small.parameters()) {
            if (!name.equals(embedding)) {
                StoredTensor tensor = small.tensor(name);
                String sizes =
                        tensor.shape().sizes().stream().map(String::valueOf).collect(Collectors.joining(","));
                long end = at + tensor.bytes().byteSize();
                header.append("\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%d,%d]},"
                        .formatted(name, sizes, at, end));
                at = end;
            }
        }
        header.append("\"%s\":{\"dtype\":\"F32\",\"shape\":[%d,%d],\"data_offsets\":[%d,%d]}}"
                .formatted(embedding, WORDS, WIDTH, at, at + 4L * WORDS * WIDTH));
        byte[] text = header.toString().getBytes(StandardCharsets.UTF_8);
        try (FileChannel file = FileChannel.open(
                folder.resolve("model.safetensors"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE)) {
            file.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, text.length));
            file.write(ByteBuffer.wrap(text));
            for (String name : small.parameters()) {
                if (!name.equals(embedding)) {
                    file.write(small.tensor(name).bytes().asByteBuffer());
                }
            }
            file.write(small.tensor(embedding).bytes().asByteBuffer(), 8L + text.length + at + 4L * SHIFT * WIDTH);
        }
    }
}
