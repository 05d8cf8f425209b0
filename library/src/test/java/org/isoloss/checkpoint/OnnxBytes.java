package org.isoloss.checkpoint;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Writes ONNX models field by field. */
public final class OnnxBytes {
    static final int FLOAT = 1;
    static final int INT64 = 7;

    private int opset;
    private final ByteArrayOutputStream graph = new ByteArrayOutputStream();

    /** Writes fields of a message. */
    public interface Fields {
        void write(CodedOutputStream output) throws IOException;
    }

    static byte[] message(Fields fields) {
        try {
            var bytes = new ByteArrayOutputStream();
            CodedOutputStream output = CodedOutputStream.newInstance(bytes);
            fields.write(output);
            output.flush();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns little-endian float32. */
    @SuppressWarnings("ByteBufferBackingArray") // allocated here
    static byte[] raw(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        return bytes.array();
    }

    /** Returns a TensorProto with raw data. */
    static byte[] tensor(String name, int type, byte[] raw, long... sizes) {
        return message(output -> {
            for (long size : sizes) {
                output.writeInt64(1, size);
            }
            output.writeInt32(2, type);
            output.writeString(8, name);
            output.writeByteArray(9, raw);
        });
    }

    public static byte[] wholes(String name, long... values) {
        return message(output -> {
            output.writeInt64(1, values.length);
            output.writeInt32(2, INT64);
            output.writeByteArray(7, message(packed -> {
                for (long value : values) {
                    packed.writeInt64NoTag(value);
                }
            }));
            output.writeString(8, name);
        });
    }

    static byte[] number(float value) {
        return message(output -> {
            output.writeInt32(2, FLOAT);
            output.writeByteArray(9, raw(value));
        });
    }

    public static byte[] attribute(String name, Fields value) {
        return message(output -> {
            output.writeString(1, name);
            value.write(output);
        });
    }

    public OnnxBytes initialiser(byte[] tensor) {
        graph.writeBytes(message(output -> output.writeByteArray(5, tensor)));
        return this;
    }

    public OnnxBytes weights(String name, float[] values, long... sizes) {
        return initialiser(tensor(name, FLOAT, raw(values), sizes));
    }

    /** Adds an operation with one output. */
    public OnnxBytes node(String operation, String name, List<String> inputs, String output, byte[]... attributes) {
        return rawNode(message(fields -> {
            for (String input : inputs) {
                fields.writeString(1, input);
            }
            fields.writeString(2, output);
            fields.writeString(3, name);
            fields.writeString(4, operation);
            for (byte[] attribute : attributes) {
                fields.writeByteArray(5, attribute);
            }
        }));
    }

    OnnxBytes rawNode(byte[] node) {
        graph.writeBytes(message(output -> output.writeByteArray(1, node)));
        return this;
    }

    OnnxBytes constant(String output, byte[] tensor) {
        return node("Constant", "", List.of(), output, attribute("value", fields -> fields.writeByteArray(5, tensor)));
    }

    /** Declares what the graph takes, of whole numbers; sizes of 0 may be any. */
    public OnnxBytes input(String name, long... sizes) {
        return value(11, INT64, name, sizes);
    }

    /** Declares what the graph gives. */
    public OnnxBytes output(String name) {
        return value(12, INT64, name);
    }

    /** Declares floats that the graph takes; sizes of 0 may be any. */
    public OnnxBytes floats(String name, long... sizes) {
        return value(11, FLOAT, name, sizes);
    }

    /** Names the version of the operators. */
    public OnnxBytes opset(int version) {
        opset = version;
        return this;
    }

    private OnnxBytes value(int field, int elements, String name, long... sizes) {
        byte[] shape = message(axes -> {
            for (long size : sizes) {
                axes.writeByteArray(1, message(axis -> {
                    if (size > 0) {
                        axis.writeInt64(1, size);
                    } else {
                        axis.writeString(2, "any");
                    }
                }));
            }
        });
        byte[] type = message(tensor -> tensor.writeByteArray(1, message(fields -> {
            fields.writeInt32(1, elements);
            fields.writeByteArray(2, shape);
        })));
        graph.writeBytes(message(output -> output.writeByteArray(field, message(fields -> {
            fields.writeString(1, name);
            fields.writeByteArray(2, type);
        }))));
        return this;
    }

    public byte[] bytes() {
        return message(output -> {
            output.writeInt64(1, 8);
            output.writeString(2, "test");
            output.writeString(3, "1");
            output.writeByteArray(7, graph.toByteArray());
            if (opset > 0) {
                output.writeByteArray(8, message(entry -> entry.writeInt64(2, opset)));
            }
            output.writeByteArray(14, message(entry -> {
                entry.writeString(1, "kind");
                entry.writeString(2, "small");
            }));
        });
    }
}
