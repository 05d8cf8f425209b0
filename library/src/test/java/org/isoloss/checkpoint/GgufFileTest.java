package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@SuppressWarnings("ByteBufferBackingArray") // each wraps a whole array
class GgufFileTest {
    private static final Path FILE = Resources.path("quantised.gguf");

    private static ByteBuffer content() throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(FILE)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns where a text stands in the file. */
    private static int find(ByteBuffer content, String text) {
        return new String(content.array(), StandardCharsets.ISO_8859_1).indexOf(text);
    }

    private static void requireRefused(Consumer<ByteBuffer> damage, String problem) throws IOException {
        ByteBuffer content = content();
        damage.accept(content);
        assertThatThrownBy(
                        () -> GgufFile.over(Path.of("x.gguf"), MemorySegment.ofArray(content.array()), Arena.ofAuto()))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage("x.gguf: " + problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q6_k"})
    void widensToTheBitsOfAnIndependentReader(String name) throws IOException {
        JsonNode expected = JsonMapper.shared()
                .readTree(Resources.path("quantised.json").toFile())
                .get(name);
        try (Checkpoint file = Checkpoint.open(FILE)) {
            StoredTensor tensor = file.tensor(name);
            assertThat(tensor.shape().sizes())
                    .isEqualTo(expected.get("shape")
                            .valueStream()
                            .map(JsonNode::asLong)
                            .toList());
            float[] values = tensor.toFloats();
            assertThat(values).hasSize(expected.get("bits").size());
            for (int i = 0; i < values.length; i++) {
                assertThat(Float.floatToRawIntBits(values[i]))
                        .as("element %d", i)
                        .isEqualTo((int) expected.get("bits").get(i).longValue());
            }
        }
    }

    @Test
    void widensBlocksToTheBitsOfAnotherReader() throws IOException {
        ByteBuffer expected = ByteBuffer.wrap(Files.readAllBytes(Resources.path("blocks.f32")))
                .order(ByteOrder.LITTLE_ENDIAN);
        try (Checkpoint file = Checkpoint.open(Resources.path("blocks.gguf"))) {
            assertThat(file.names()).hasSize(8);
            for (String name : file.names()) {
                for (float value : file.tensor(name).toFloats()) {
                    assertThat(Float.floatToRawIntBits(value)).as(name).isEqualTo(expected.getInt());
                }
            }
        }
        assertThat(expected.hasRemaining()).isFalse();
    }

    @Test
    void readsTheMetadata() throws IOException {
        try (GgufFile file = GgufFile.open(FILE)) {
            assertThat(file.metadata())
                    .hasSize(4)
                    .containsEntry("general.architecture", "llama")
                    .containsEntry("general.alignment", "64")
                    .containsEntry("llama.epsilon", "1.0E-5")
                    .containsEntry("yes", "true");
            assertThat(file.value("llama.epsilon")).contains(1e-5f);
            assertThat(file.texts("tokens")).containsExactly("a", "größe");
            assertThatThrownBy(() -> file.texts("scores"))
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessage(FILE + ": has no array of texts called 'scores'");
            assertThat(file.names()).hasSize(8).startsWith("f32", "f16");
        }
    }

    @Test
    void namesWhatIsNotRead() throws IOException {
        try (GgufFile file = GgufFile.open(FILE)) {
            assertThatThrownBy(() -> file.tensor("unread"))
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessage(FILE + ": tensor 'unread' has type Q8_K; read are F32, F16, BF16, F64, I8 to I64, Q8_0,"
                            + " Q5_0, Q5_1, Q4_0, Q4_1, Q2_K to Q6_K and IQ4_NL: quantise it again");
            assertThatThrownBy(() -> file.tensor("none")).hasMessageStartingWith(FILE + ": no tensor 'none'");
        }
        assertThatThrownBy(() -> Checkpoint.edit(FILE).with("f32", 1).saveAs(FILE))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageContaining("not a safetensors file")
                .hasMessageEndingWith("it looks like GGUF");
    }

    @Test
    void refusesWhatIsBroken() throws IOException {
        requireRefused(content -> content.put(0, (byte) 'g'), "not a GGUF file: it does not begin with GGUF");
        requireRefused(
                content -> content.putInt(4, 2),
                "GGUF with version 2, expected little-endian version 3; convert it again");
        requireRefused(
                content -> content.order(ByteOrder.BIG_ENDIAN).putInt(4, 3),
                "GGUF with big-endian numbers, expected little-endian version 3; convert it again");
        requireRefused(
                content -> content.putLong(8, -1), "claims 18446744073709551615 tensors, more than the file holds");
        requireRefused(content -> content.putLong(16, 1L << 40), "claims 1099511627776 keys, more than the file holds");
        requireRefused(
                content -> content.putInt(find(content, "general.alignment") + 21, 24),
                "general.alignment is 24, expected a power of two");
        requireRefused(
                content -> content.put(find(content, "yes") + 7, (byte) 2),
                "'yes' is the truth value 2, expected 0 or 1");
        requireRefused(content -> content.putInt(find(content, "yes") + 3, 13), "'yes' has the unknown type 13");
        requireRefused(
                content -> content.putInt(find(content, "scores") + 10, 9),
                "'scores' is an array of arrays, which is not read");
    }

    @Test
    void refusesTensorsThatLieWrong() throws IOException {
        int[] at = {find(content(), "q8_0")}; // then 4 bytes of rank, 2 of 8 of sizes, 4 of type, 8 of offset
        requireRefused(content -> content.putInt(at[0] + 4, 5), "tensor 'q8_0' has 5 axes, expected at most 4");
        requireRefused(
                content -> content.putLong(at[0] + 8, 63),
                "tensor 'q8_0' has rows of 63 elements, expected a multiple of 32, the block of Q8_0");
        requireRefused(
                content -> content.putLong(at[0] + 8, -32),
                "tensor 'q8_0': shape (2, -32) has the negative size -32, expected sizes of at least 0");
        requireRefused(
                content -> content.putLong(at[0] + 8, 1L << 61),
                "tensor 'q8_0' of shape (2, 2305843009213693952) and type Q8_0 has more than 2^63 bytes");
        requireRefused(
                content -> content.putLong(at[0] + 28, 1),
                "tensor 'q8_0' begins at byte 1 of the data, expected a multiple of 64");
        requireRefused(
                content -> content.put(at[0], (byte) 0xFF),
                "the name of a tensor, ending at byte " + (at[0] + 4) + ", is not valid UTF-8");
        requireRefused(content -> content.putLong(at[0] + 28, 0), "tensors 'q8_0' and 'unread' overlap");
        requireRefused(
                content -> content.put(find(content, "q4_1") + 3, (byte) '0'), "the header names tensor 'q4_0' twice");
    }
}
