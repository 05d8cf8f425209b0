package org.isoloss.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a graph takes or gives.
 *
 * @param name of the value
 * @param sizes of its axes; 0 for one that may be any; empty when nothing is said
 */
record OnnxValue(String name, List<Long> sizes) {
    OnnxValue {
        sizes = List.copyOf(sizes);
    }

    /** Reads a ValueInfoProto. */
    static OnnxValue read(OnnxInput input) throws IOException {
        String[] name = {""};
        List<Long> sizes = new ArrayList<>();
        input.readMessage((field, wireType) -> {
            switch (field) {
                case 1 -> name[0] = input.readText();
                case 2 -> readType(input, sizes);
                default -> {
                    return false;
                }
            }
            return true;
        });
        return new OnnxValue(name[0], sizes);
    }

    /** Reads TypeProto, in it the type of a tensor, in that its shape, and of that the axes. */
    private static void readType(OnnxInput input, List<Long> sizes) throws IOException {
        within(input, 1, () -> within(input, 2, () -> within(input, 1, () -> readSize(input, sizes))));
    }

    private interface Content {
        void read() throws IOException;
    }

    /** Reads a message, and in it every field of a number. */
    private static void within(OnnxInput input, int wanted, Content content) throws IOException {
        input.readMessage((field, wireType) -> {
            if (field != wanted) {
                return false;
            }
            content.read();
            return true;
        });
    }

    private static void readSize(OnnxInput input, List<Long> sizes) throws IOException {
        long[] size = new long[1];
        input.readMessage((field, wireType) -> {
            if (field != 1) {
                return false;
            }
            size[0] = input.readWhole();
            return true;
        });
        sizes.add(size[0]);
    }
}
