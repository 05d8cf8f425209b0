package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.isoloss.checkpoint.OnnxInput.Place;
import org.jspecify.annotations.Nullable;

/**
 * One TensorProto. Raw data stay where they are; the typed fields, which exporters hardly use for weights, are copied while
 * they are read.
 *
 * @see "https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3"
 */
public final class OnnxTensor {
    private static final int EXTERNAL = 1;
    private static final Map<Long, ElementType> TYPES = Map.ofEntries(
            Map.entry(1L, ElementType.F32),
            Map.entry(2L, ElementType.U8),
            Map.entry(3L, ElementType.I8),
            Map.entry(4L, ElementType.U16),
            Map.entry(5L, ElementType.I16),
            Map.entry(6L, ElementType.I32),
            Map.entry(7L, ElementType.I64),
            Map.entry(9L, ElementType.BOOL),
            Map.entry(10L, ElementType.F16),
            Map.entry(11L, ElementType.F64),
            Map.entry(12L, ElementType.U32),
            Map.entry(13L, ElementType.U64),
            Map.entry(16L, ElementType.BF16));

    private final List<Long> sizes = new ArrayList<>();
    private final ByteArrayOutputStream typed = new ByteArrayOutputStream();
    private final Map<String, String> external = new LinkedHashMap<>();
    private String name = "";
    private long typeId;
    private int typedField;
    private long location;
    private @Nullable Place raw;
    /** Where the typed elements begin; negative once they do not lie one behind the other. */
    private int typedAt;

    private OnnxTensor() {}

    /** Reads the tensor that is the value of a field. */
    static OnnxTensor read(OnnxInput input) throws IOException {
        var tensor = new OnnxTensor();
        input.readMessage((number, wireType) -> tensor.readField(input, number, wireType));
        return tensor;
    }

    private boolean readField(OnnxInput input, int number, int wireType) throws IOException {
        switch (number) {
            case 1 -> input.readRepeated(wireType, values -> sizes.add(values.readInt64()));
            case 2 -> typeId = input.readWhole();
            case 8 -> name = input.readText();
            case 9 -> raw = input.readPlace();
            case 13 -> readExternal(input);
            case 14 -> location = input.readWhole();
            case 4, 5, 7, 10, 11 -> {
                if (typedField != 0 && typedField != number) {
                    throw new IOException("elements of one tensor in the fields " + typedField + " and " + number);
                }
                typedField = number;
                input.readRepeated(
                        wireType,
                        values -> append(
                                values.getTotalBytesRead(),
                                switch (number) {
                                    case 4 -> values.readFixed32();
                                    case 10 -> values.readFixed64();
                                    default -> values.readInt64();
                                },
                                number == 4 || number == 5 ? Integer.BYTES : Long.BYTES));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void append(int position, long value, int bytes) {
        if (typed.size() == 0) {
            typedAt = position;
        } else if (position != typedAt + typed.size()) {
            typedAt = -1;
        }
        for (int i = 0; i < bytes; i++) {
            typed.write((int) (value >>> (8 * i)));
        }
    }

    private void readExternal(OnnxInput input) throws IOException {
        String[] entry = OnnxTensor.readEntry(input);
        external.put(entry[0], entry[1]);
    }

    /** Reads a key and a value. */
    static String[] readEntry(OnnxInput input) throws IOException {
        String[] entry = {"", ""};
        input.readMessage((number, wireType) -> {
            if (number == 1 || number == 2) {
                entry[number - 1] = input.readText();
                return true;
            }
            return false;
        });
        return entry;
    }

    /** {@return the name in the file; empty for none} */
    public String name() {
        return name;
    }

    /** {@return the type of the elements; empty for one that is not known here} */
    public Optional<ElementType> type() {
        return Optional.ofNullable(TYPES.get(typeId));
    }

    long typeId() {
        return typeId;
    }

    /**
     * Returns the shape.
     *
     * @throws IllegalArgumentException when a size is negative or there are too many elements
     */
    Shape shape() {
        return new Shape(sizes);
    }

    boolean isExternal() {
        return location == EXTERNAL;
    }

    /** Returns what is said about the other file, by key: location, offset, length. */
    Map<String, String> external() {
        return external;
    }

    /**
     * Returns the elements as they are in the file itself.
     *
     * @param content the file
     * @return little-endian, not checked against the shape
     * @throws IllegalArgumentException when they are in a field that does not fit the type
     */
    MemorySegment bytes(MemorySegment content) {
        if (raw != null) {
            return content.asSlice(raw.begin(), raw.bytes());
        }
        int width = type().orElseThrow().bits() / 8;
        int stored = typedField == 4 || typedField == 5 ? Integer.BYTES : Long.BYTES;
        byte[] values = typed.toByteArray();
        if (values.length > 0 && typedField != fieldOf(type().orElseThrow())) {
            throw new IllegalArgumentException("has type %s, but its elements in field %d of a tensor, expected %d"
                    .formatted(type().orElseThrow(), typedField, fieldOf(type().orElseThrow())));
        }
        ByteBuffer narrow = ByteBuffer.allocate(values.length / stored * width).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < values.length; at += stored) {
            narrow.put(values, at, width);
        }
        return MemorySegment.ofBuffer(narrow.flip());
    }

    /** Returns where in the file the elements lie one behind the other as they are; empty where they do not. */
    OptionalInt position() {
        if (raw != null) {
            return OptionalInt.of(Math.toIntExact(raw.begin()));
        }
        boolean asTheyAre = typedField == 4 || typedField == 10;
        return asTheyAre && typedAt > 0 ? OptionalInt.of(typedAt) : OptionalInt.empty();
    }

    private static int fieldOf(ElementType type) {
        return switch (type) {
            case F32 -> 4;
            case I64 -> 7;
            case F64 -> 10;
            case U32, U64 -> 11;
            default -> 5;
        };
    }

    @Override
    public String toString() {
        return quoted(name);
    }
}
