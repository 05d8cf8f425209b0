package org.isoloss.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads text in UTF-8, with or without a byte order mark, and says of any other file what it looks like. */
public final class TextFile {
    private static final int LATIN_LETTERS = 0xA0;
    private static final int NON_ASCII = 0x80;

    private TextFile() {}

    /**
     * Reads a file.
     *
     * @param file in UTF-8
     * @return its text, without a byte order mark
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is not UTF-8, or holds a zero byte: with the place of the first such byte and
     *     the encoding that it looks like
     */
    public static String read(Path file) throws IOException {
        MappedFile.requireFile(file);
        byte[] bytes = Files.readAllBytes(file);
        if (starts(bytes, 0xFF, 0xFE) || starts(bytes, 0xFE, 0xFF)) {
            throw new CheckpointFormatException(file, "not UTF-8: " + advice("UTF-16"));
        }
        int mark = starts(bytes, 0xEF, 0xBB, 0xBF) ? 3 : 0;
        CharBuffer text = CharBuffer.allocate(bytes.length);
        ByteBuffer input = ByteBuffer.wrap(bytes, mark, bytes.length - mark);
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        CoderResult end = decoder.decode(input, text, true);
        int zero = indexOfZero(bytes);
        if (end.isError() || zero >= 0) {
            throw new CheckpointFormatException(
                    file, wrong(bytes, zero >= 0 && zero < input.position() ? zero : input.position()));
        }
        return text.flip().toString();
    }

    private static String wrong(byte[] bytes, int at) {
        long line = 1;
        for (int i = 0; i < at; i++) {
            line += bytes[i] == '\n' ? 1 : 0;
        }
        return "not UTF-8: line %d, byte %d of the file is 0x%02X%s"
                .formatted(line, at, bytes[at] & 0xFF, guess(bytes));
    }

    private static String guess(byte[] bytes) {
        String foreign = ForeignFile.describe(Arrays.copyOf(bytes, Math.min(bytes.length, ForeignFile.BYTES)));
        if (!foreign.isEmpty()) {
            return foreign;
        }
        if (indexOfZero(bytes) >= 0) {
            return bytes.length % 2 == 0 && hasZerosAtEverySecondByte(bytes)
                    ? "; " + advice("UTF-16")
                    : "; it looks like a binary file, expected text";
        }
        boolean controls = false;
        for (byte value : bytes) {
            int code = value & 0xFF;
            controls |= code >= NON_ASCII && code < LATIN_LETTERS;
        }
        return "; " + advice(controls ? "WINDOWS-1252" : "ISO-8859-1");
    }

    private static String advice(String encoding) {
        return "it looks like %s; convert it: iconv -f %s -t UTF-8 OLD > NEW".formatted(encoding, encoding);
    }

    /** Tells whether most of the bytes at even places, or most of those at odd ones, are zero: Latin text of two bytes each. */
    private static boolean hasZerosAtEverySecondByte(byte[] bytes) {
        int[] zeros = new int[2];
        for (int i = 0; i < bytes.length; i++) {
            zeros[i % 2] += bytes[i] == 0 ? 1 : 0;
        }
        return Math.max(zeros[0], zeros[1]) > bytes.length / 4 && Math.min(zeros[0], zeros[1]) == 0;
    }

    private static int indexOfZero(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                return i;
            }
        }
        return -1;
    }

    private static boolean starts(byte[] bytes, int... with) {
        for (int i = 0; i < with.length; i++) {
            if (i >= bytes.length || (bytes[i] & 0xFF) != with[i]) {
                return false;
            }
        }
        return true;
    }
}
