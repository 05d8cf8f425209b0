package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.isoloss.linalg.Matrix;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes new safetensors files. The same calls give the same bytes. Wider types come first, otherwise tensors keep the order
 * in which they were added, so that every element is aligned to its size; the header is padded to a multiple of 8.
 *
 * <p>Arrays are kept, not copied: they must stay as they are until the file is saved.
 */
public final class SafetensorsWriter {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int ALIGNMENT = 8;

    private final Map<String, Part> parts = new LinkedHashMap<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();

    /** One tensor to be written. */
    private record Part(String name, ElementType type, Shape shape, AtomicFile.Content content) {
        long bytes() {
            return type.bytes(shape.count());
        }
    }

    /** Creates a writer without tensors or metadata. */
    public SafetensorsWriter() {}

    /**
     * Adds an entry to the metadata.
     *
     * @param key not given before
     * @param value any text
     * @return this writer
     */
    public SafetensorsWriter metadata(String key, String value) {
        requireUnicode(key, "metadata key");
        requireUnicode(value, "metadata value");
        if (metadata.put(key, value) != null) {
            throw new IllegalArgumentException(
                    "SafetensorsWriter: metadata key %s is given twice".formatted(quoted(key)));
        }
        return this;
    }

    /**
     * Adds a matrix as F64.
     *
     * @param name any text but {@code __metadata__}, not given before
     * @param values shape (rows, columns); kept, not copied
     * @return this writer
     */
    public SafetensorsWriter add(String name, Matrix values) {
        return add(name, ElementType.F64, Shape.of(values.rows(), values.columns()), values.entries());
    }

    /**
     * Adds float64 numbers, rounded to the given type (ties to even).
     *
     * @param name any text but {@code __metadata__}, not given before
     * @param type F64, F32, F16 or BF16
     * @param shape as many elements as {@code values}
     * @param values row-major; a finite value must stay finite in {@code type}; kept, not copied
     * @return this writer
     */
    public SafetensorsWriter add(String name, ElementType type, Shape shape, double... values) {
        FloatFormat format = type.format();
        return add(name, type, shape, values.length, index -> {
            long code = format.encode(Double.doubleToRawLongBits(values[index]));
            if (!format.isFinite(code) && Double.isFinite(values[index])) {
                throw new IllegalArgumentException(
                        "SafetensorsWriter: value %d of tensor %s is %s, beyond the range of %s"
                                .formatted(index, quoted(name), values[index], type));
            }
            return code;
        });
    }

    /**
     * Adds float32 numbers as F32.
     *
     * @param name any text but {@code __metadata__}, not given before
     * @param shape as many elements as {@code values}
     * @param values row-major; kept, not copied
     * @return this writer
     */
    public SafetensorsWriter add(String name, Shape shape, float... values) {
        return add(name, ElementType.F32, shape, values.length, index -> Float.floatToRawIntBits(values[index]));
    }

    /**
     * Adds whole numbers as I64.
     *
     * @param name any text but {@code __metadata__}, not given before
     * @param shape as many elements as {@code values}
     * @param values row-major; kept, not copied
     * @return this writer
     */
    public SafetensorsWriter add(String name, Shape shape, long... values) {
        return add(name, ElementType.I64, shape, values.length, index -> values[index]);
    }

    /**
     * Adds a tensor as it is stored elsewhere, of any type, byte for byte.
     *
     * @param tensor from a checkpoint that stays open until the file is saved
     * @return this writer
     */
    public SafetensorsWriter add(StoredTensor tensor) {
        return add(new Part(
                tensor.name(), tensor.type(), tensor.shape(), channel -> TensorOutput.copy(tensor.bytes(), channel)));
    }

    SafetensorsWriter add(String name, ElementType type, Shape shape, int count, TensorOutput.Codes codes) {
        if (shape.count() != count) {
            throw new IllegalArgumentException(
                    "SafetensorsWriter: tensor %s of shape %s has %d elements, but %d are given"
                            .formatted(quoted(name), shape, shape.count(), count));
        }
        return add(new Part(name, type, shape, channel -> TensorOutput.write(channel, type.bits(), count, codes)));
    }

    /** Adds a tensor of another checkpoint in a type that holds each of its numbers. */
    SafetensorsWriter addWidened(StoredTensor tensor, ElementType type) {
        FloatFormat from = tensor.type().format();
        FloatFormat to = type.format();
        return add(
                tensor.name(),
                type,
                tensor.shape(),
                tensor.wholeCount(),
                index -> to.encode(from.decode(tensor.code(index))));
    }

    private SafetensorsWriter add(Part part) {
        requireUnicode(part.name(), "tensor name");
        if (part.name().equals(SafetensorsHeader.METADATA)) {
            throw new IllegalArgumentException("SafetensorsWriter: no tensor can be called __metadata__");
        }
        if (parts.putIfAbsent(part.name(), part) != null) {
            throw new IllegalArgumentException(
                    "SafetensorsWriter: tensor %s is added twice".formatted(quoted(part.name())));
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
        AtomicFile.write(target, channel -> writeTo(target, channel));
    }

    void writeTo(Path target, WritableByteChannel channel) throws IOException {
        List<Part> ordered = new ArrayList<>(parts.values());
        ordered.sort(Comparator.comparingInt((Part part) -> part.type().bits()).reversed());
        byte[] header = header(ordered);
        // never write what cannot be read back
        SafetensorsHeader.parse(
                target, header, ordered.stream().mapToLong(Part::bytes).sum());
        writeHeader(channel, header);
        for (Part part : ordered) {
            part.content().writeTo(channel);
        }
    }

    private byte[] header(List<Part> ordered) {
        var text = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            if (!metadata.isEmpty()) {
                json.writeObjectPropertyStart(SafetensorsHeader.METADATA);
                metadata.forEach(json::writeStringProperty);
                json.writeEndObject();
            }
            long begin = 0;
            for (Part part : ordered) {
                json.writeObjectPropertyStart(part.name());
                json.writeStringProperty("dtype", part.type().name());
                json.writeArrayPropertyStart("shape");
                part.shape().sizes().forEach(json::writeNumber);
                json.writeEndArray();
                json.writeArrayPropertyStart("data_offsets");
                json.writeNumber(begin);
                begin += part.bytes();
                json.writeNumber(begin);
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndObject();
        }
        return text.toByteArray();
    }

    /** Writes the length, the text, and spaces up to a multiple of 8. */
    static void writeHeader(WritableByteChannel channel, byte[] text) throws IOException {
        int padded = Math.ceilDiv(text.length, ALIGNMENT) * ALIGNMENT;
        ByteBuffer header = ByteBuffer.allocate(Long.BYTES + padded).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(padded).put(text);
        while (header.hasRemaining()) {
            header.put((byte) ' ');
        }
        channel.write(header.flip());
    }

    private static void requireUnicode(String text, String what) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException(
                    "SafetensorsWriter: a %s holds half of a surrogate pair: %s".formatted(what, quoted(text)));
        }
    }
}
