package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.isoloss.model.Model;
import org.isoloss.source.HuggingFaceFolder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * GGUF, ONNX and npz files with a few bytes changed: whatever they hold, the reader refuses with its own exception or reads,
 * and allocates little. A failure names seed and number of the case. Safetensors have {@link SafetensorsFuzzTest}.
 */
class FormatFuzzTest {
    private static final long[] NUMBERS = {
        0, 1, -1, 31, 32, 255, 1L << 16, 1L << 31, (1L << 32) - 1, 1L << 32, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE
    };

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0}, seed {1}")
    @CsvSource({"quantised.gguf, 1, 20000", "llama.gguf, 5, 20000", "encoder.onnx, 6, 20000", "numbers.npz, 2, 2000"})
    void refusesOrReads(String name, long seed, int cases) throws IOException {
        assertThat(fuzz(name, seed, cases))
                .as("accepted files, so that both ways are tried")
                .isBetween(20, cases - 20);
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}, seed {1}")
    @CsvSource({
        "quantised.gguf, 3, 1000000",
        "llama.gguf, 7, 1000000",
        "encoder.onnx, 8, 1000000",
        "numbers.npz, 4, 200000"
    })
    void refusesOrReadsAMillionTimes(String name, long seed, int cases) throws IOException {
        assertThat(fuzz(name, seed, cases)).isPositive();
    }

    private int fuzz(String name, long seed, int cases) throws IOException {
        byte[] valid = switch (name) {
            case "llama.gguf" -> llama();
            case "encoder.onnx" -> encoder();
            default -> Files.readAllBytes(Resources.path(name));
        };
        return Fuzzing.run(name, seed, cases, random -> mutated(valid, random), content -> accepted(name, content));
    }

    /** A small BERT as PyTorch exports it. */
    private static byte[] encoder() throws IOException {
        try (InputStream bytes = FormatFuzzTest.class.getResourceAsStream(
                "/org/isoloss/transformer/onnx/dynamo-eager-relu-pooled.onnx")) {
            return requireNonNull(bytes).readAllBytes();
        }
    }

    /** A Llama of one layer. */
    private static byte[] llama() {
        var gguf = new GgufBytes()
                .with("general.architecture", "llama")
                .with("llama.context_length", 4)
                .with("llama.embedding_length", 4)
                .with("llama.feed_forward_length", 4)
                .with("llama.block_count", 1)
                .with("llama.attention.head_count", 2)
                .with("llama.attention.layer_norm_rms_epsilon", 1e-5f)
                .tensor("token_embd.weight", Shape.of(3, 4), new float[12])
                .tensor("output_norm.weight", Shape.of(4), new float[4]);
        for (String norm : List.of("attn_norm", "ffn_norm")) {
            gguf.tensor("blk.0." + norm + ".weight", Shape.of(4), new float[4]);
        }
        for (String matrix : List.of("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")) {
            gguf.tensor("blk.0." + matrix + ".weight", Shape.of(4, 4), new float[16]);
        }
        return gguf.bytes();
    }

    /** Reads every tensor; false when the file or all of them are refused. */
    private boolean accepted(String name, byte[] content) throws IOException {
        try (Checkpoint file = open(name, content)) {
            boolean any = false;
            for (String tensor : file.names()) {
                any |= read(file, tensor);
            }
            return name.startsWith("llama") ? read((GgufFile) file) : any;
        } catch (CheckpointFormatException e) {
            assertThat(e.getMessage()).doesNotContain("\n");
            return false;
        }
    }

    /** Reads every parameter of a transformer. */
    private static boolean read(GgufFile file) throws IOException {
        try (HuggingFaceFolder opened = HuggingFaceFolder.of(file, Tying.AS_STORED)) {
            Model model = opened.model(1, 1);
            model.parameters()
                    .forEach((name, value) -> assertThat(model.numbers(name))
                            .hasSize(value.shape().count()));
            return true;
        }
    }

    @SuppressWarnings("MustBeClosed") // the result takes the arena over and closes it
    private Checkpoint open(String name, byte[] content) throws IOException {
        MemorySegment memory = MemorySegment.ofArray(content);
        if (name.endsWith(".gguf")) {
            return GgufFile.over(Path.of(name), memory, Arena.ofConfined());
        }
        return name.endsWith(".onnx")
                ? OnnxFile.over(folder.resolve(name), memory, Arena.ofConfined())
                : Npz.open(Files.write(folder.resolve(name), content));
    }

    private static boolean read(Checkpoint file, String name) throws IOException {
        try {
            StoredTensor tensor = file.tensor(name);
            assertThat(tensor.bytes().byteSize())
                    .isEqualTo(tensor.type().bytes(tensor.shape().count()));
            return true;
        } catch (CheckpointFormatException e) {
            assertThat(e.getMessage()).doesNotContain("\n");
            return false;
        } catch (NoSuchFileException e) {
            assertThat(file).as("only these have elements in other files").isInstanceOf(OnnxFile.class);
            return false;
        }
    }

    private static byte[] mutated(byte[] valid, SplittableRandom random) {
        byte[] content = valid.clone();
        for (int changes = random.nextInt(1, 4); changes > 0 && content.length > 0; changes--) {
            int at = random.nextInt(content.length);
            switch (random.nextInt(6)) {
                case 0 -> content[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> content[at] = (byte) random.nextInt();
                case 2 -> content = Arrays.copyOf(content, random.nextInt(content.length + 9));
                case 3, 4 -> {
                    long number = NUMBERS[random.nextInt(NUMBERS.length)];
                    int width = random.nextBoolean() ? 4 : 8;
                    for (int i = 0; i < width && at + i < content.length; i++) {
                        content[at + i] = (byte) (number >>> (8 * i));
                    }
                }
                default -> {
                    int to = Math.min(content.length, at + random.nextInt(40));
                    var joined = new ByteArrayOutputStream();
                    joined.write(content, 0, random.nextBoolean() ? at : to);
                    joined.write(content, random.nextBoolean() ? at : to, content.length - to);
                    content = joined.toByteArray();
                }
            }
        }
        return content;
    }
}
