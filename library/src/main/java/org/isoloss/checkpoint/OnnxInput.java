package org.isoloss.checkpoint;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads protobuf messages from mapped memory, field by field. Long byte fields are not copied: their place is noted. What a
 * length claims beyond the enclosing message is refused before anything is allocated.
 */
final class OnnxInput {
    private final CodedInputStream input;

    /** Reads {@code content}, of less than 2 GiB, from its beginning. */
    OnnxInput(MemorySegment content) throws IOException {
        input = CodedInputStream.newInstance(new Bytes(content));
        input.pushLimit((int) content.byteSize());
    }

    /** Where bytes of a field lie. */
    record Place(long begin, long bytes) {}

    /** What to do with one field of a message; whoever is called reads it or leaves it. */
    interface Field {
        /** Reads the field of this number when it is one that is wanted; false leaves it to be skipped. */
        boolean read(int number, int wireType) throws IOException;
    }

    int position() {
        return input.getTotalBytesRead();
    }

    /** Reads all fields up to the end of the message that is open. */
    void readFields(Field field) throws IOException {
        while (true) {
            int tag = input.readTag();
            if (tag == 0) {
                return;
            }
            int wireType = WireFormat.getTagWireType(tag);
            if (wireType == WireFormat.WIRETYPE_START_GROUP || wireType == WireFormat.WIRETYPE_END_GROUP) {
                throw new IOException("a group, which ONNX has none of");
            }
            if (!field.read(WireFormat.getTagFieldNumber(tag), wireType)) {
                input.skipField(tag);
            }
        }
    }

    /** Reads a message that is the value of a field. */
    void readMessage(Field field) throws IOException {
        int outer = input.pushLimit(input.readRawVarint32());
        readFields(field);
        input.popLimit(outer);
    }

    String readText() throws IOException {
        return input.readStringRequireUtf8();
    }

    long readWhole() throws IOException {
        return input.readInt64();
    }

    float readFloat() throws IOException {
        return input.readFloat();
    }

    /** Returns where the bytes of a field lie, and passes over them. */
    Place readPlace() throws IOException {
        int bytes = input.readRawVarint32();
        var place = new Place(input.getTotalBytesRead(), bytes);
        input.skipRawBytes(bytes);
        return place;
    }

    /** Reads one value of a repeated field, or all of a packed run of them. */
    void readRepeated(int wireType, Value value) throws IOException {
        if (wireType != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            value.read(input);
            return;
        }
        int outer = input.pushLimit(input.readRawVarint32());
        while (input.getBytesUntilLimit() > 0) {
            value.read(input);
        }
        input.popLimit(outer);
    }

    /** Reads one value of a repeated field. */
    interface Value {
        void read(CodedInputStream input) throws IOException;
    }

    /** A stream over memory that skips without reading. */
    private static final class Bytes extends InputStream {
        private final MemorySegment content;
        private long at;

        Bytes(MemorySegment content) {
            this.content = content;
        }

        @Override
        public int read() {
            return at < content.byteSize() ? content.get(ValueLayout.JAVA_BYTE, at++) & 0xFF : -1;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            int count = (int) Math.min(length, content.byteSize() - at);
            if (count == 0 && length > 0) {
                return -1;
            }
            MemorySegment.copy(content, ValueLayout.JAVA_BYTE, at, to, offset, count);
            at += count;
            return count;
        }

        @Override
        public long skip(long bytes) {
            long count = Math.clamp(bytes, 0, content.byteSize() - at);
            at += count;
            return count;
        }
    }
}
