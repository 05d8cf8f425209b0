package org.isoloss.checkpoint;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.isoloss.checkpoint.GgufInput.ArrayAt;

/**
 * A GGUF file of version 3, little-endian, mapped, for reading. F64, F32, F16, BF16 and whole numbers are read as stored;
 * the quantised types that are read are widened to F32 when a tensor's elements are first asked for, to the same bits as ggml's.
 * Shapes are row-major: the file lists the fastest axis first, here it is the last.
 *
 * @see "https://github.com/ggml-org/ggml/blob/master/docs/gguf.md"
 */
public final class GgufFile implements Checkpoint {
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final int MAGIC = 'G' | 'G' << 8 | 'U' << 16 | 'F' << 24;
    private static final int VERSION = 3;
    private static final int LEAST_BYTES = 24;
    private static final int MOST_AXES = 4;
    private static final String ALIGNMENT = "general.alignment";
    private static final long USUAL_ALIGNMENT = 32;

    private final Path path;
    private final MemorySegment content;
    private final Arena arena;
    private final SequencedMap<String, Object> values;
    private final SequencedMap<String, Entry> entries;
    /** The other files of a model that lies in several, after the first. */
    private final List<GgufFile> others = new ArrayList<>();

    /** One tensor; {@code type} is empty for one that is not known here. */
    private record Entry(String name, int typeId, Optional<GgufType> type, Shape shape, long begin, long bytes) {}

    private GgufFile(
            Path path,
            MemorySegment content,
            Arena arena,
            SequencedMap<String, Object> values,
            SequencedMap<String, Entry> entries) {
        this.path = path;
        this.content = content;
        this.arena = arena;
        this.values = values;
        this.entries = entries;
    }

    /**
     * Opens a file and checks its header; of a model in several files, any one opens all.
     *
     * @param path the file
     * @return the open file, to be closed by the caller
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is no valid GGUF file of version 3, or the others of its model are not there
     */
    @SuppressWarnings("MustBeClosed") // the first file takes the others over and closes them
    public static GgufFile open(Path path) throws IOException {
        GgufFile file = MappedFile.open(path, GgufFile::over);
        GgufFile first = file;
        try {
            var split = GgufSplit.of(path, file.values);
            if (split.count() > 1) {
                file.close();
                first = MappedFile.open(split.part(1), GgufFile::over);
                for (int number = 2; number <= split.count(); number++) {
                    first.others.add(MappedFile.open(split.part(number), GgufFile::over));
                }
                split.requireAgreement(
                        first.values, first.others.stream().map(GgufFile::names).toList());
            }
            return first;
        } catch (IOException | RuntimeException e) {
            first.close();
            throw e;
        }
    }

    /** Tells whether a file is one of several of a model, but for the first. */
    static boolean isLaterPart(String name) {
        return GgufSplit.isLaterPart(name);
    }

    /**
     * Tells whether a file begins as GGUF does.
     *
     * @param path the file
     * @return whether it does
     * @throws IOException when it cannot be read
     */
    public static boolean isGguf(Path path) throws IOException {
        return new String(Npz.start(path), StandardCharsets.ISO_8859_1).startsWith("GGUF");
    }

    /** Reads from memory what a file holds; {@code arena} is closed with the result. */
    static GgufFile over(Path path, MemorySegment content, Arena arena) {
        byte[] start = content.asSlice(0, Math.min(content.byteSize(), ForeignFile.BYTES))
                .toArray(ValueLayout.JAVA_BYTE);
        if (content.byteSize() < LEAST_BYTES || content.get(INT32, 0) != MAGIC) {
            throw new CheckpointFormatException(
                    path, "not a GGUF file: it does not begin with GGUF" + ForeignFile.describe(start));
        }
        int version = content.get(INT32, 4);
        if (version != VERSION) {
            String what = version == Integer.reverseBytes(VERSION) ? "big-endian numbers" : "version " + version;
            throw new CheckpointFormatException(
                    path, "GGUF with %s, expected little-endian version 3; convert it again".formatted(what));
        }
        var input = new GgufInput(path, content, 8);
        long tensors = input.readCount("tensors", 24);
        long keys = input.readCount("keys", 13);
        var values = new LinkedHashMap<String, Object>();
        for (long i = 0; i < keys; i++) {
            String key = input.readText("a key");
            if (values.put(key, input.readValue(key)) != null) {
                throw input.wrong("has the key %s twice".formatted(quoted(key)));
            }
        }
        var headers = new ArrayList<Entry>();
        for (long i = 0; i < tensors; i++) {
            headers.add(readEntry(input));
        }
        return new GgufFile(path, content, arena, values, placed(path, content, input.position(), values, headers));
    }

    private static Entry readEntry(GgufInput input) {
        String name = input.readText("the name of a tensor");
        int rank = input.readInt();
        if (rank < 0 || rank > MOST_AXES) {
            throw input.wrong("tensor %s has %s axes, expected at most %d"
                    .formatted(quoted(name), Integer.toUnsignedString(rank), MOST_AXES));
        }
        List<Long> sizes = new ArrayList<>();
        for (int axis = 0; axis < rank; axis++) {
            sizes.add(input.readLong());
        }
        Collections.reverse(sizes);
        Shape shape;
        try {
            shape = new Shape(sizes);
        } catch (IllegalArgumentException e) {
            throw input.wrong("tensor %s: %s".formatted(quoted(name), e.getMessage()));
        }
        int id = input.readInt();
        Optional<GgufType> type = GgufType.of(id);
        long offset = input.readLong();
        return new Entry(name, id, type, shape, offset, type.isEmpty() ? 0 : bytes(input, name, type.get(), shape));
    }

    private static long bytes(GgufInput input, String name, GgufType type, Shape shape) {
        long row = shape.rank() == 0 ? 1 : shape.size(shape.rank() - 1);
        if (row % type.blockElements() != 0) {
            throw input.wrong("tensor %s has rows of %d elements, expected a multiple of %d, the block of %s"
                    .formatted(quoted(name), row, type.blockElements(), type));
        }
        long blocks = shape.count() / type.blockElements();
        if (blocks > Long.MAX_VALUE / Math.max(type.blockBytes(), type.blockElements() * Float.BYTES)) {
            throw input.wrong(
                    "tensor %s of shape %s and type %s has more than 2^63 bytes".formatted(quoted(name), shape, type));
        }
        return blocks * type.blockBytes();
    }

    /** Checks where the tensors lie: aligned, within the file, without overlap. */
    private static SequencedMap<String, Entry> placed(
            Path path, MemorySegment content, long headerEnd, Map<String, Object> values, List<Entry> headers) {
        Object alignment = values.getOrDefault(ALIGNMENT, USUAL_ALIGNMENT);
        if (!(alignment instanceof Long unit) || unit < 1 || unit > 1 << 20 || Long.bitCount(unit) != 1) {
            throw new CheckpointFormatException(
                    path, "%s is %s, expected a power of two".formatted(ALIGNMENT, GgufInput.shown(alignment)));
        }
        long start = Math.ceilDiv(headerEnd, unit) * unit;
        long available = Math.max(0, content.byteSize() - start);
        var entries = new LinkedHashMap<String, Entry>();
        for (Entry header : headers) {
            if (header.begin() % unit != 0 || header.begin() < 0) {
                throw new CheckpointFormatException(
                        path,
                        "tensor %s begins at byte %s of the data, expected a multiple of %d"
                                .formatted(quoted(header.name()), Long.toUnsignedString(header.begin()), unit));
            }
            if (header.bytes() > available || header.begin() > available - header.bytes()) {
                throw new CheckpointFormatException(
                        path,
                        "tensor %s of %d bytes at byte %d of the data ends beyond the file, whose data have %d bytes"
                                .formatted(quoted(header.name()), header.bytes(), header.begin(), available));
            }
            var entry = new Entry(
                    header.name(),
                    header.typeId(),
                    header.type(),
                    header.shape(),
                    start + header.begin(),
                    header.bytes());
            if (entries.put(entry.name(), entry) != null) {
                throw new CheckpointFormatException(
                        path, "the header names tensor %s twice".formatted(quoted(entry.name())));
            }
        }
        requireApart(path, entries.values().stream().toList());
        return entries;
    }

    private static void requireApart(Path path, List<Entry> entries) {
        List<Entry> ordered = entries.stream()
                .filter(entry -> entry.bytes() > 0)
                .sorted(Comparator.comparingLong(Entry::begin))
                .toList();
        for (int i = 1; i < ordered.size(); i++) {
            Entry before = ordered.get(i - 1);
            if (ordered.get(i).begin() < before.begin() + before.bytes()) {
                throw new CheckpointFormatException(
                        path,
                        "tensors %s and %s overlap"
                                .formatted(
                                        quoted(before.name()),
                                        quoted(ordered.get(i).name())));
            }
        }
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public List<String> names() {
        List<String> names = new ArrayList<>(entries.keySet());
        others.forEach(other -> names.addAll(other.entries.keySet()));
        return List.copyOf(names);
    }

    /** {@return the single values of the metadata as text; arrays are left out; by key, in the order of the file} */
    @Override
    public Map<String, String> metadata() {
        var single = new LinkedHashMap<String, String>();
        values.forEach((key, value) -> {
            String shown = GgufInput.shown(value);
            if (shown != null) {
                single.put(key, shown);
            }
        });
        return single;
    }

    /**
     * Returns an array of texts of the metadata, such as {@code tokenizer.ggml.tokens}.
     *
     * @param key its key
     * @return the texts, read anew
     * @throws CheckpointFormatException when there is no such array
     */
    public List<String> texts(String key) {
        if (!(values.get(key) instanceof ArrayAt array) || array.type() != 8) {
            throw new CheckpointFormatException(path, "has no array of texts called %s".formatted(quoted(key)));
        }
        var input = new GgufInput(path, content, array.begin());
        List<String> texts = new ArrayList<>();
        for (long i = 0; i < array.count(); i++) {
            texts.add(input.readText("a text of " + quoted(key)));
        }
        return texts;
    }

    /**
     * Returns a value of the metadata as read.
     *
     * @param key its key
     * @return Long, Float, Double, Boolean, String, or where an array lies
     */
    public Optional<Object> value(String key) {
        return Optional.ofNullable(values.get(key));
    }

    /**
     * Shows a value of the metadata.
     *
     * @param value as {@link #value} returns it
     * @return as text; nothing for an array
     */
    public static Optional<String> shown(Object value) {
        return Optional.ofNullable(GgufInput.shown(value));
    }

    /**
     * Returns the shape of a tensor, also of one whose type is not read.
     *
     * @param name its name
     * @return the shape
     */
    public Shape shape(String name) {
        return holder(name).entry(name).shape();
    }

    /** The file of a tensor. */
    private GgufFile holder(String name) {
        return others.stream()
                .filter(other -> other.entries.containsKey(name))
                .findFirst()
                .orElse(this);
    }

    private Entry entry(String name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            throw SafetensorsFile.absent(path, name, names());
        }
        return entry;
    }

    @Override
    public StoredTensor tensor(String name) {
        GgufFile holder = holder(name);
        return holder == this ? own(entry(name)) : holder.tensor(name);
    }

    private StoredTensor own(Entry entry) {
        String name = entry.name();
        GgufType type = entry.type().filter(GgufType::isRead).orElseThrow(() -> unread(entry));
        MemorySegment stored = content.asSlice(entry.begin(), entry.bytes());
        if (type.isPlain()) {
            return new StoredTensor(path, name, type.elements(), entry.shape(), stored);
        }
        return new StoredTensor(path, name, type.elements(), entry.shape(), () -> {
            MemorySegment floats = Arena.ofAuto().allocate(entry.shape().count() * Float.BYTES, Float.BYTES);
            type.widen(stored, floats);
            return floats;
        });
    }

    private CheckpointFormatException unread(Entry entry) {
        String type = entry.type().map(Enum::name).orElse("number " + Integer.toUnsignedString(entry.typeId()));
        return new CheckpointFormatException(
                path,
                "tensor %s has type %s; read are F32, F16, BF16, F64, I8 to I64, Q8_0, Q5_0, Q5_1, Q4_0, Q4_1, Q2_K to Q6_K and IQ4_NL: quantise it again"
                        .formatted(quoted(entry.name()), type));
    }

    @Override
    public void close() {
        others.forEach(GgufFile::close);
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
