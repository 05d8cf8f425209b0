package org.isoloss.checkpoint;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who makes and who uses each value of an ONNX graph. */
final class OnnxGraph {
    private final Set<String> initialisers;
    private final Map<String, OnnxNode> producers = new HashMap<>();
    private final Map<String, Set<OnnxNode>> consumers = new HashMap<>();

    OnnxGraph(OnnxFile file) {
        this.initialisers = new HashSet<>(file.names());
        for (OnnxNode node : file.nodes()) {
            for (String output : node.outputs()) {
                if (!output.isEmpty() && (consumers.containsKey(output) || producers.put(output, node) != null)) {
                    throw new CheckpointFormatException(
                            file.path(),
                            "%s gives %s, which is given or used before; expected nodes in the order of computation"
                                    .formatted(node, CheckpointFormatException.quoted(output)));
                }
            }
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

    /** Returns the values that a value is made of, itself among them. */
    Set<String> ancestors(String value) {
        Set<String> seen = new HashSet<>(Set.of(value));
        Deque<String> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            producer(open.remove())
                    .ifPresent(node -> node.inputs().stream().filter(seen::add).forEach(open::add));
        }
        return seen;
    }
}
