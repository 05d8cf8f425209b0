package org.isoloss.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** A graph of an ONNX model as it is stored: that of the model, or the branch of a node. */
public final class OnnxBlock {
    private final List<OnnxNode> nodes = new ArrayList<>();
    private final List<OnnxValue> inputs = new ArrayList<>();
    private final List<OnnxValue> outputs = new ArrayList<>();
    private final SequencedMap<String, OnnxTensor> initialisers = new LinkedHashMap<>();
    private @Nullable String repeated;
    private boolean sparse;

    private OnnxBlock() {}

    /** Reads the GraphProto that is the value of a field. */
    static OnnxBlock read(OnnxInput input) throws IOException {
        var block = new OnnxBlock();
        input.readMessage((number, wireType) -> block.readField(input, number));
        return block;
    }

    private boolean readField(OnnxInput input, int number) throws IOException {
        switch (number) {
            case 1 -> nodes.add(OnnxNode.read(input));
            case 5 -> {
                OnnxTensor tensor = OnnxTensor.read(input);
                if (initialisers.put(tensor.name(), tensor) != null && repeated == null) {
                    repeated = tensor.name();
                }
            }
            case 11 -> inputs.add(OnnxValue.read(input));
            case 12 -> outputs.add(OnnxValue.read(input));
            case 15 -> {
                sparse = true;
                return false;
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The name that two initialisers have; null for none. */
    @Nullable
    String repeated() {
        return repeated;
    }

    /** {@return whether it holds sparse tensors, which are not read} */
    public boolean isSparse() {
        return sparse;
    }

    /** {@return the operations, in the order of the file, which is one in which they can be computed} */
    public List<OnnxNode> nodes() {
        return Collections.unmodifiableList(nodes);
    }

    /** {@return what it is given, without what is an initialiser too} */
    public List<OnnxValue> inputs() {
        return inputs.stream()
                .filter(input -> !initialisers.containsKey(input.name()))
                .toList();
    }

    /** {@return what it gives} */
    public List<OnnxValue> outputs() {
        return Collections.unmodifiableList(outputs);
    }

    /** {@return the stored tensors by name, in the order of the file} */
    public SequencedMap<String, OnnxTensor> initialisers() {
        return Collections.unmodifiableSequencedMap(initialisers);
    }
}
