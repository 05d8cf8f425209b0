package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.network.Activation;

/**
 * A BERT encoder as PyTorch exports it to ONNX. There is no configuration: sizes are those of the tensors, heads stand in the
 * shapes that queries are reshaped to, epsilon in the norms, and the activation is what lies between the two projections of
 * a feed-forward block. Each layer is looked at, and they must agree.
 */
final class OnnxBert implements ParameterLayout {
    private static final String EMBEDDING = TransformerArchitecture.BERT.embedding();
    private static final String QUERY = "attention.self.query";
    private static final double DEFAULT_EPSILON = 1e-5f; // of the operation LayerNormalization

    private final OnnxFile file;
    private final OnnxGraph graph;
    private final String prefix;
    private final Map<String, OnnxLinear> linear;

    private OnnxBert(OnnxFile file) throws IOException {
        this.file = file;
        this.graph = new OnnxGraph(file);
        requirePlain();
        List<String> embeddings =
                file.names().stream().filter(name -> name.endsWith(EMBEDDING)).toList();
        if (embeddings.size() != 1) {
            throw wrong(
                    "holds %d initialisers %s, expected 1, as an exported BERT encoder has; its tensors can be read one by one"
                            .formatted(embeddings.size(), quoted(EMBEDDING)));
        }
        String embedding = embeddings.getFirst();
        this.prefix = embedding.substring(0, embedding.length() - EMBEDDING.length());
        this.linear = OnnxLinear.of(file, graph);
    }

    /** Looks into a graph, without reading weights. */
    static OnnxBert of(OnnxFile file) throws IOException {
        return new OnnxBert(file);
    }

    /** Refuses what has been rewritten: quantised or fused operations hide the weights, and other positions other models. */
    private void requirePlain() {
        for (OnnxNode node : file.nodes()) {
            String operation = node.operation();
            if (operation.contains("Quantize") || operation.endsWith("Integer") || operation.startsWith("QLinear")) {
                throw wrong("holds a quantised model (%s), whose weights are rounded to 8 bits; take the float32 model"
                        .formatted(node));
            }
            if (!node.domain().isEmpty()) {
                throw wrong("holds %s of %s, as optimised models do; export it again without optimisation"
                        .formatted(node, quoted(node.domain())));
            }
            if (node.is("CumSum")) {
                throw wrong("%s counts positions as RoBERTa does, which is not computed here, expected a BERT encoder"
                        .formatted(node));
            }
        }
    }

    TransformerConfig config() throws IOException {
        Shape words = shape(EMBEDDING);
        int layers = 0;
        while (linear.containsKey(module(layers, QUERY))) {
            layers++;
        }
        if (layers == 0) {
            throw wrong("no node uses the weight of layer %s, expected an exported BERT encoder"
                    .formatted(quoted(module(0, QUERY))));
        }
        Heads heads = heads(0, words.size(1));
        Activation activation = activation(0);
        double epsilon = epsilon("embeddings.LayerNorm");
        for (int layer = 0; layer < layers; layer++) {
            String at = "encoder.layer." + layer + ".";
            if (!heads(layer, words.size(1)).equals(heads)
                    || activation(layer) != activation
                    || epsilon(at + "attention.output.LayerNorm") != epsilon
                    || epsilon(at + "output.LayerNorm") != epsilon) {
                throw wrong(
                        "layer %d differs from the first in its heads, its activation or its epsilon".formatted(layer));
            }
        }
        try {
            return new TransformerConfig(
                    TransformerArchitecture.BERT,
                    Math.toIntExact(words.size(0)),
                    Math.toIntExact(
                            shape("embeddings.position_embeddings.weight").size(0)),
                    Math.toIntExact(
                            shape("embeddings.token_type_embeddings.weight").size(0)),
                    Math.toIntExact(words.size(1)),
                    feedForwardWidth(),
                    layers,
                    heads.count(),
                    heads.count(),
                    heads.size(),
                    0,
                    0,
                    epsilon,
                    activation,
                    false,
                    false,
                    true,
                    true,
                    true);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw e instanceof CheckpointFormatException known
                    ? known
                    : new CheckpointFormatException(file.path(), String.valueOf(e.getMessage()), e);
        }
    }

    private record Heads(int count, int size) {}

    /** Reads the heads from the shape that the queries of a layer are brought into: (sequences, tokens, heads, size). */
    private Heads heads(int layer, long width) throws IOException {
        String queries = linear(layer, QUERY).output();
        Optional<OnnxNode> reshape = graph.consumer(queries, "Reshape");
        if (reshape.isPresent()) {
            String shape = reshape.get().input(1);
            List<Long> sizes = graph.wholes(shape).orElse(List.of());
            Optional<OnnxNode> joined = graph.producer(shape, "Concat");
            if (joined.isPresent() && joined.get().inputs().size() == 4) {
                long count =
                        graph.wholes(joined.get().input(2)).map(List::getFirst).orElse(0L);
                long size =
                        graph.wholes(joined.get().input(3)).map(List::getFirst).orElse(0L);
                sizes = List.of(0L, 0L, count, size);
            }
            if (sizes.size() == 4) {
                long count = sizes.get(2) == -1 && sizes.get(3) > 0 ? width / sizes.get(3) : sizes.get(2);
                long size = sizes.get(3) == -1 && count > 0 ? width / count : sizes.get(3);
                if (count > 0 && size > 0 && count <= width && size <= width && count * size == width) {
                    return new Heads((int) count, (int) size);
                }
            }
        }
        throw wrong(
                "the queries of layer %d are not brought into heads by a Reshape to (sequences, tokens, heads, size) of constants"
                        .formatted(layer));
    }

    /** Reads the activation from the operations between the two projections of a layer's feed-forward block. */
    private Activation activation(int layer) {
        Set<String> between = new TreeSet<>();
        boolean tanh = false;
        Deque<String> ahead =
                new ArrayDeque<>(List.of(linear(layer, "intermediate.dense").output()));
        Set<String> seen = new HashSet<>(ahead);
        while (!ahead.isEmpty()) {
            for (OnnxNode node : graph.consumers(ahead.remove())) {
                if (node.is("MatMul") || node.is("Gemm")) {
                    continue;
                }
                between.add(node.operation());
                tanh |= node.attribute("approximate")
                        .map(given -> given.text().equals("tanh"))
                        .orElse(false);
                node.outputs().stream().filter(seen::add).forEach(ahead::add);
            }
        }
        between.removeAll(Set.of("Add", "Mul", "Div", "Constant", "Cast", "Identity"));
        if (between.equals(Set.of("Erf")) || (between.equals(Set.of("Gelu")) && !tanh)) {
            return Activation.GELU;
        }
        if (between.equals(Set.of("Tanh")) || between.equals(Set.of("Pow", "Tanh")) || between.equals(Set.of("Gelu"))) {
            return Activation.GELU_TANH;
        }
        if (between.equals(Set.of("Relu"))) {
            return Activation.RELU;
        }
        throw wrong("the activation of layer %d is made of %s, expected GELU (Erf, Tanh or Gelu) or Relu"
                .formatted(layer, between));
    }

    /** Reads what a norm adds under the root, from LayerNormalization or from the operations it was taken apart into. */
    private double epsilon(String norm) throws IOException {
        String weight = stored(norm + ".weight");
        for (OnnxNode node : graph.consumers(weight)) {
            if (node.is("LayerNormalization")) {
                return node.attribute("epsilon")
                        .map(given -> (double) given.number())
                        .orElse(DEFAULT_EPSILON);
            }
            Optional<OnnxNode> sum = Optional.of(node)
                    .filter(scaled -> scaled.is("Mul"))
                    .flatMap(scaled -> graph.producer(OnnxGraph.other(scaled, weight), "Div"))
                    .flatMap(quotient -> graph.producer(quotient.input(1), "Sqrt"))
                    .flatMap(root -> graph.producer(root.input(0), "Add"));
            if (sum.isPresent()) {
                for (String input : sum.get().inputs()) {
                    Optional<Double> number = graph.number(input);
                    if (number.isPresent()) {
                        return number.get();
                    }
                }
            }
        }
        throw wrong("the norm %s has no epsilon that is found, expected LayerNormalization or a division by Sqrt of Add"
                .formatted(quoted(prefix + norm)));
    }

    private int feedForwardWidth() throws IOException {
        OnnxLinear first = linear(0, "intermediate.dense");
        Shape shape = file.tensor(first.weight()).shape();
        return shape.rank() == 2 ? Math.toIntExact(shape.size(first.inOut() ? 1 : 0)) : 0;
    }

    private Shape shape(String name) throws IOException {
        Shape shape = file.tensor(stored(name)).shape();
        if (shape.rank() != 2) {
            throw wrong("tensor %s has shape %s, expected (rows, columns)".formatted(quoted(prefix + name), shape));
        }
        return shape;
    }

    private OnnxLinear linear(int layer, String part) {
        OnnxLinear found = linear.get(module(layer, part));
        if (found == null) {
            throw wrong("no node uses the weight of layer %s".formatted(quoted(module(layer, part))));
        }
        return found;
    }

    private String module(int layer, String part) {
        return prefix + "encoder.layer." + layer + "." + part;
    }

    private String stored(String name) {
        return storedName(name).orElseThrow(() -> SafetensorsFile.absent(file.path(), prefix + name, file.names()));
    }

    @Override
    public Optional<String> storedName(String name) {
        int end = name.lastIndexOf('.');
        OnnxLinear layer = linear.get(prefix + name.substring(0, end));
        if (layer != null) {
            String found = name.endsWith(".weight") ? layer.weight() : layer.bias();
            return Optional.of(found).filter(graph::isInitialiser);
        }
        return PublishedLayout.spellings(TransformerArchitecture.BERT, name)
                .map(spelling -> prefix + spelling)
                .filter(graph::isInitialiser)
                .findFirst();
    }

    @Override
    public StoredTensor inOrder(String name, StoredTensor stored) {
        OnnxLinear layer = linear.get(prefix + name.substring(0, name.lastIndexOf('.')));
        return layer != null
                        && layer.inOut()
                        && name.endsWith(".weight")
                        && stored.shape().rank() == 2
                ? ElementOrder.transposed(stored)
                : stored;
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file.path(), problem);
    }
}
