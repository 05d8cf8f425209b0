package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import tools.jackson.core.JacksonException;

/**
 * The header of a safetensors file: what each tensor is and where its bytes lie, the metadata, and the text itself, so that
 * it can be written back unchanged. Every rule of the format is checked: names once, known types, sizes that do not
 * overflow, and data that the tensors cover without hole, overlap or rest.
 *
 * @see "https://huggingface.co/docs/safetensors, section Format"
 */
final class SafetensorsHeader {
    /** The longest header that the reference implementation reads. */
    static final int LONGEST = 100_000_000;

    /** The name in the header that is no tensor. */
    static final String METADATA = "__metadata__";

    /**
     * One tensor.
     *
     * @param begin first byte, counted from the start of the data
     * @param end one past the last byte
     */
    record Entry(String name, ElementType type, Shape shape, long begin, long end) {}

    private final byte[] text;
    private final SequencedMap<String, Entry> entries;
    private final SequencedMap<String, String> metadata;
    private final List<Entry> dataOrder;

    private SafetensorsHeader(byte[] text, SequencedMap<String, Entry> entries, SequencedMap<String, String> metadata) {
        this.text = text;
        this.entries = entries;
        this.metadata = metadata;
        this.dataOrder = entries.values().stream()
                .sorted(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end))
                .toList();
    }

    /**
     * Reads and checks a header.
     *
     * @param file for messages
     * @param text the header as stored, without its length, not empty; kept, not copied
     * @param dataBytes how many bytes follow the header
     */
    static SafetensorsHeader parse(Path file, byte[] text, long dataBytes) {
        if (text[0] != '{') {
            String found = quoted(String.valueOf((char) (text[0] & 0xFF)));
            throw new CheckpointFormatException(
                    file, "not a safetensors file: the header begins with %s, expected '{'".formatted(found));
        }
        var entries = new LinkedHashMap<String, Entry>();
        var metadata = new LinkedHashMap<String, String>();
        try (var json = new HeaderJson(file, decoded(file, text))) {
            json.readHeader(entries, metadata);
        } catch (JacksonException e) {
            throw new CheckpointFormatException(
                    file,
                    "the header is not valid JSON at character %d: %s"
                            .formatted(
                                    e.getLocation() == null
                                            ? 0
                                            : e.getLocation().getCharOffset(),
                                    e.getOriginalMessage()),
                    e);
        }
        var header = new SafetensorsHeader(text, entries, metadata);
        header.requireCovered(file, dataBytes);
        return header;
    }

    private static String decoded(Path file, byte[] text) {
        ByteBuffer bytes = ByteBuffer.wrap(text);
        CharBuffer characters = CharBuffer.allocate(text.length); // UTF-8 never has more characters than bytes
        if (!StandardCharsets.UTF_8.newDecoder().decode(bytes, characters, true).isUnderflow()) {
            throw new CheckpointFormatException(
                    file, "the header is not valid UTF-8 at its byte %d".formatted(bytes.position()));
        }
        return characters.flip().toString();
    }

    private void requireCovered(Path file, long dataBytes) {
        long covered = 0;
        String before = "the start of the data";
        for (Entry entry : dataOrder) {
            if (entry.begin() > covered) {
                throw new CheckpointFormatException(
                        file,
                        "bytes %d to %d of the data, between %s and tensor %s, belong to no tensor"
                                .formatted(covered, entry.begin(), before, quoted(entry.name())));
            }
            if (entry.begin() < covered) {
                throw new CheckpointFormatException(
                        file,
                        "tensor %s, at bytes %d to %d of the data, overlaps %s, which ends at byte %d"
                                .formatted(quoted(entry.name()), entry.begin(), entry.end(), before, covered));
            }
            covered = entry.end();
            before = "tensor " + quoted(entry.name());
            if (covered > dataBytes) {
                throw new CheckpointFormatException(
                        file,
                        "%s ends at byte %d of the data, but the file holds %d: it was cut short"
                                .formatted(before, covered, dataBytes));
            }
        }
        if (covered < dataBytes) {
            throw new CheckpointFormatException(
                    file, "%d bytes follow %s and belong to no tensor".formatted(dataBytes - covered, before));
        }
    }

    /** Returns the header as stored, with its padding; not to be modified. */
    byte[] text() {
        return text;
    }

    /** Returns the tensors by name, in the order of the header. */
    SequencedMap<String, Entry> entries() {
        return entries;
    }

    /** Returns the tensors in the order of their bytes. */
    List<Entry> dataOrder() {
        return dataOrder;
    }

    Map<String, String> metadata() {
        return metadata;
    }
}
