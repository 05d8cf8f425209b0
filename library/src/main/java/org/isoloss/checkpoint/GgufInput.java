package org.isoloss.checkpoint;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the header of a GGUF file from front to back; whatever it claims, nothing beyond the file is touched. */
final class GgufInput {
    private static final ValueLayout.OfShort INT16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final int LONGEST_TEXT = 1 << 24;
    private static final int STRING = 8;
    private static final int ARRAY = 9;

    private final Path file;
    private final MemorySegment content;
    private long at;

    GgufInput(Path file, MemorySegment content, long at) {
        this.file = file;
        this.content = content;
        this.at = at;
    }

    /** An array in the metadata, read when it is asked for. */
    record ArrayAt(int type, long count, long begin) {}

    long position() {
        return at;
    }

    int readInt() {
        return content.get(INT32, take(4));
    }

    long readLong() {
        return content.get(INT64, take(8));
    }

    /** Reads a number of things of which each takes at least some bytes. */
    long readCount(String what, int leastBytes) {
        long count = readLong();
        if (count < 0 || count > (content.byteSize() - at) / leastBytes) {
            throw wrong("claims %s %s, more than the file holds".formatted(Long.toUnsignedString(count), what));
        }
        return count;
    }

    String readText(String what) {
        long length = readLong();
        if (length < 0 || length > Math.min(LONGEST_TEXT, content.byteSize() - at)) {
            throw wrong("%s claims a length of %s bytes, more than the file holds or than %d"
                    .formatted(what, Long.toUnsignedString(length), LONGEST_TEXT));
        }
        byte[] bytes = content.asSlice(take(length), length).toArray(ValueLayout.JAVA_BYTE);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new CheckpointFormatException(
                    file, "%s, ending at byte %d, is not valid UTF-8".formatted(what, at), e);
        }
    }

    /** Reads a value of the metadata: Long, Double, Float, Boolean, String, or where an array lies. */
    Object readValue(String key) {
        int type = readInt();
        if (type == ARRAY) {
            int elements = readInt();
            long count = readCount("elements of " + quoted(key), width(key, elements));
            var array = new ArrayAt(elements, count, at);
            if (elements == STRING) {
                for (long i = 0; i < count; i++) {
                    skipText(key);
                }
            } else {
                take(count * width(key, elements));
            }
            return array;
        }
        return readScalar(key, type);
    }

    Object readScalar(String key, int type) {
        return switch (type) {
            case 0 -> (long) (content.get(ValueLayout.JAVA_BYTE, take(1)) & 0xFF);
            case 1 -> (long) content.get(ValueLayout.JAVA_BYTE, take(1));
            case 2 -> (long) (content.get(INT16, take(2)) & 0xFFFF);
            case 3 -> (long) content.get(INT16, take(2));
            case 4 -> Integer.toUnsignedLong(readInt());
            case 5 -> (long) readInt();
            case 6 -> Float.intBitsToFloat(readInt());
            case 7 -> readBoolean(key);
            case STRING -> readText("the value of " + quoted(key));
            case 10, 11 -> readLong();
            case 12 -> Double.longBitsToDouble(readLong());
            default -> throw unknownType(key, type);
        };
    }

    private boolean readBoolean(String key) {
        byte value = content.get(ValueLayout.JAVA_BYTE, take(1));
        if (value != 0 && value != 1) {
            throw wrong("%s is the truth value %d, expected 0 or 1".formatted(quoted(key), value));
        }
        return value == 1;
    }

    private void skipText(String key) {
        long length = readLong();
        if (length < 0 || length > content.byteSize() - at) {
            throw wrong("a text in %s claims %s bytes, more than the file holds"
                    .formatted(quoted(key), Long.toUnsignedString(length)));
        }
        take(length);
    }

    /** Returns the least number of bytes of an element. */
    private int width(String key, int type) {
        return switch (type) {
            case 0, 1, 7 -> 1;
            case 2, 3 -> 2;
            case 4, 5, 6 -> 4;
            case STRING, 10, 11, 12 -> 8;
            default -> throw unknownType(key, type);
        };
    }

    private CheckpointFormatException unknownType(String key, int type) {
        return wrong(
                type == ARRAY
                        ? "%s is an array of arrays, which is not read".formatted(quoted(key))
                        : "%s has the unknown type %s".formatted(quoted(key), Integer.toUnsignedString(type)));
    }

    private long take(long bytes) {
        long from = at;
        if (bytes > content.byteSize() - from) {
            throw wrong("ends at byte %d within its header: it was cut short".formatted(content.byteSize()));
        }
        at += bytes;
        return from;
    }

    CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, problem);
    }

    static @Nullable String shown(Object value) {
        return value instanceof ArrayAt ? null : String.valueOf(value);
    }
}
