package org.isoloss.checkpoint;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads one array in numpy's npy format, versions 1 to 3.
 *
 * @see "numpy.lib.format, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html"
 */
final class NpyArray {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int LONGEST_HEADER = 1 << 16; // numpy itself refuses more than 10,000
    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;
    private static final String ITEM =
            "(?:'descr'\\s*:\\s*'(?<descr>[^']*)'|'fortran_order'\\s*:\\s*(?<fortran>True|False)"
                    + "|'shape'\\s*:\\s*\\((?<shape>[0-9L,\\s]*)\\))";
    private static final Pattern FIRST_ITEM = Pattern.compile(ITEM + "\\s*(?:,\\s*)?");
    private static final Pattern HEADER = Pattern.compile("\\{\\s*(?<items>.*)\\}\\s*", Pattern.DOTALL);

    private static final SequencedMap<String, ElementType> TYPES = new LinkedHashMap<>();

    static {
        TYPES.put("<f8", ElementType.F64);
        TYPES.put("<f4", ElementType.F32);
        TYPES.put("<f2", ElementType.F16);
        TYPES.put("<i8", ElementType.I64);
        TYPES.put("<i4", ElementType.I32);
        TYPES.put("|u1", ElementType.U8);
        TYPES.put("|b1", ElementType.BOOL);
    }

    private final Path file;
    private final String name;

    private NpyArray(Path file, String name) {
        this.file = file;
        this.name = name;
    }

    /** What the header says. */
    private record Header(String descr, boolean fortranOrder, Shape shape) {}

    /**
     * Reads the whole stream as one array.
     *
     * @param file for messages
     * @param name the name of the array
     * @param stream at its beginning; not closed
     */
    static StoredTensor read(Path file, String name, InputStream stream) throws IOException {
        try {
            return new NpyArray(file, name).read(new DataInputStream(stream));
        } catch (EOFException e) {
            throw new CheckpointFormatException(file, "array '%s' was cut short".formatted(name), e);
        }
    }

    private StoredTensor read(DataInputStream stream) throws IOException {
        Header header = readHeader(stream);
        ElementType type = type(header.descr());
        long needed = type.bytes(header.shape().count());
        if (needed < 0 || needed > LARGEST_ARRAY) {
            throw wrong("of shape %s and type %s has more than 2 GiB".formatted(header.shape(), type));
        }
        byte[] bytes = stream.readNBytes((int) needed); // grows with what is really there
        if (bytes.length < needed) {
            throw wrong("of shape %s and type %s needs %d bytes, but holds %d"
                    .formatted(header.shape(), type, needed, bytes.length));
        }
        if (stream.read() >= 0) {
            throw wrong("of shape %s and type %s goes on after its %d bytes".formatted(header.shape(), type, needed));
        }
        byte[] rowMajor = header.fortranOrder() ? rowMajor(bytes, header.shape(), type.bits() / 8) : bytes;
        return new StoredTensor(file, name, type, header.shape(), MemorySegment.ofArray(rowMajor));
    }

    private Header readHeader(DataInputStream stream) throws IOException {
        byte[] magic = stream.readNBytes(MAGIC.length);
        if (!Arrays.equals(magic, MAGIC)) {
            throw wrong("is not in numpy's npy format" + ForeignFile.describe(magic));
        }
        int version = stream.readUnsignedByte();
        int minor = stream.readUnsignedByte();
        if (version < 1 || version > 3 || minor != 0) {
            throw wrong("has npy version %d.%d, expected 1.0, 2.0 or 3.0".formatted(version, minor));
        }
        long length = version == 1
                ? Short.toUnsignedLong(Short.reverseBytes(stream.readShort()))
                : Integer.toUnsignedLong(Integer.reverseBytes(stream.readInt()));
        if (length > LONGEST_HEADER) {
            throw wrong("has a header of %d bytes, expected at most %d".formatted(length, LONGEST_HEADER));
        }
        byte[] text = new byte[(int) length];
        stream.readFully(text);
        return parse(new String(text, StandardCharsets.UTF_8));
    }

    private Header parse(String text) {
        if (text.contains("'descr': [") || text.contains("'|O") || text.contains("'O'")) {
            throw wrong("holds Python objects or records, which need pickles and are never loaded;"
                    + " save plain numbers: numpy.savez(file, x=x.astype('float64'))");
        }
        Matcher whole = HEADER.matcher(text);
        if (!whole.matches()) {
            throw wrong("has the header %s, expected a Python dict".formatted(quotedStart(text)));
        }
        String items = whole.group("items");
        Matcher item = FIRST_ITEM.matcher(items);
        String descr = "";
        String fortran = "";
        String shape = null;
        int count = 0;
        while (item.regionStart() < items.length()) {
            if (!item.lookingAt()) {
                throw wrong(
                        "has the header %s, expected only descr, fortran_order and shape".formatted(quotedStart(text)));
            }
            descr = item.group("descr") == null ? descr : item.group("descr");
            fortran = item.group("fortran") == null ? fortran : item.group("fortran");
            shape = item.group("shape") == null ? shape : item.group("shape");
            count++;
            item.region(item.end(), items.length());
        }
        if (descr.isEmpty() || fortran.isEmpty() || shape == null || count != 3) {
            throw wrong("has the header %s, expected descr, fortran_order and shape once each"
                    .formatted(quotedStart(text)));
        }
        return new Header(descr, fortran.equals("True"), shape(shape));
    }

    private Shape shape(String text) {
        List<Long> sizes = new ArrayList<>();
        try {
            for (String size : text.split(",", -1)) {
                String digits = size.strip().replaceFirst("L$", "");
                if (!digits.isEmpty()) {
                    sizes.add(Long.parseLong(digits));
                }
            }
            return new Shape(sizes);
        } catch (IllegalArgumentException e) { // also a size beyond long
            throw new CheckpointFormatException(
                    file, "array '%s' has the shape (%s), which is none".formatted(name, text), e);
        }
    }

    private ElementType type(String descr) {
        ElementType type = TYPES.get(descr);
        if (type == null) {
            throw wrong("has type '%s', expected little-endian numbers, one of %s; convert it: x.astype('<f8')"
                    .formatted(descr, String.join(", ", TYPES.keySet())));
        }
        return type;
    }

    /** What numpy calls a type that arrays are read in. */
    static String descr(ElementType type) {
        return TYPES.entrySet().stream()
                .filter(entry -> entry.getValue() == type)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("numpy has no arrays of " + type));
    }

    /** Reorders an array whose first axis varies fastest. */
    private static byte[] rowMajor(byte[] bytes, Shape shape, int width) {
        int rank = shape.rank();
        long[] strides = new long[rank];
        long stride = width;
        for (int axis = 0; axis < rank; axis++) {
            strides[axis] = stride;
            stride *= shape.size(axis);
        }
        byte[] ordered = new byte[bytes.length];
        long[] index = new long[rank];
        long from = 0;
        for (int to = 0; to < ordered.length; to += width) {
            System.arraycopy(bytes, (int) from, ordered, to, width);
            for (int axis = rank - 1; axis >= 0; axis--) {
                from += strides[axis];
                if (++index[axis] < shape.size(axis)) {
                    break;
                }
                from -= strides[axis] * shape.size(axis);
                index[axis] = 0;
            }
        }
        return ordered;
    }

    private static String quotedStart(String header) {
        return CheckpointFormatException.quoted(header.strip());
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file, "array '%s' %s".formatted(name, problem));
    }
}
