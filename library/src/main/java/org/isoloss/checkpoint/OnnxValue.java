package org.isoloss.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a graph takes or gives.
 *
 * @param name of the value
 * @param type ONNX's number of the type of the elements; 0 for what is no tensor, or when nothing is said
 * @param sizes of its axes; 0 for one that may be any; empty when nothing is said
 * @param labels the names of axes that may be any; empty for the others
 * @param shaped whether the axes are said
 */
public record OnnxValue(String name, int type, List<Long> sizes, List<String> labels, boolean shaped) {
    /** Copies the lists. */
    public OnnxValue {
        sizes = List.copyOf(sizes);
        labels = List.copyOf(labels);
    }

    /** Reads a ValueInfoProto. */
    static OnnxValue read(OnnxInput input) throws IOException {
        String[] name = {""};
        var type = new Type();
        input.readMessage((field, wireType) -> {
            switch (field) {
                case 1 -> name[0] = input.readText();
                case 2 -> within(input, 1, () -> input.readMessage((part, _) -> type.read(input, part)));
                default -> {
                    return false;
                }
            }
            return true;
        });
        return new OnnxValue(name[0], type.elements, type.sizes, type.labels, type.shaped);
    }

    /** The type of a tensor, in it its shape, and of that the axes. */
    private static final class Type {
        private final List<Long> sizes = new ArrayList<>();
        private final List<String> labels = new ArrayList<>();
        private int elements;
        private boolean shaped;

        boolean read(OnnxInput input, int field) throws IOException {
            switch (field) {
                case 1 -> elements = (int) input.readWhole();
                case 2 -> {
                    shaped = true;
                    within(input, 1, () -> readAxis(input));
                }
                default -> {
                    return false;
                }
            }
            return true;
        }

        private void readAxis(OnnxInput input) throws IOException {
            long[] size = new long[1];
            String[] label = {""};
            input.readMessage((field, wireType) -> {
                switch (field) {
                    case 1 -> size[0] = input.readWhole();
                    case 2 -> label[0] = input.readText();
                    default -> {
                        return false;
                    }
                }
                return true;
            });
            sizes.add(size[0]);
            labels.add(label[0]);
        }
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
}
