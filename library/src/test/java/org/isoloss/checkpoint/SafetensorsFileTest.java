package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsFileTest {
    @TempDir
    Path folder;

    private SafetensorsFile open(String header, String data) throws IOException {
        return SafetensorsFile.open(SafetensorsBytes.write(folder.resolve("x.safetensors"), header, data));
    }

    private static String entry(String type, String shape, int begin, int end) {
        return "{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%d,%d]}".formatted(type, shape, begin, end);
    }

    @Test
    void readsEveryTypeLittleEndianAtAnyAlignment() throws IOException {
        String header = "{\"bool\":" + entry("BOOL", "[3]", 0, 3)
                + ",\"f64\":" + entry("F64", "[1]", 3, 11)
                + ",\"f32\":" + entry("F32", "[1,2]", 11, 19)
                + ",\"i64\":" + entry("I64", "[1]", 19, 27)
                + ",\"i32\":" + entry("I32", "[1]", 27, 31)
                + ",\"i16\":" + entry("I16", "[1]", 31, 33)
                + ",\"i8\":" + entry("I8", "[1]", 33, 34)
                + ",\"u8\":" + entry("U8", "[1]", 34, 35)
                + ",\"u16\":" + entry("U16", "[1]", 35, 37)
                + ",\"u32\":" + entry("U32", "[1]", 37, 41)
                + ",\"u64\":" + entry("U64", "[1]", 41, 49)
                + ",\"bf16\":" + entry("BF16", "[1]", 49, 51)
                + ",\"f16\":" + entry("F16", "[]", 51, 53) + "}";
        String data = "00 01 02" + "182d4454fb210940" + "0000803f 000000c0" + "feffffffffffffff" + "fdffffff" + "fcff"
                + "fb" + "ff" + "ffff" + "ffffffff" + "ffffffffffffffff" + "8040" + "0044";
        try (SafetensorsFile file = open(header, data)) {
            assertThat(file.names()).startsWith("bool", "f64", "f32").hasSize(13);
            assertThat(file.tensor("f64").toDoubles()).containsExactly(Math.PI);
            assertThat(file.tensor("f32").toMatrix().entries()).containsExactly(1, -2);
            assertThat(file.tensor("f32").toFloats()).containsExactly(1, -2);
            assertThat(file.tensor("f64").toFloats()).containsExactly((float) Math.PI);
            assertThat(file.tensor("bf16").toFloats()).containsExactly(4);
            assertThat(file.tensor("f16").toFloats()).containsExactly(4);
            assertThat(file.tensor("bool").toLongs()).containsExactly(0, 1, 1);
            assertThat(file.tensor("i64").toLongs()).containsExactly(-2);
            assertThat(file.tensor("i32").toLongs()).containsExactly(-3);
            assertThat(file.tensor("i16").toLongs()).containsExactly(-4);
            assertThat(file.tensor("i8").toLongs()).containsExactly(-5);
            assertThat(file.tensor("u8").toDoubles()).containsExactly(255);
            assertThat(file.tensor("u16").toLongs()).containsExactly(65535);
            assertThat(file.tensor("u32").toLongs()).containsExactly(0xFFFF_FFFFL);
            String path = file.path().toString();
            assertThatThrownBy(() -> file.tensor("u64").toLongs())
                    .hasMessage(path + ": tensor 'u64' element 0 is 18446744073709551615, beyond 2^63 - 1");
            assertThatThrownBy(() -> file.tensor("u64").toDoubles())
                    .hasMessage(
                            path
                                    + ": tensor 'u64' element 0 is 18446744073709551615, beyond 2^53, up to which float64 holds every whole number");
            assertThatThrownBy(() -> file.tensor("f32").toLongs())
                    .hasMessage(path + ": tensor 'f32' has type F32, expected whole numbers");
            assertThatThrownBy(() -> file.tensor("i8").toFloats())
                    .hasMessage(path + ": tensor 'i8' has type I8, expected one of F64, F32, F16, BF16");
            assertThatThrownBy(() -> file.tensor("f64").toMatrix())
                    .hasMessage(path + ": tensor 'f64' has shape (1), expected (rows, columns)");
        }
    }

    @Test
    void readsPartsOfATensor() throws IOException {
        try (SafetensorsFile file = open("{\"a\":" + entry("F32", "[3]", 0, 12) + "}", "0000803f 00000040 00004040")) {
            StoredTensor tensor = file.tensor("a");
            assertThat(tensor.doubles(1, 2)).containsExactly(2, 3);
            assertThat(tensor.floats(2, 1)).containsExactly(3);
            assertThat(tensor.doubles(3, 0)).isEmpty();
            assertThatThrownBy(() -> tensor.doubles(2, 2))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(file.path() + ": tensor 'a' has 3 elements, asked for 2 from element 2");
            assertThatThrownBy(() -> tensor.floats(-1, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void readsTensorsBeyondTwoGibibytes() throws IOException {
        long large = 5L << 29; // 2.5 GiB, a hole in the file
        String header = "{\"large\":{\"dtype\":\"U8\",\"shape\":[%d],\"data_offsets\":[0,%d]},".formatted(large, large)
                + "\"last\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[%d,%d]}}".formatted(large, large + 8);
        Path path = folder.resolve("large.safetensors");
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        ByteBuffer number = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            channel.write(number.putLong(text.length).flip());
            channel.write(ByteBuffer.wrap(text));
            channel.write(number.clear().putDouble(Math.E).flip(), 8 + text.length + large);
        }
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            assertThat(file.tensor("last").toDoubles()).containsExactly(Math.E);
            assertThat(file.tensor("large").doubles(large - 2, 2)).containsExactly(0, 0);
            assertThatThrownBy(() -> file.tensor("large").toDoubles())
                    .hasMessage(path + ": tensor 'large' has 2684354560 elements, more than a Java array holds;"
                            + " read it in parts");
        }
    }

    @Test
    void namesWhatIsThereWhenATensorIsAbsent() throws IOException {
        try (SafetensorsFile file = open("{\"a\":" + entry("F32", "[0]", 0, 0) + "}", "")) {
            assertThatThrownBy(() -> file.tensor("b"))
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessage(file.path() + ": no tensor 'b'; it holds 1: 'a'");
        }
    }

    @Test
    void aTensorEndsWithItsFile() throws IOException {
        SafetensorsFile file = open("{\"a\":" + entry("F32", "[1]", 0, 4) + "}", "0000803f");
        StoredTensor tensor = file.tensor("a");
        file.close();
        file.close();
        assertThatThrownBy(tensor::toDoubles).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void missingFilesAndFoldersAreNamed() {
        assertThatThrownBy(() -> Checkpoint.open(folder.resolve("none")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage(folder.resolve("none") + ": no such file");
        assertThatThrownBy(() -> SafetensorsFile.open(folder))
                .isInstanceOf(IOException.class)
                .hasMessage(folder + ": is a folder, expected a file");
    }

    @Test
    void hugeNamesAndControlCharactersStayOnOneShortLine() throws IOException {
        String name = "line\\n\\u0007" + "x".repeat(100_000);
        Path file = SafetensorsBytes.write(folder.resolve("x"), "{\"" + name + "\":1}", "");
        assertThatThrownBy(() -> SafetensorsFile.open(file).close())
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(file + ": tensor 'line\\u000a\\u0007xxx")
                .hasMessageEndingWith("... (100006 characters)' is described by 1, expected an object with dtype, shape"
                        + " and data_offsets")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(400).doesNotContain("\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"\\ud83d\":1}",
                "{\"\\ude00\":1}",
                "{\"__metadata__\":{\"\\ud83d\":\"\"}}",
                "{\"__metadata__\":{\"a\":\"\\ud83d\"}}",
                "{\"__metadata__\":{\"a\":\"\\ude00\"}}",
                "{\"__metadata__\":{\"a\":\"\\ud83dx\"}}"
            })
    void halfASurrogatePairIsRefused(String header) throws IOException {
        Path file = SafetensorsBytes.write(folder.resolve("x"), header, "");
        assertThatThrownBy(() -> SafetensorsFile.open(file).close())
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageContaining("surrogate");
    }

    @Test
    void namesThatShareAHashAreReadInReasonableTime() throws IOException {
        StringBuilder header = new StringBuilder("{");
        for (int i = 0; i < 1 << 12; i++) { // "Aa" and "BB" have the same hash
            for (int bit = 0; bit < 12; bit++) {
                header.append(bit == 0 ? "\"" : "").append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            header.append("\":").append(entry("F32", "[0]", 0, 0)).append(i == (1 << 12) - 1 ? "}" : ",");
        }
        try (SafetensorsFile file = open(header.toString(), "")) {
            assertThat(file.names()).hasSize(1 << 12);
        }
    }

    @Test
    void whatTheFileLooksLikeIsSaid() throws IOException {
        assertThat(foreign("GGUF\3\0\0\0\0\0\0\0")).endsWith("; it looks like GGUF");
        assertThat(foreign("\u0089HDF\r\n\u001a\n\0\0"))
                .endsWith("; it looks like HDF5, as Keras writes; save the weights as safetensors or npz");
        assertThat(foreign("\u0093NUMPY\1\0v\0")).endsWith("; it looks like numpy's npy");
        assertThat(foreign("\u001f\u008b\10\10\0\0\0\0\0")).endsWith("; it looks like a gzip file; unpack it: gunzip");
        assertThat(foreign("{\"metadata\": {}, \"weight_map\": {}}")).endsWith("; it looks like JSON text");
        assertThat(foreign("\0".repeat(64)))
                .endsWith("; it looks like zeros, as an unfinished download leaves; download it again");
        assertThat(foreign("just some text")).endsWith("but at most 100000000 are allowed");
    }

    private String foreign(String latin1) throws IOException {
        Path file = Files.write(folder.resolve("foreign"), latin1.getBytes(StandardCharsets.ISO_8859_1));
        try (SafetensorsFile opened = SafetensorsFile.open(file)) {
            throw new AssertionError("read " + opened.names());
        } catch (CheckpointFormatException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
