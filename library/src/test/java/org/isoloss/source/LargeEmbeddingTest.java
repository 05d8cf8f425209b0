package org.isoloss.source;

import static java.util.Objects.requireNonNull;
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
import java.util.Map;
import java.util.stream.Collectors;
import org.isoloss.autodiff.Precision;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.StoredTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of an embedding that is larger than the memory, only the rows of the tokens are read. */
class LargeEmbeddingTest {
    private static final int WORDS = 16_000_000;
    private static final int WIDTH = 32;
    private static final int SHIFT = WORDS - 100;

    @TempDir
    Path folder;

    @Test
    void onlyTheRowsOfTheTokensAreRead() throws IOException {
        double[] ids = {7, 2, 99, 41};
        try (HuggingFaceFolder small = HuggingFaceFolder.open(Models.folder("bert-postln"))) {
            write(small.weights());
            double[] shifted = Arrays.stream(ids).map(id -> id + SHIFT).toArray();
            try (HuggingFaceFolder large = HuggingFaceFolder.open(folder)) {
                for (Precision precision : Precision.values()) {
                    assertThat(hidden(large, precision, shifted)).isEqualTo(hidden(small, precision, ids));
                }
            }
        }
    }

    private static double[] hidden(HuggingFaceFolder folder, Precision precision, double[] ids) {
        Map<String, double[]> outputs = folder.model(1, ids.length).run(precision, Map.of("input_ids", ids));
        return requireNonNull(outputs.get("last_hidden_state"));
    }

    /** Writes the model with its words at the end of a vocabulary that is otherwise a hole in the file: 2 GB of nothing. */
    private void write(Checkpoint small) throws IOException {
        String config = Files.readString(Models.folder("bert-postln").resolve("config.json"));
        Files.writeString(
                folder.resolve("config.json"), config.replace("\"vocab_size\": 100", "\"vocab_size\": " + WORDS));
        String embedding = small.names().stream()
                .filter(name -> name.endsWith("word_embeddings.weight"))
                .findFirst()
                .orElseThrow();
        var header = new StringBuilder("{");
        long at = 0;
        for (String name : small.names()) {
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
            for (String name : small.names()) {
                if (!name.equals(embedding)) {
                    file.write(small.tensor(name).bytes().asByteBuffer());
                }
            }
            file.write(small.tensor(embedding).bytes().asByteBuffer(), 8L + text.length + at + 4L * SHIFT * WIDTH);
        }
    }
}
