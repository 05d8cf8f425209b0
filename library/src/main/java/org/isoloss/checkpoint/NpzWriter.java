package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.isoloss.linalg.Matrix;

/**
 * Writes npz files that {@code numpy.load} reads: little-endian, C order, compressed. The same calls give the same bytes: no
 * time is stored.
 *
 * <p>Arrays are kept, not copied: they must stay as they are until the file is saved.
 */
public final class NpzWriter {
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0); // the least a zip can say
    private static final int ALIGNMENT = 64;
    private static final int FIXED_BYTES = 10;

    private final Map<String, Part> parts = new LinkedHashMap<>();

    /** One array to be written. */
    private record Part(String descr, Shape shape, AtomicFile.Content content) {}

    /** Creates a writer without arrays. */
    public NpzWriter() {}

    /**
     * Adds a matrix as f8.
     *
     * @param name the key in numpy, not empty, not given before
     * @param values shape (rows, columns); kept, not copied
     * @return this writer
     */
    public NpzWriter add(String name, Matrix values) {
        return add(name, Shape.of(values.rows(), values.columns()), values.entries());
    }

    /**
     * Adds float64 numbers as f8.
     *
     * @param name the key in numpy, not empty, not given before
     * @param shape as many elements as {@code values}
     * @param values row-major; kept, not copied
     * @return this writer
     */
    public NpzWriter add(String name, Shape shape, double... values) {
        return add(name, "<f8", 64, shape, values.length, index -> Double.doubleToRawLongBits(values[index]));
    }

    /**
     * Adds float32 numbers as f4.
     *
     * @param name the key in numpy, not empty, not given before
     * @param shape as many elements as {@code values}
     * @param values row-major; kept, not copied
     * @return this writer
     */
    public NpzWriter add(String name, Shape shape, float... values) {
        return add(name, "<f4", 32, shape, values.length, index -> Float.floatToRawIntBits(values[index]));
    }

    /**
     * Adds whole numbers as i8.
     *
     * @param name the key in numpy, not empty, not given before
     * @param shape as many elements as {@code values}
     * @param values row-major; kept, not copied
     * @return this writer
     */
    public NpzWriter add(String name, Shape shape, long... values) {
        return add(name, "<i8", 64, shape, values.length, index -> values[index]);
    }

    /**
     * Adds texts as an array of one axis of numpy's {@code U} type, which {@link Npz} does not read.
     *
     * @param name the key in numpy, not empty, not given before
     * @param texts none with a NUL
     * @return this writer
     */
    public NpzWriter add(String name, List<String> texts) {
        int longest = Math.max(
                1,
                texts.stream()
                        .mapToInt(text -> text.codePointCount(0, text.length()))
                        .max()
                        .orElse(1));
        int[] points = new int[Math.multiplyExact(texts.size(), longest)];
        for (int i = 0; i < texts.size(); i++) {
            int[] own = texts.get(i).codePoints().toArray();
            System.arraycopy(own, 0, points, i * longest, own.length);
        }
        return add(
                name,
                new Part(
                        "<U" + longest,
                        Shape.of(texts.size()),
                        channel -> TensorOutput.write(channel, 32, points.length, index -> points[index])));
    }

    /** Adds an array of the name and shape of one that is stored, with content of a type that may be another. */
    NpzWriter add(StoredTensor stored, ElementType type, AtomicFile.Content content) {
        return add(stored.name(), new Part(NpyArray.descr(type), stored.shape(), content));
    }

    /** Adds a stored array of floats, each number exactly, in a type that holds it. */
    NpzWriter addWidened(StoredTensor stored, ElementType type) {
        FloatFormat from = stored.type().format();
        FloatFormat to = type.format();
        int count = stored.wholeCount();
        return add(
                stored,
                type,
                channel -> TensorOutput.write(
                        channel, type.bits(), count, index -> to.encode(from.decode(stored.code(index)))));
    }

    private NpzWriter add(String name, String descr, int bits, Shape shape, int count, TensorOutput.Codes codes) {
        if (shape.count() != count) {
            throw new IllegalArgumentException("NpzWriter: array %s of shape %s has %d elements, but %d are given"
                    .formatted(quoted(name), shape, shape.count(), count));
        }
        return add(name, new Part(descr, shape, channel -> TensorOutput.write(channel, bits, count, codes)));
    }

    private NpzWriter add(String name, Part part) {
        if (name.isEmpty() || parts.putIfAbsent(name, part) != null) {
            throw new IllegalArgumentException("NpzWriter: array %s is %s"
                    .formatted(quoted(name), name.isEmpty() ? "without a name" : "added twice"));
        }
        return this;
    }

    /**
     * Writes the file, whole or not at all (see {@link AtomicFile}).
     *
     * @param target where to; replaced when it exists
     * @throws IOException when it cannot be written; an old file is then as before
     */
    public void saveTo(Path target) throws IOException {
        AtomicFile.writeStream(target, stream -> {
            var zip = new ZipOutputStream(stream);
            WritableByteChannel channel = Channels.newChannel(zip);
            for (var part : parts.entrySet()) {
                var entry = new ZipEntry(part.getKey() + ".npy");
                entry.setTimeLocal(NO_TIME);
                zip.putNextEntry(entry);
                channel.write(ByteBuffer.wrap(header(part.getValue())));
                part.getValue().content().writeTo(channel);
                zip.closeEntry();
            }
            zip.finish();
        });
    }

    /** Version 1.0, padded by spaces and a newline so that the data begins at a multiple of 64. */
    private static byte[] header(Part part) {
        String sizes = part.shape().sizes().stream().map(size -> size + ",").collect(Collectors.joining(" "));
        String text = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }".formatted(part.descr(), sizes);
        int length = Math.ceilDiv(FIXED_BYTES + text.length() + 1, ALIGNMENT) * ALIGNMENT - FIXED_BYTES;
        String padded = text + " ".repeat(length - text.length() - 1) + "\n";
        String fixed = "\u0093NUMPY\1\0" + (char) (length & 0xFF) + (char) (length >>> 8);
        return (fixed + padded).getBytes(StandardCharsets.ISO_8859_1);
    }
}
