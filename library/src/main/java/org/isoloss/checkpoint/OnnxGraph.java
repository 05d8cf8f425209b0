package org.isoloss.checkpoint;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who makes and who uses each value of an ONNX graph, and which values are constants. */
final class OnnxGraph {
    private final OnnxFile file;
    private final Set<String> initialisers;
    private final Map<String, OnnxNode> producers = new HashMap<>();
    private final Map<String, Set<OnnxNode>> consumers = new HashMap<>();

    OnnxGraph(OnnxFile file) {
        this.file = file;
        this.initialisers = new HashSet<>(file.names());
        for (OnnxNode node : file.nodes()) {
            node.outputs().forEach(output -> producers.put(output, node));
            node.inputs()
                    .forEach(input -> consumers
                            .computeIfAbsent(input, _ -> new LinkedHashSet<>())
                            .add(node));
        }
    }

    boolean isInitialiser(String value) {
        return initialisers.contains(value);
    }

    /** Returns the operation that makes a value; empty for inputs of the graph and initialisers. */
    Optional<OnnxNode> producer(String value) {
        return Optional.ofNullable(producers.get(value));
    }

    /** Returns the operation of a kind that makes a value. */
    Optional<OnnxNode> producer(String value, String operation) {
        return producer(value).filter(node -> node.is(operation));
    }

    List<OnnxNode> consumers(String value) {
        return List.copyOf(consumers.getOrDefault(value, Set.of()));
    }

    /** Returns the only operation of a kind that uses a value; empty when there is none or more than one. */
    Optional<OnnxNode> consumer(String value, String operation) {
        List<OnnxNode> found =
                consumers(value).stream().filter(node -> node.is(operation)).toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }

    /** Returns the input of a node with two that is not {@code one}. */
    static String other(OnnxNode node, String one) {
        return node.input(0).equals(one) ? node.input(1) : node.input(0);
    }

    /** Returns the whole numbers of an initialiser or constant, also one that is only reshaped on its way. */
    Optional<List<Long>> wholes(String value) throws IOException {
        String at = value;
        for (int steps = 0; steps < 4; steps++) {
            Optional<StoredTensor> constant = constant(at);
            if (constant.isPresent()) {
                return constant.filter(tensor ->
                                tensor.type().isWhole() && tensor.shape().count() <= 8)
                        .map(tensor -> Arrays.stream(tensor.toLongs()).boxed().toList());
            }
            Optional<OnnxNode> node = producer(at);
            if (node.isEmpty()) {
                return Optional.empty();
            }
            switch (node.get().operation()) {
                case "Constant" -> {
                    return node.get()
                            .attribute("value_ints")
                            .map(OnnxNode.Attribute::wholes)
                            .or(() -> node.get().attribute("value_int").map(given -> List.of(given.whole())));
                }
                case "Identity", "Cast", "Unsqueeze" -> at = node.get().input(0);
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the number of an initialiser or constant with one element, as its type has it. */
    Optional<Double> number(String value) throws IOException {
        Optional<StoredTensor> constant = constant(value);
        if (constant.isPresent()) {
            return constant.filter(
                            tensor -> tensor.type().isFloat() && tensor.shape().count() == 1)
                    .map(tensor -> tensor.toDoubles()[0]);
        }
        return producer(value, "Constant")
                .flatMap(node -> node.attribute("value_float"))
                .map(given -> (double) given.number());
    }

    private Optional<StoredTensor> constant(String value) throws IOException {
        if (initialisers.contains(value)) {
            return Optional.of(file.tensor(value));
        }
        Optional<OnnxTensor> tensor = producer(value, "Constant")
                .flatMap(node -> node.attribute("value"))
                .flatMap(OnnxNode.Attribute::tensor);
        return tensor.isPresent() ? Optional.of(file.read(tensor.get())) : Optional.empty();
    }
}
