package org.isoloss.checkpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

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

    /** A valid file of zeros. */
    static byte[] zeros(Map<String, StoredModel.Entry> tensors) {
        List<String> entries = new ArrayList<>();
        long end = 0;
        for (Map.Entry<String, StoredModel.Entry> tensor : tensors.entrySet()) {
            StoredModel.Entry entry = tensor.getValue();
            long begin = end;
            end += entry.type().bytes(entry.shape().count());
            List<String> sizes = new ArrayList<>();
            for (int axis = 0; axis < entry.shape().rank(); axis++) {
                sizes.add(String.valueOf(entry.shape().size(axis)));
            }
            entries.add("\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%d,%d]}"
                    .formatted(tensor.getKey(), entry.type(), String.join(",", sizes), begin, end));
        }
        byte[] header = of("{" + String.join(",", entries) + "}", "");
        return Arrays.copyOf(header, header.length + (int) end);
    }

    static Path write(Path file, String header, String data) throws java.io.IOException {
        return Files.write(file, of(header, data));
    }
}
