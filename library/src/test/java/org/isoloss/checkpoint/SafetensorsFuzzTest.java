package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Valid and odd files with a few bytes, numbers or words changed. Whatever they hold, the reader refuses with its own
 * exception or reads, allocates little, and what it accepted is written back and read again to the same bits. A failure
 * names seed and number of the case.
 */
class SafetensorsFuzzTest {
    private static final Path NAME = Path.of("fuzz.safetensors");
    private static final List<String> WORDS = List.of(
            "\"dtype\"",
            "\"F16\"",
            "\"BF16\"",
            "\"I64\"",
            "\"BOOL\"",
            "\"F4\"",
            "\"__metadata__\"",
            "\"shape\"",
            "\"data_offsets\"",
            "null",
            "{}",
            "[]",
            "-1",
            "0",
            "1e0",
            "18446744073709551615",
            "9223372036854775807",
            "4294967296",
            "\\u0061",
            "\\ud83d",
            "\"",
            ",",
            ":",
            " ",
            "]",
            "}",
            "\u0000",
            "\u00ff",
            "// ",
            "NaN");

    private final List<byte[]> valid = seeds("{valid,special}*");
    private final List<byte[]> all = seeds("*.safetensors");

    @TempDir
    Path folder;

    private static List<byte[]> seeds(String names) {
        List<byte[]> seeds = new ArrayList<>();
        try (var files = Files.newDirectoryStream(Resources.path("malformed"), names)) {
            for (Path file : files) {
                if (Files.size(file) < 1000) {
                    seeds.add(Files.readAllBytes(file));
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        seeds.sort(Arrays::compare);
        return seeds;
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void refusesOrReadsAndWritesBackTheSameBits(long seed) throws IOException {
        assertThat(fuzz(seed, 5_000))
                .as("accepted files, so that both ways are tried")
                .isBetween(500, 4_500);
    }

    @Tag("slow")
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14})
    void refusesOrReadsAMillionTimes(long seed) throws IOException {
        assertThat(fuzz(seed, 100_000)).isPositive();
    }

    @Test
    void filesOnTheDiskFareNoWorse() throws IOException {
        var random = new SplittableRandom(20);
        Path file = folder.resolve("x.safetensors");
        for (int i = 0; i < 100; i++) {
            byte[] content = mutated(random);
            Files.write(file, content);
            try (SafetensorsFile opened = SafetensorsFile.open(file)) {
                requireSame(opened, SafetensorsFile.over(NAME, MemorySegment.ofArray(content), Arena.ofAuto()));
            } catch (CheckpointFormatException e) {
                assertThat(accepted(content))
                        .as("case %d: %s", i, e.getMessage())
                        .isFalse();
            }
        }
    }

    private int fuzz(long seed, int cases) throws IOException {
        return Fuzzing.run("safetensors", seed, cases, this::mutated, SafetensorsFuzzTest::accepted);
    }

    /** Reads every tensor, writes an edit of nothing, reads that again; false when the file is refused. */
    private static boolean accepted(byte[] content) throws IOException {
        SafetensorsFile file;
        try {
            file = SafetensorsFile.over(NAME, MemorySegment.ofArray(content), Arena.ofAuto());
        } catch (CheckpointFormatException e) {
            assertThat(e.getMessage()).startsWith("fuzz.safetensors: ").doesNotContain("\n");
            return false;
        }
        var written = new ByteArrayOutputStream();
        Checkpoint.edit(NAME).writeTo(file, Channels.newChannel(written));
        assertThat(written.size() % 8).isEqualTo((int) (dataBytes(file) % 8));
        requireSame(file, SafetensorsFile.over(NAME, MemorySegment.ofArray(written.toByteArray()), Arena.ofAuto()));

        var rewritten = new ByteArrayOutputStream();
        var writer = new SafetensorsWriter();
        new TreeMap<>(file.metadata()).forEach(writer::metadata);
        file.names().forEach(name -> writer.add(file.tensor(name)));
        writer.writeTo(NAME, Channels.newChannel(rewritten));
        requireSame(file, SafetensorsFile.over(NAME, MemorySegment.ofArray(rewritten.toByteArray()), Arena.ofAuto()));
        return true;
    }

    private static long dataBytes(SafetensorsFile file) {
        return file.names().stream()
                .mapToLong(name -> file.tensor(name).bytes().byteSize())
                .sum();
    }

    private static void requireSame(SafetensorsFile first, SafetensorsFile second) {
        assertThat(second.names()).containsExactlyInAnyOrderElementsOf(first.names());
        assertThat(second.metadata()).isEqualTo(first.metadata());
        for (String name : first.names()) {
            StoredTensor a = first.tensor(name);
            StoredTensor b = second.tensor(name);
            assertThat(b.type()).isEqualTo(a.type());
            assertThat(b.shape()).isEqualTo(a.shape());
            assertThat(b.bytes().mismatch(a.bytes())).isEqualTo(-1);
            if (a.type().isFloat() && a.shape().count() < 100) {
                double[] values = a.toDoubles();
                for (int i = 0; i < values.length; i++) {
                    long bits = Double.doubleToRawLongBits(values[i]);
                    assertThat(a.type().format().encode(bits)).isEqualTo(b.code(i));
                }
            }
        }
    }

    private byte[] mutated(SplittableRandom random) {
        List<byte[]> seeds = random.nextInt(3) == 0 ? all : valid;
        byte[] content = seeds.get(random.nextInt(seeds.size())).clone();
        for (int changes = Math.max(1, random.nextInt(4)); changes > 0; changes--) {
            content = switch (random.nextInt(11)) {
                case 0 -> flipped(content, random);
                case 1 -> Arrays.copyOf(content, random.nextInt(content.length + 9));
                case 2 -> spliced(content, random, 8);
                case 3, 4 -> withWord(content, random);
                case 5 -> withDigit(content, random);
                case 6 -> withoutPart(content, random);
                case 7 -> withPartTwice(content, random);
                case 8 -> withType(content, random);
                default -> withOtherData(content, random);
            };
            if (random.nextInt(4) != 0) {
                content = withLength(content);
            }
        }
        return content;
    }

    private static byte[] flipped(byte[] content, SplittableRandom random) {
        if (content.length > 0) {
            content[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return content;
    }

    /** Overwrites some bytes with any. */
    private static byte[] spliced(byte[] content, SplittableRandom random, int most) {
        int from = random.nextInt(content.length + 1);
        for (int i = from; i < Math.min(content.length, from + random.nextInt(most)); i++) {
            content[i] = (byte) random.nextInt();
        }
        return content;
    }

    private static byte[] withWord(byte[] content, SplittableRandom random) {
        byte[] word = WORDS.get(random.nextInt(WORDS.size())).getBytes(StandardCharsets.ISO_8859_1);
        int from = random.nextInt(content.length + 1);
        int to = Math.min(content.length, from + random.nextInt(word.length + 1));
        return joined(Arrays.copyOf(content, from), word, Arrays.copyOfRange(content, to, content.length));
    }

    private static byte[] withDigit(byte[] content, SplittableRandom random) {
        int[] digits = java.util.stream.IntStream.range(8, Math.max(8, content.length))
                .filter(i -> Character.isDigit(content[i]))
                .toArray();
        if (digits.length > 0) {
            content[digits[random.nextInt(digits.length)]] = (byte) ('0' + random.nextInt(10));
        }
        return content;
    }

    /** Another type of the same size: the file stays valid. */
    private static byte[] withType(byte[] content, SplittableRandom random) {
        String text = new String(content, StandardCharsets.ISO_8859_1);
        String type = random.nextBoolean() ? "\"I32\"" : "\"U32\"";
        return text.replaceFirst("\"F32\"", type).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Other bits near the end, where the data is: the file mostly stays valid. */
    private static byte[] withOtherData(byte[] content, SplittableRandom random) {
        for (int i = Math.max(0, content.length - random.nextInt(1, 8)); i < content.length; i++) {
            content[i] = (byte) random.nextInt();
        }
        return content;
    }

    private static byte[] withoutPart(byte[] content, SplittableRandom random) {
        int from = random.nextInt(content.length + 1);
        int to = Math.min(content.length, from + random.nextInt(40));
        return joined(Arrays.copyOf(content, from), Arrays.copyOfRange(content, to, content.length));
    }

    private static byte[] withPartTwice(byte[] content, SplittableRandom random) {
        int from = random.nextInt(content.length + 1);
        int to = Math.min(content.length, from + random.nextInt(80));
        return joined(Arrays.copyOf(content, to), Arrays.copyOfRange(content, from, content.length));
    }

    /** Makes the length of the header fit its last brace and the spaces after it, so that more than the length is tried. */
    private static byte[] withLength(byte[] content) {
        int end = content.length - 1;
        while (end >= 8 && content[end] != '}') {
            end--;
        }
        while (end >= 8 && end + 1 < content.length && content[end + 1] == ' ') {
            end++;
        }
        for (int at = 0; at < 8 && end >= 8; at++) {
            content[at] = (byte) ((long) (end - 7) >>> (8 * at));
        }
        return content;
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
