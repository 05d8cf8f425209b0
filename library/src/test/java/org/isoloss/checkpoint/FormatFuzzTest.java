package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * GGUF and npz files with a few bytes changed: whatever they hold, the reader refuses with its own exception or reads, and
 * allocates little. A failure names seed and number of the case. Safetensors have {@link SafetensorsFuzzTest}.
 */
class FormatFuzzTest {
    private static final long ALLOCATION_LIMIT = 64L << 20;
    private static final long[] NUMBERS = {
        0, 1, -1, 31, 32, 255, 1L << 16, 1L << 31, (1L << 32) - 1, 1L << 32, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE
    };
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0}, seed {1}")
    @CsvSource({"quantised.gguf, 1, 20000", "numbers.npz, 2, 2000"})
    void refusesOrReads(String name, long seed, int cases) throws IOException {
        assertThat(fuzz(name, seed, cases))
                .as("accepted files, so that both ways are tried")
                .isBetween(20, cases - 20);
    }

    @Tag("slow")
    @ParameterizedTest(name = "{0}, seed {1}")
    @CsvSource({"quantised.gguf, 3, 1000000", "numbers.npz, 4, 200000"})
    void refusesOrReadsAMillionTimes(String name, long seed, int cases) throws IOException {
        assertThat(fuzz(name, seed, cases)).isPositive();
    }

    @Test
    void aReaderThatAllocatesByWhatTheFileClaimsWouldBeSeen() {
        assertThatThrownBy(() -> withinLimit(
                        "case 1", () -> assertThat(new byte[100_000_000]).isNotNull()))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> withinLimit("case 2", () -> {
                    throw new IndexOutOfBoundsException();
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessage("case 2");
    }

    private int fuzz(String name, long seed, int cases) throws IOException {
        var random = new SplittableRandom(seed);
        byte[] valid = Files.readAllBytes(Resources.path(name));
        int accepted = 0;
        for (int i = 0; i < cases; i++) {
            byte[] content = mutated(valid, random);
            boolean[] read = new boolean[1];
            withinLimit(name + ", seed " + seed + ", case " + i, () -> read[0] = accepted(name, content));
            accepted += read[0] ? 1 : 0;
        }
        return accepted;
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void withinLimit(String name, Step step) throws IOException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            step.run();
        } catch (RuntimeException e) {
            throw new AssertionError(name, e);
        }
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).as(name).isLessThan(ALLOCATION_LIMIT);
    }

    /** Reads every tensor; false when the file or all of them are refused. */
    private boolean accepted(String name, byte[] content) throws IOException {
        try (Checkpoint file = open(name, content)) {
            boolean any = false;
            for (String tensor : file.names()) {
                any |= read(file, tensor);
            }
            return any;
        } catch (CheckpointFormatException e) {
            assertThat(e.getMessage()).doesNotContain("\n");
            return false;
        }
    }

    @SuppressWarnings("MustBeClosed") // the result takes the arena over and closes it
    private Checkpoint open(String name, byte[] content) throws IOException {
        return name.endsWith(".gguf")
                ? GgufFile.over(Path.of(name), MemorySegment.ofArray(content), Arena.ofConfined())
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
