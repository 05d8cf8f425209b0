package org.isoloss.checkpoint;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes GGUF files of version 3 with tensors of float32. */
@SuppressWarnings("ByteBufferBackingArray") // each is allocated here, so its array is the whole of it
public final class GgufBytes {
    private static final int ALIGNMENT = 32;

    private final ByteArrayOutputStream keys = new ByteArrayOutputStream();
    private final ByteArrayOutputStream headers = new ByteArrayOutputStream();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private int keyCount;
    private int tensorCount;

    /** Adds a value of the metadata: an Integer (unsigned), Float, Boolean or String. */
    public GgufBytes with(String key, Object value) {
        keys.writeBytes(text(key));
        keys.writeBytes(
                switch (value) {
                    case Integer whole -> buffer(8).putInt(4).putInt(whole).array();
                    case Float number -> buffer(8).putInt(6).putFloat(number).array();
                    case Boolean flag ->
                        buffer(5).putInt(7).put((byte) (flag ? 1 : 0)).array();
                    case String word -> {
                        byte[] bytes = text(word);
                        yield buffer(4 + bytes.length).putInt(8).put(bytes).array();
                    }
                    default -> throw new AssertionError(value);
                });
        keyCount++;
        return this;
    }

    /** Adds a tensor; sizes are row-major. */
    public GgufBytes tensor(String name, Shape shape, float[] values) {
        headers.writeBytes(text(name));
        ByteBuffer header = buffer(4 + 8 * shape.rank() + 12).putInt(shape.rank());
        for (int axis = shape.rank() - 1; axis >= 0; axis--) {
            header.putLong(shape.size(axis));
        }
        headers.writeBytes(header.putInt(0).putLong(data.size()).array());
        ByteBuffer bytes = buffer(padded(4 * values.length));
        for (float value : values) {
            bytes.putFloat(value);
        }
        data.writeBytes(bytes.array());
        tensorCount++;
        return this;
    }

    public byte[] bytes() {
        int end = 24 + keys.size() + headers.size();
        return buffer(padded(end) + data.size())
                .put("GGUF".getBytes(StandardCharsets.US_ASCII))
                .putInt(3)
                .putLong(tensorCount)
                .putLong(keyCount)
                .put(keys.toByteArray())
                .put(headers.toByteArray())
                .position(padded(end))
                .put(data.toByteArray())
                .array();
    }

    private static int padded(int bytes) {
        return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
    }

    private static byte[] text(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return buffer(8 + bytes.length).putLong(bytes.length).put(bytes).array();
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
