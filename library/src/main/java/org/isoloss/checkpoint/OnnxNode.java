package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One operation of a graph with its attributes. */
public final class OnnxNode {
    private final List<String> inputs = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();
    private final Map<String, Attribute> attributes = new LinkedHashMap<>();
    private String name = "";
    private String operation = "";
    private String domain = "";

    private OnnxNode() {}

    /**
     * A number, a text, a tensor, a graph or several numbers, whichever the attribute is; the others are zero or empty.
     *
     * @param name of the attribute
     * @param number a float
     * @param whole an integer
     * @param wholes several
     * @param numbers several floats
     * @param text a text
     * @param texts several
     * @param tensor a tensor
     * @param block a graph
     */
    public record Attribute(
            String name,
            float number,
            long whole,
            List<Long> wholes,
            List<Float> numbers,
            String text,
            List<String> texts,
            Optional<OnnxTensor> tensor,
            Optional<OnnxBlock> block) {
        /** Copies the lists. */
        public Attribute {
            wholes = List.copyOf(wholes);
            numbers = List.copyOf(numbers);
            texts = List.copyOf(texts);
        }
    }

    /** Reads the node that is the value of a field. */
    static OnnxNode read(OnnxInput input) throws IOException {
        var node = new OnnxNode();
        input.readMessage((number, wireType) -> node.readField(input, number));
        return node;
    }

    private boolean readField(OnnxInput input, int number) throws IOException {
        switch (number) {
            case 1 -> inputs.add(input.readText());
            case 2 -> outputs.add(input.readText());
            case 3 -> name = input.readText();
            case 4 -> operation = input.readText();
            case 5 -> {
                Attribute attribute = readAttribute(input);
                attributes.put(attribute.name(), attribute);
            }
            case 7 -> domain = input.readText();
            default -> {
                return false;
            }
        }
        return true;
    }

    private static Attribute readAttribute(OnnxInput input) throws IOException {
        String[] texts = {"", ""};
        float[] number = new float[1];
        long[] whole = new long[1];
        List<Long> wholes = new ArrayList<>();
        List<Float> numbers = new ArrayList<>();
        List<String> several = new ArrayList<>();
        List<OnnxTensor> tensors = new ArrayList<>();
        List<OnnxBlock> blocks = new ArrayList<>();
        input.readMessage((field, wireType) -> {
            switch (field) {
                case 1 -> texts[0] = input.readText();
                case 2 -> number[0] = input.readFloat();
                case 3 -> whole[0] = input.readWhole();
                case 4 -> texts[1] = input.readText();
                case 5 -> tensors.add(OnnxTensor.read(input));
                case 6 -> blocks.add(OnnxBlock.read(input));
                case 7 -> input.readRepeated(wireType, values -> numbers.add(values.readFloat()));
                case 8 -> input.readRepeated(wireType, values -> wholes.add(values.readInt64()));
                case 9 -> several.add(input.readText());
                default -> {
                    return false;
                }
            }
            return true;
        });
        return new Attribute(
                texts[0],
                number[0],
                whole[0],
                wholes,
                numbers,
                texts[1],
                several,
                tensors.stream().findFirst(),
                blocks.stream().findFirst());
    }

    /** {@return its own name; empty for none} */
    public String name() {
        return name;
    }

    /** {@return what it computes, such as {@code MatMul}} */
    public String operation() {
        return operation;
    }

    /** {@return whose operation it is; empty for ONNX's own} */
    public String domain() {
        return domain.equals("ai.onnx") ? "" : domain;
    }

    /** {@return the values that it reads, in order; empty names where one is left out} */
    public List<String> inputs() {
        return inputs;
    }

    /** {@return the values that it makes, in order; empty names where nobody wants one} */
    public List<String> outputs() {
        return outputs;
    }

    /** Returns the first output; empty text when there is none. */
    String output() {
        return outputs.isEmpty() ? "" : outputs.getFirst();
    }

    /** {@return the attributes by name} */
    public Map<String, Attribute> attributes() {
        return Collections.unmodifiableMap(attributes);
    }

    @Override
    public String toString() {
        return "node %s (%s)".formatted(quoted(name.isEmpty() ? output() : name), operation);
    }
}
