package org.isoloss.checkpoint;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Supplier;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * One array of a file, read only when asked. The elements lie row-major and little-endian, at any alignment, possibly in a
 * mapping that ends when the checkpoint is closed: reading later is an {@link IllegalStateException}.
 */
public final class StoredTensor {
    private static final ValueLayout.OfByte INT8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort INT16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat BINARY32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble BINARY64 = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;
    /** Numbers on their way to float64 at a time, few enough to stay in the cache. */
    private static final int STRETCH = 2048;

    private static final long EXACT_IN_BINARY64 = 1L << 53;

    private final Path file;
    private final String name;
    private final ElementType type;
    private final Shape shape;
    private @Nullable Supplier<MemorySegment> source;
    private volatile @Nullable MemorySegment read;

    /** Wraps bytes that fit {@code type} and {@code shape}. */
    StoredTensor(Path file, String name, ElementType type, Shape shape, MemorySegment bytes) {
        this(file, name, type, shape, () -> bytes);
    }

    /**
     * Wraps bytes that are made when they are first asked for.
     *
     * @param source gives bytes that fit {@code type} and {@code shape}; asked once
     */
    StoredTensor(Path file, String name, ElementType type, Shape shape, Supplier<MemorySegment> source) {
        this.file = file;
        this.name = name;
        this.type = type;
        this.shape = shape;
        this.source = source;
    }

    /** Returns a tensor of the same name and file whose bytes are made from this one's when they are first asked for. */
    StoredTensor with(ElementType other, Shape sizes, Supplier<MemorySegment> bytes) {
        return new StoredTensor(file, name, other, sizes, bytes);
    }

    /** Returns the same tensor under another name. */
    StoredTensor named(String other) {
        return new StoredTensor(file, other, type, shape, this::bytes);
    }

    /** {@return the name in the file, may be any text, also empty} */
    public String name() {
        return name;
    }

    /** {@return the type of the elements as stored, the type} */
    public ElementType type() {
        return type;
    }

    /** {@return the shape as stored, no axis for a single number} */
    public Shape shape() {
        return shape;
    }

    /** {@return the bytes as stored: read-only, row-major, little-endian; valid until the checkpoint is closed} */
    public MemorySegment bytes() {
        MemorySegment bytes = read;
        return bytes == null ? readOnce() : bytes;
    }

    private synchronized MemorySegment readOnce() {
        MemorySegment bytes = read;
        if (bytes == null) {
            bytes = Objects.requireNonNull(source).get().asReadOnly();
            read = bytes;
            source = null; // it may hold the bytes of another tensor
        }
        return bytes;
    }

    /**
     * {@return all elements as float64, exactly: also NaN payloads, negative zero and subnormals of F64, F32, F16 and BF16;
     * row-major, length {@code shape().count()}}
     */
    public double[] toDoubles() {
        return doubles(0, wholeCount());
    }

    /**
     * Returns consecutive elements as float64, exactly.
     *
     * @param from first element, row-major, from 0
     * @param count how many, at least 0; {@code from + count} at most {@code shape().count()}
     * @return length {@code count}
     */
    public double[] doubles(long from, int count) {
        requireWithin(from, count);
        double[] values = new double[count];
        read(from, values, 0, count);
        return values;
    }

    /**
     * Reads consecutive elements as float64, exactly, into an array that is there.
     *
     * @param from first element, row-major, from 0
     * @param target modified
     * @param at where the first element goes, from 0
     * @param count how many, at least 0; {@code from + count} at most {@code shape().count()}
     */
    public void read(long from, double[] target, int at, int count) {
        requireWithin(from, count);
        Objects.checkFromIndexSize(at, count, target.length);
        MemorySegment bytes = bytes();
        switch (type) {
            case F64 -> MemorySegment.copy(bytes, BINARY64, 8 * from, target, at, count);
            case F32, F16, BF16 -> {
                float[] narrow = new float[Math.min(count, STRETCH)];
                for (int done = 0; done < count; done += STRETCH) {
                    int n = Math.min(STRETCH, count - done);
                    read(from + done, narrow, 0, n);
                    for (int i = 0; i < n; i++) {
                        // a cast would quiet a signalling NaN
                        target[at + done + i] = Float.isNaN(narrow[i]) ? decoded(code(from + done + i)) : narrow[i];
                    }
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    target[at + i] = exactly(whole(from + i), from + i);
                }
            }
        }
    }

    /**
     * {@return all elements as float32: exact, except that F64 is rounded to nearest, ties to even; row-major, length {@code
     * shape().count()}}
     */
    public float[] toFloats() {
        return floats(0, wholeCount());
    }

    /**
     * Returns consecutive elements as float32: exact, except that F64 is rounded to nearest, ties to even.
     *
     * @param from first element, row-major, from 0
     * @param count how many, at least 0; {@code from + count} at most {@code shape().count()}
     * @return length {@code count}
     */
    public float[] floats(long from, int count) {
        requireWithin(from, count);
        float[] values = new float[count];
        read(from, values, 0, count);
        return values;
    }

    /**
     * Reads consecutive elements as float32, exact except that F64 is rounded to nearest, into an array that is there.
     *
     * @param from first element, row-major, from 0
     * @param target modified
     * @param at where the first element goes, from 0
     * @param count how many, at least 0; {@code from + count} at most {@code shape().count()}
     */
    public void read(long from, float[] target, int at, int count) {
        requireWithin(from, count);
        Objects.checkFromIndexSize(at, count, target.length);
        MemorySegment bytes = bytes();
        switch (type) {
            case F32 -> MemorySegment.copy(bytes, BINARY32, 4 * from, target, at, count);
            case F16, BF16 -> Widening.widen(bytes, from, target, at, count, type == ElementType.F16);
            default -> {
                FloatFormat format = floatFormat();
                for (int i = 0; i < count; i++) {
                    target[at + i] = narrowed(format, code(from + i));
                }
            }
        }
    }

    /** {@return all elements as whole numbers; BOOL gives 0 and 1; row-major, length {@code shape().count()}; each exact} */
    public long[] toLongs() {
        long[] values = new long[wholeCount()];
        for (int i = 0; i < values.length; i++) {
            values[i] = whole(i);
            if (type == ElementType.U64 && values[i] < 0) {
                throw wrong("element %d is %s, beyond 2^63 - 1".formatted(i, Long.toUnsignedString(values[i])));
            }
        }
        return values;
    }

    /** {@return the elements of an array with two axes as a matrix, shape (rows, columns) as stored, exact} */
    public Matrix toMatrix() {
        if (shape.rank() != 2 || shape.size(0) > LONGEST_ARRAY || shape.size(1) > LONGEST_ARRAY) {
            throw wrong("has shape %s, expected (rows, columns)".formatted(shape));
        }
        return Matrix.over((int) shape.size(0), (int) shape.size(1), toDoubles());
    }

    /** Returns the stored bits of one element in the low end, zero-extended; at least 8 bits wide. */
    long code(long index) {
        MemorySegment bytes = bytes();
        return switch (type.bits()) {
            case 64 -> bytes.get(INT64, 8 * index);
            case 32 -> bytes.get(INT32, 4 * index) & 0xFFFF_FFFFL;
            case 16 -> bytes.get(INT16, 2 * index) & 0xFFFF;
            default -> bytes.get(INT8, index) & 0xFF;
        };
    }

    private double decoded(long code) {
        return Double.longBitsToDouble(type.format().decode(code));
    }

    private static float narrowed(FloatFormat format, long code) {
        return Float.intBitsToFloat((int) FloatFormat.BINARY32.encode(format.decode(code)));
    }

    private long whole(long index) {
        long code = code(index);
        return switch (type) {
            case I64, U64, U32, U16, U8 -> code;
            case I32 -> (int) code;
            case I16 -> (short) code;
            case I8 -> (byte) code;
            case BOOL -> code == 0 ? 0 : 1;
            default -> throw wrong("has type %s, expected whole numbers".formatted(type));
        };
    }

    private double exactly(long value, long index) {
        boolean exact = -EXACT_IN_BINARY64 <= value && value <= EXACT_IN_BINARY64;
        if (!exact || (type == ElementType.U64 && value < 0)) {
            throw wrong("element %d is %s, beyond 2^53, up to which float64 holds every whole number"
                    .formatted(index, type == ElementType.U64 ? Long.toUnsignedString(value) : String.valueOf(value)));
        }
        return value;
    }

    private FloatFormat floatFormat() {
        if (!type.isFloat()) {
            throw wrong("has type %s, expected one of F64, F32, F16, BF16".formatted(type));
        }
        return type.format();
    }

    /** Returns the number of elements where it is an index of an array. */
    int wholeCount() {
        long count = shape.count();
        if (count > LONGEST_ARRAY) {
            throw wrong("has %d elements, more than a Java array holds; read it in parts".formatted(count));
        }
        return (int) count;
    }

    private void requireWithin(long from, int count) {
        if (!type.isFloat() && !type.isWhole()) {
            throw wrong("has type %s, which is carried but not read as numbers".formatted(type));
        }
        if (from < 0 || count < 0 || from > shape.count() - count) {
            throw wrong("has %d elements, asked for %d from element %d".formatted(shape.count(), count, from));
        }
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, "tensor %s %s".formatted(quoted(name), problem));
    }

    @Override
    public String toString() {
        return "%s %s %s".formatted(quoted(name), type, shape);
    }
}
