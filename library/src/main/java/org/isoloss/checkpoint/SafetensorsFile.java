package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A safetensors file, mapped: opening reads the header alone, a tensor's pages are read when it is used, and files beyond
 * 2 GiB are no exception. The header is checked strictly (see {@link CheckpointFormatException} for what comes when it is
 * wrong). As with every mapping, the file must not be cut short by others while it is open.
 */
public final class SafetensorsFile implements Checkpoint {
    private static final ValueLayout.OfLong LENGTH = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int LENGTH_BYTES = 8;
    private static final int NAMES_SHOWN = 8;

    private final Path path;
    private final SafetensorsHeader header;
    private final MemorySegment data;
    private final Arena arena;

    private SafetensorsFile(Path path, SafetensorsHeader header, MemorySegment data, Arena arena) {
        this.path = path;
        this.header = header;
        this.data = data;
        this.arena = arena;
    }

    /**
     * Opens a file and checks its header.
     *
     * @param path the file
     * @return the open file, to be closed by the caller
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is no valid safetensors file
     */
    public static SafetensorsFile open(Path path) throws IOException {
        return MappedFile.open(path, SafetensorsFile::over);
    }

    /** Reads from memory what a file holds; {@code arena} is closed with the result. */
    static SafetensorsFile over(Path path, MemorySegment content, Arena arena) {
        long size = content.byteSize();
        byte[] start = content.asSlice(0, Math.min(size, ForeignFile.BYTES)).toArray(ValueLayout.JAVA_BYTE);
        if (size < LENGTH_BYTES) {
            throw new CheckpointFormatException(
                    path,
                    "not a safetensors file: it holds %d bytes, expected at least 8 for the length of the header%s"
                            .formatted(size, ForeignFile.describe(start)));
        }
        long length = content.get(LENGTH, 0);
        String limit = "";
        if (length < 0 || length > SafetensorsHeader.LONGEST) {
            limit = "at most " + SafetensorsHeader.LONGEST + " are allowed";
        } else if (length > size - LENGTH_BYTES) {
            limit = "the file holds " + (size - LENGTH_BYTES) + " more bytes: it was cut short or is something else";
        } else if (length == 0) {
            limit = "it has at least 2: {}";
        }
        if (!limit.isEmpty()) {
            throw new CheckpointFormatException(
                    path,
                    "not a safetensors file: its first 8 bytes say that the header has %s bytes, but %s%s"
                            .formatted(Long.toUnsignedString(length), limit, ForeignFile.describe(start)));
        }
        byte[] text = content.asSlice(LENGTH_BYTES, length).toArray(ValueLayout.JAVA_BYTE);
        MemorySegment data = content.asSlice(LENGTH_BYTES + length);
        return new SafetensorsFile(path, SafetensorsHeader.parse(path, text, data.byteSize()), data, arena);
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public List<String> names() {
        return List.copyOf(header.entries().keySet());
    }

    @Override
    public Map<String, String> metadata() {
        return header.metadata();
    }

    @Override
    public StoredTensor tensor(String name) {
        SafetensorsHeader.Entry entry = header.entries().get(name);
        if (entry == null) {
            throw absent(path, name, header.entries().keySet());
        }
        return tensor(entry);
    }

    StoredTensor tensor(SafetensorsHeader.Entry entry) {
        MemorySegment bytes = data.asSlice(entry.begin(), entry.end() - entry.begin());
        return new StoredTensor(path, entry.name(), entry.type(), entry.shape(), bytes);
    }

    SafetensorsHeader header() {
        return header;
    }

    static CheckpointFormatException absent(Path path, String name, Collection<String> names) {
        String some = names.stream()
                .limit(NAMES_SHOWN)
                .map(CheckpointFormatException::quoted)
                .collect(Collectors.joining(", "));
        return new CheckpointFormatException(
                path,
                "no tensor %s; it holds %d: %s%s"
                        .formatted(quoted(name), names.size(), some, names.size() > NAMES_SHOWN ? ", ..." : ""));
    }

    /** Ends the mapping; more than once does no harm. */
    void release() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Override
    public void close() {
        release();
    }
}
