package org.isoloss.checkpoint;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A copy of an ONNX model in which a table that is looked up is no longer what other operations read: a tied embedding and its head get a
 * tensor each. All else is copied field by field, in its order.
 */
public final class OnnxUntying {
    private static final int GRAPH = 7; // of ModelProto
    private static final int NODE = 1; // of GraphProto
    private static final int INITIALISER = 5;
    private static final int INPUT = 1; // of NodeProto
    private static final int OPERATION = 4;
    private static final int NAME = 8; // of TensorProto
    private static final String LOOKED_UP = "Gather";

    private OnnxUntying() {}

    /**
     * Writes the copy.
     *
     * @param source an ONNX file
     * @param target where to; replaced where it is there
     * @return the tensors that were tied, each with the name of the one that all but the look-ups read now
     * @throws IOException when the source cannot be read or the target not be written
     * @throws CheckpointFormatException when no table is read elsewhere, or one lies in another file
     */
    public static SequencedMap<String, String> write(Path source, Path target) throws IOException {
        SequencedMap<String, String> names = new LinkedHashMap<>();
        byte[] image;
        try (OnnxFile file = OnnxFile.open(source)) {
            Set<String> tables = inputs(file, true);
            Set<String> others = inputs(file, false);
            for (String name : file.names()) {
                if (tables.contains(name) && others.contains(name)) {
                    file.position(name); // refuses what lies elsewhere
                    names.put(name, free(name, file));
                }
            }
            image = file.image();
        }
        if (names.isEmpty()) {
            throw new CheckpointFormatException(
                    source, "has no table that is looked up and read elsewhere too; leave out --untie");
        }
        AtomicFile.writeBytes(
                target,
                copied(
                        image,
                        (number, value, output) ->
                                output.writeByteArray(number, number == GRAPH ? graph(value, names) : value)));
        return names;
    }

    /** The tables of look-ups, or all else that operations read. */
    private static Set<String> inputs(OnnxFile file, boolean looksUp) {
        return file.graph().nodes().stream()
                .flatMap(node -> {
                    int tables = Math.min(
                            node.operation().equals(LOOKED_UP) ? 1 : 0,
                            node.inputs().size());
                    List<String> all = node.inputs();
                    return (looksUp ? all.subList(0, tables) : all.subList(tables, all.size())).stream();
                })
                .collect(Collectors.toSet());
    }

    private static String free(String name, OnnxFile file) {
        String free = name + ".untied";
        while (file.names().contains(free) || inputs(file, false).contains(free)) {
            free += "_";
        }
        return free;
    }

    private static byte[] graph(byte[] graph, Map<String, String> names) throws IOException {
        return copied(graph, (number, value, output) -> {
            output.writeByteArray(number, number == NODE ? node(value, names) : value);
            String other = number == INITIALISER ? names.get(text(value, NAME)) : null;
            if (other != null) {
                output.writeByteArray(
                        number,
                        copied(
                                value,
                                (field, bytes, tensor) -> tensor.writeByteArray(
                                        field, field == NAME ? other.getBytes(StandardCharsets.UTF_8) : bytes)));
            }
        });
    }

    private static byte[] node(byte[] node, Map<String, String> names) throws IOException {
        int[] next = {text(node, OPERATION).equals(LOOKED_UP) ? -1 : 0}; // the table of a look-up stays
        return copied(node, (number, value, output) -> {
            String other =
                    number == INPUT && next[0]++ >= 0 ? names.get(new String(value, StandardCharsets.UTF_8)) : null;
            output.writeByteArray(number, other == null ? value : other.getBytes(StandardCharsets.UTF_8));
        });
    }

    private static String text(byte[] message, int field) throws IOException {
        String[] found = {""};
        copied(message, (number, value, _) -> {
            if (number == field) {
                found[0] = new String(value, StandardCharsets.UTF_8);
            }
        });
        return found[0];
    }

    /** What becomes of a field that has a length: a text, bytes or a message. */
    private interface Lengthy {
        void copy(int number, byte[] value, CodedOutputStream output) throws IOException;
    }

    private static byte[] copied(byte[] message, Lengthy lengthy) throws IOException {
        var bytes = new ByteArrayOutputStream(message.length);
        CodedOutputStream output = CodedOutputStream.newInstance(bytes);
        CodedInputStream input = CodedInputStream.newInstance(message);
        for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
            int number = WireFormat.getTagFieldNumber(tag);
            switch (WireFormat.getTagWireType(tag)) {
                case WireFormat.WIRETYPE_VARINT -> output.writeUInt64(number, input.readUInt64());
                case WireFormat.WIRETYPE_FIXED32 -> output.writeFixed32(number, input.readFixed32());
                case WireFormat.WIRETYPE_FIXED64 -> output.writeFixed64(number, input.readFixed64());
                case WireFormat.WIRETYPE_LENGTH_DELIMITED -> lengthy.copy(number, input.readByteArray(), output);
                default -> throw new IOException("a group, which ONNX has none of");
            }
        }
        output.flush();
        return bytes.toByteArray();
    }
}
