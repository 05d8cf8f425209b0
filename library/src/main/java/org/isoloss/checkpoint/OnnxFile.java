package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * An ONNX model, mapped, for reading: its initialisers under the names they have there, which for exported weights are often
 * only numbers. Elements may lie in the file or beside it, in a file of the same folder.
 *
 * @see "https://github.com/onnx/onnx/blob/main/docs/IR.md"
 */
public final class OnnxFile implements Checkpoint {
    static final String SUFFIX = ".onnx";

    private final Path path;
    private final MemorySegment content;
    private final Arena arena;
    private final SequencedMap<String, String> metadata;
    private final SequencedMap<String, Long> opsets;
    private final OnnxBlock graph;

    private OnnxFile(Path path, MemorySegment content, Arena arena, ModelReader reader, OnnxBlock graph) {
        this.path = path;
        this.content = content;
        this.arena = arena;
        this.metadata = reader.metadata;
        this.opsets = reader.opsets;
        this.graph = graph;
    }

    /**
     * Opens a model and reads its graph.
     *
     * @param path the file
     * @return the open file, to be closed by the caller
     * @throws IOException when it cannot be read
     * @throws CheckpointFormatException when it is no valid ONNX model
     */
    public static OnnxFile open(Path path) throws IOException {
        return MappedFile.open(path, OnnxFile::over);
    }

    static boolean isOnnx(Path path) {
        return path.toString().endsWith(SUFFIX);
    }

    /** Reads from memory what a file holds; {@code arena} is closed with the result. */
    static OnnxFile over(Path path, MemorySegment content, Arena arena) {
        if (content.byteSize() == 0 || content.byteSize() >= Integer.MAX_VALUE) {
            throw new CheckpointFormatException(
                    path, "has %d bytes; an ONNX model has from 1 to 2^31 - 2".formatted(content.byteSize()));
        }
        var reader = new ModelReader(path, content);
        return new OnnxFile(path, content, arena, reader, reader.read());
    }

    /** Reads ModelProto and GraphProto. */
    private static final class ModelReader {
        private final Path path;
        private final MemorySegment content;
        private final SequencedMap<String, String> metadata = new LinkedHashMap<>();
        private final SequencedMap<String, Long> opsets = new LinkedHashMap<>();
        private final List<OnnxBlock> graphs = new ArrayList<>();
        private @Nullable OnnxInput input;

        ModelReader(Path path, MemorySegment content) {
            this.path = path;
            this.content = content;
        }

        OnnxBlock read() {
            try {
                var open = new OnnxInput(content);
                input = open;
                open.readFields((number, wireType) -> readModelField(open, number));
            } catch (IOException e) {
                byte[] start = content.asSlice(0, Math.min(content.byteSize(), ForeignFile.BYTES))
                        .toArray(ValueLayout.JAVA_BYTE);
                throw new CheckpointFormatException(
                        path,
                        "no valid ONNX model: byte %d of %d and what is before it are no protobuf message (%s)%s"
                                .formatted(
                                        input == null ? 0 : input.position(),
                                        content.byteSize(),
                                        e.getMessage(),
                                        ForeignFile.describe(start)),
                        e);
            }
            if (graphs.size() != 1) {
                throw new CheckpointFormatException(
                        path, "no valid ONNX model: it holds %d graphs, expected 1".formatted(graphs.size()));
            }
            OnnxBlock graph = graphs.getFirst();
            if (graph.repeated() != null) {
                throw new CheckpointFormatException(
                        path, "the graph has initialiser %s twice".formatted(quoted(graph.repeated())));
            }
            return graph;
        }

        private boolean readModelField(OnnxInput open, int number) throws IOException {
            switch (number) {
                case 2 -> metadata.put("producer_name", open.readText());
                case 3 -> metadata.put("producer_version", open.readText());
                case 7 -> graphs.add(OnnxBlock.read(open));
                case 8 -> {
                    String[] domain = {""};
                    long[] version = new long[1];
                    open.readMessage((field, wireType) -> {
                        switch (field) {
                            case 1 -> domain[0] = open.readText();
                            case 2 -> version[0] = open.readWhole();
                            default -> {
                                return false;
                            }
                        }
                        return true;
                    });
                    opsets.put(domain[0].equals("ai.onnx") ? "" : domain[0], version[0]);
                }
                case 14 -> {
                    String[] entry = OnnxTensor.readEntry(open);
                    metadata.put(entry[0], entry[1]);
                }
                default -> {
                    return false;
                }
            }
            return true;
        }
    }

    /** {@return the version of the operators of each domain; that of ONNX itself is called by the empty text} */
    public Map<String, Long> opsets() {
        return Collections.unmodifiableMap(opsets);
    }

    /** {@return the graph as it is stored} */
    public OnnxBlock graph() {
        return graph;
    }

    /** Returns what the graph is given, without what is an initialiser too. */
    @Override
    public Path path() {
        return path;
    }

    @Override
    public List<String> names() {
        return List.copyOf(graph.initialisers().keySet());
    }

    /**
     * {@return who wrote the model, as {@code producer_name} and {@code producer_version}, and its own entries: by key, in the
     * order of the file}
     */
    @Override
    public Map<String, String> metadata() {
        return metadata;
    }

    @Override
    public StoredTensor tensor(String name) throws IOException {
        return read(initialiser(name));
    }

    private OnnxTensor initialiser(String name) {
        OnnxTensor tensor = graph.initialisers().get(name);
        if (tensor == null) {
            throw SafetensorsFile.absent(path, name, graph.initialisers().keySet());
        }
        return tensor;
    }

    /**
     * Reads a tensor of the graph: an initialiser or a constant.
     *
     * @param tensor of this file
     * @return its elements, which may lie in this file or beside it
     * @throws IOException when a file beside it cannot be read
     * @throws CheckpointFormatException when it is no valid tensor, or of a type that is not read
     */
    public StoredTensor read(OnnxTensor tensor) throws IOException {
        ElementType type = tensor.type()
                .orElseThrow(() -> wrong(tensor, "has the data type %d, which is not read".formatted(tensor.typeId())));
        try {
            Shape shape = tensor.shape();
            long bytes = type.bytes(shape.count());
            if (bytes < 0) {
                throw wrong(tensor, "of shape %s and type %s has more than 2^63 bytes".formatted(shape, type));
            }
            MemorySegment elements = tensor.isExternal() ? beside(tensor, bytes) : tensor.bytes(content);
            if (elements.byteSize() != bytes) {
                throw wrong(
                        tensor,
                        "of shape %s and type %s takes %d bytes, but has %d"
                                .formatted(shape, type, bytes, elements.byteSize()));
            }
            return new StoredTensor(path, tensor.name(), type, shape, elements);
        } catch (IllegalArgumentException e) {
            throw e instanceof CheckpointFormatException known
                    ? known
                    : new CheckpointFormatException(path, "tensor %s: %s".formatted(tensor, e.getMessage()), e);
        }
    }

    /** Returns the whole file, to be changed in memory. */
    byte[] image() {
        return content.toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Returns where in the file the elements of an initialiser lie, one behind the other.
     *
     * @throws CheckpointFormatException when they do not, with what to do
     */
    int position(String name) {
        OnnxTensor tensor = initialiser(name);
        if (tensor.isExternal()) {
            throw wrong(
                    tensor,
                    "lies in another file, %s; an edit writes one file: join them by onnx.save(onnx.load(path), path)"
                            .formatted(quoted(tensor.external().getOrDefault("location", ""))));
        }
        return tensor.position()
                .orElseThrow(
                        () -> wrong(
                                tensor,
                                "has its elements in single fields, which cannot be changed in place; write them raw: onnx.numpy_helper.from_array(array, name)"));
    }

    /** Maps elements that lie in another file of the same folder. */
    @SuppressWarnings("MustBeClosed") // the mapping belongs to this file's arena
    private MemorySegment beside(OnnxTensor tensor, long bytes) throws IOException {
        String location = tensor.external().getOrDefault("location", "");
        if (location.isEmpty() || location.matches("(?s).*[/\\\\\0].*|\\.\\.?")) {
            throw wrong(
                    tensor, "lies in %s, expected the name of a file in the same folder".formatted(quoted(location)));
        }
        Path other = path.resolveSibling(location);
        MappedFile.requireFile(other);
        try (FileChannel channel = FileChannel.open(other, StandardOpenOption.READ)) {
            long begin = number(tensor, "offset", 0);
            long length = number(tensor, "length", bytes);
            if (begin > channel.size() || length > channel.size() - begin) {
                throw wrong(
                        tensor,
                        "lies at bytes %d to %s of %s, which has only %d"
                                .formatted(
                                        begin,
                                        Long.toUnsignedString(begin + length),
                                        quoted(location),
                                        channel.size()));
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, begin, length, arena);
        }
    }

    private long number(OnnxTensor tensor, String key, long usual) {
        String given = tensor.external().get(key);
        if (given == null) {
            return usual;
        }
        if (!given.matches("\\d{1,18}")) {
            throw wrong(tensor, "has %s as its %s, expected a whole number from 0".formatted(quoted(given), key));
        }
        return Long.parseLong(given);
    }

    private CheckpointFormatException wrong(OnnxTensor tensor, String problem) {
        return new CheckpointFormatException(path, "tensor %s %s".formatted(tensor, problem));
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
