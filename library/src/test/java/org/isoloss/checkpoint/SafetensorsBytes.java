package org.isoloss.checkpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** Writes safetensors files by hand, valid or not. */
final class SafetensorsBytes {
    private SafetensorsBytes() {}

    /** Length, header as it is and data in hexadecimal, without padding. */
    static byte[] of(String header, String data) {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = HexFormat.of().parseHex(data.replace(" ", ""));
        return ByteBuffer.allocate(8 + text.length + bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(text.length)
                .put(text)
                .put(bytes)
                .array();
    }

    static Path write(Path file, String header, String data) throws java.io.IOException {
        return Files.write(file, of(header, data));
    }
}
