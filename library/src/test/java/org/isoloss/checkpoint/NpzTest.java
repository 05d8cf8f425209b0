package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code numbers.npz}, {@code objects.npz} and {@code fortran.npy} come from numpy: see make_npz.py. */
class NpzTest {
    private static final String HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
    private static final String ONE = "\0\0\0\0\0\0\u00f0?";

    @TempDir
    Path folder;

    @Test
    void readsWhatNumpyWrote() throws IOException {
        try (Checkpoint numbers = Checkpoint.open(Resources.path("numbers.npz"))) {
            assertThat(numbers).isInstanceOf(Npz.class);
            assertThat(numbers.metadata()).isEmpty();
            assertThat(numbers.names()).startsWith("f8", "f4", "f2", "i8").hasSize(12);
            Matrix matrix = numbers.tensor("f8").toMatrix();
            assertThat(matrix.rows()).isEqualTo(2);
            assertThat(matrix.entries())
                    .containsExactly(0.1, -0.0, Double.MIN_VALUE, Math.PI, Double.POSITIVE_INFINITY, -1e308);
            assertThat(numbers.tensor("f4").toFloats()).containsExactly(0.1f, Float.MIN_VALUE, -2);
            assertThat(numbers.tensor("f2").toDoubles()).containsExactly(0.0999755859375, 0x1p-24, -2);
            assertThat(numbers.tensor("i8").toLongs()).containsExactly(Long.MIN_VALUE, 0, Long.MAX_VALUE);
            assertThatThrownBy(() -> numbers.tensor("i8").toDoubles())
                    .hasMessage(
                            numbers.path()
                                    + ": tensor 'i8' element 0 is -9223372036854775808, beyond 2^53, up to which float64 holds every whole number");
            assertThat(numbers.tensor("i4").toMatrix().entries()).containsExactly(-7, 7);
            assertThat(numbers.tensor("u1").toLongs()).containsExactly(0, 255);
            assertThat(numbers.tensor("b1").toDoubles()).containsExactly(1, 0);
            assertThat(numbers.tensor("scalar").shape()).isEqualTo(Shape.of());
            assertThat(numbers.tensor("scalar").toDoubles()).containsExactly(2.5);
            assertThat(numbers.tensor("empty").shape()).isEqualTo(Shape.of(3, 0));
            assertThat(numbers.tensor("empty").toDoubles()).isEmpty();
        }
    }

    @Test
    void fortranOrderBecomesRowMajor() throws IOException {
        try (Npz numbers = Npz.open(Resources.path("numbers.npz"))) {
            StoredTensor array = numbers.tensor("fortran");
            assertThat(array.shape()).isEqualTo(Shape.of(2, 3, 4));
            assertThat(array.toDoubles()).hasSize(24).satisfies(values -> {
                for (int i = 0; i < 24; i++) {
                    assertThat(values[i]).isEqualTo(i / 8.0);
                }
            });
        }
        StoredTensor single = Npz.readArray(Resources.path("fortran.npy"));
        assertThat(single.name()).isEqualTo("fortran");
        assertThat(single.toMatrix().row(1)).containsExactly(0.5, 0.625, 0.75, 0.875);
    }

    @Test
    void whatNumpyWritesAndWeDoNotReadIsRefusedInOneLine() throws IOException {
        String expected = "expected little-endian numbers, one of <f8, <f4, <f2, <i8, <i4, |u1, |b1; convert it:"
                + " x.astype('<f8')";
        try (Npz numbers = Npz.open(Resources.path("numbers.npz"))) {
            assertThatThrownBy(() -> numbers.tensor("big_endian"))
                    .isInstanceOf(CheckpointFormatException.class)
                    .hasMessage(numbers.path() + ": array 'big_endian' has type '>f8', " + expected);
            assertThatThrownBy(() -> numbers.tensor("text"))
                    .hasMessage(numbers.path() + ": array 'text' has type '<U1', " + expected);
            assertThatThrownBy(() -> numbers.tensor("none"))
                    .hasMessage(numbers.path() + ": no tensor 'none'; it holds 12: 'f8', 'f4', 'f2', 'i8', 'i4', 'u1',"
                            + " 'b1', 'scalar', ...");
        }
        try (Npz objects = Npz.open(Resources.path("objects.npz"))) {
            assertThat(objects.tensor("y").toDoubles())
                    .as("the others can be read")
                    .containsExactly(0);
            for (String name : new String[] {"x", "z"}) {
                assertThatThrownBy(() -> objects.tensor(name))
                        .isInstanceOf(CheckpointFormatException.class)
                        .hasMessage(objects.path() + ": array '" + name
                                + "' holds Python objects or records, which need pickles and are never loaded;"
                                + " save plain numbers: numpy.savez(file, x=x.astype('float64'))");
            }
        }
    }

    @Test
    void whatIsWrittenIsReadToTheBit() throws IOException {
        var random = new SplittableRandom(1);
        float[] floats = new float[30_000];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = Float.intBitsToFloat(random.nextInt());
        }
        long[] longs = random.longs(30_000).toArray();
        Path file = folder.resolve("x.npz");
        var writer = new NpzWriter()
                .add("m", Matrix.of(2, 2, 1, 2, 3, -0.0))
                .add("größe", Shape.of(30, 1000), floats)
                .add("l", Shape.of(longs.length), longs)
                .add("s", Shape.of(), Math.E);
        writer.saveTo(file);
        byte[] first = Files.readAllBytes(file);
        try (Npz read = Npz.open(file)) {
            assertThat(read.names()).containsExactly("m", "größe", "l", "s");
            assertThat(read.tensor("m").toMatrix().entries()).containsExactly(1, 2, 3, -0.0);
            assertThat(read.tensor("l").toLongs()).isEqualTo(longs);
            assertThat(read.tensor("s").toDoubles()).containsExactly(Math.E);
            StoredTensor stored = read.tensor("größe");
            assertThat(stored.shape()).isEqualTo(Shape.of(30, 1000));
            assertThat(MemorySegment.ofArray(stored.toFloats()).mismatch(MemorySegment.ofArray(floats)))
                    .isEqualTo(-1);
        }
        writer.saveTo(file);
        assertThat(file).as("the same calls give the same bytes").hasBinaryContent(first);
    }

    /** Numpy's U type: code points of four bytes, each text filled up with zeros to the longest. */
    @Test
    void textsAreWrittenAsNumpyDoes() throws IOException {
        Path file = folder.resolve("texts.npz");
        new NpzWriter().add("names", List.of("a\u00e9", "", "\ud835\udd38bc")).saveTo(file);
        try (var zip = new ZipFile(file.toFile());
                var stream = zip.getInputStream(zip.getEntry("names.npy"))) {
            byte[] bytes = stream.readAllBytes();
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("'descr': '<U3'", "'shape': (3,)");
            int[] points = new int[9];
            ByteBuffer.wrap(bytes, bytes.length - 36, 36)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asIntBuffer()
                    .get(points);
            assertThat(points).containsExactly('a', 0xe9, 0, 0, 0, 0, 0x1d538, 'b', 'c');
        }
        try (Npz npz = Npz.open(file)) {
            assertThat(npz.names()).containsExactly("names");
        }
    }

    @Test
    void theWriterRefusesWhatNumpyCouldNotName() {
        var writer = new NpzWriter().add("a", Shape.of(1), 1.0);
        assertThatThrownBy(() -> writer.add("a", Shape.of(1), 1.0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("NpzWriter: array 'a' is added twice");
        assertThatThrownBy(() -> writer.add("", Shape.of(1), 1.0)).hasMessage("NpzWriter: array '' is without a name");
        assertThatThrownBy(() -> writer.add("b", Shape.of(2), 1.0))
                .hasMessage("NpzWriter: array 'b' of shape (2) has 2 elements, but 1 are given");
    }

    private static String npy(String header, String data) {
        return "\u0093NUMPY\1\0" + (char) header.length() + "\0" + header + data;
    }

    private Path write(String content) throws IOException {
        return Files.write(folder.resolve("x.npy"), content.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void readsEveryVersionAndAnyOrderOfTheHeader() throws IOException {
        assertThat(Npz.readArray(write(npy(HEADER, ONE))).toDoubles()).containsExactly(1);
        String reordered = "{'shape':(1L,),'descr':'<f8','fortran_order':True}\n";
        assertThat(Npz.readArray(write(npy(reordered, ONE))).toDoubles()).containsExactly(1);
        String third = "\u0093NUMPY\3\0" + (char) HEADER.length() + "\0\0\0" + HEADER + ONE;
        assertThat(Npz.readArray(write(third)).toDoubles()).containsExactly(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "(1,) | (2,) | of shape (2) and type F64 needs 16 bytes, but holds 8",
                "(1,) | (0,) | of shape (0) and type F64 goes on after its 0 bytes",
                "(1,) | (4294967296, 4294967296) | has the shape (4294967296, 4294967296), which is none",
                "(1,) | (99999999999999999999,) | has the shape (99999999999999999999,), which is none",
                "(1,) | (300000000,) | of shape (300000000) and type F64 has more than 2 GiB",
                "'fortran_order': False, | `` | has the header '{'descr': '<f8',  'shape': (1,), }', expected descr,"
                        + " fortran_order and shape once each",
                "False | 0 | has the header '{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }', expected only descr,"
                        + " fortran_order and shape",
                "{ | `` | has the header ''descr': '<f8', 'fortran_order': False, 'shape': (1,), }', expected a Python dict"
            })
    void headersThatDoNotFitAreRefused(String part, String other, String message) throws IOException {
        Path file = write(npy(HEADER.replace(part, other), ONE));
        assertThatThrownBy(() -> Npz.readArray(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": array 'x' " + message);
    }

    @Test
    void filesThatAreSomethingElseAreRefused() throws IOException {
        Path npy = write("\u0080\2}q");
        assertThatThrownBy(() -> Npz.readArray(npy))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(
                        npy + ": array 'x' is not in numpy's npy format; it looks like a Python pickle");
        Path version = write("\u0093NUMPY\4\0");
        assertThatThrownBy(() -> Npz.readArray(version))
                .hasMessage(version + ": array 'x' has npy version 4.0, expected 1.0, 2.0 or 3.0");
        Path cut = write("\u0093NUMPY\1\0@");
        assertThatThrownBy(() -> Npz.readArray(cut)).hasMessage(cut + ": array 'x' was cut short");
        Path long2 = write("\u0093NUMPY\2\0\u00ff\u00ff\u00ff\u00ff");
        assertThatThrownBy(() -> Npz.readArray(long2))
                .hasMessage(long2 + ": array 'x' has a header of 4294967295 bytes, expected at most 65536");
        Path none = write("");
        assertThatThrownBy(() -> Npz.open(none))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(none + ": not an npz file: ");
    }

    @Test
    void aZipOfTorchIsExplained() throws IOException {
        Path file = zip("archive/data.pkl", new byte[10]);
        assertThatThrownBy(() -> Checkpoint.open(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(
                        file + ": not an npz file but a zip that torch.save wrote, with a pickle inside,"
                                + " which is never loaded; convert it to safetensors: python -c");
        Path other = zip("readme.txt", new byte[10]);
        assertThatThrownBy(() -> Checkpoint.open(other))
                .hasMessage(other + ": not an npz file: it holds 'readme.txt', expected only arrays (.npy)");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void damagedFilesGiveOurOwnExceptionOrTheRightNumbers(long seed) throws IOException {
        var random = new SplittableRandom(seed);
        Path good = folder.resolve("good.npz");
        double[] values = random.doubles(50).toArray();
        new NpzWriter().add("a", Shape.of(50), values).saveTo(good);
        byte[] content = Files.readAllBytes(good);
        int refused = 0;
        for (int i = 0; i < 100; i++) {
            byte[] damaged = content.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            Path file = Files.write(folder.resolve("x.npz"), damaged);
            try (Npz npz = Npz.open(file)) {
                assertThat(npz.tensor(npz.names().getFirst()).toDoubles()).isEqualTo(values);
            } catch (CheckpointFormatException e) {
                refused++;
                assertThat(e.getMessage()).startsWith(file + ": ");
            }
        }
        assertThat(refused).isGreaterThan(50);
    }

    private Path zip(String name, byte[] content) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry(name));
            zip.write(content);
        }
        return Files.write(folder.resolve("x.npz"), bytes.toByteArray());
    }
}
