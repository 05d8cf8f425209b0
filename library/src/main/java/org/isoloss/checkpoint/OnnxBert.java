package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.isoloss.checkpoint.OnnxEncoder.Encoder;
import org.isoloss.checkpoint.OnnxEncoder.Layer;
import org.isoloss.checkpoint.OnnxPieces.Linear;
import org.isoloss.checkpoint.OnnxPieces.Norm;
import org.isoloss.network.Activation;

/**
 * A BERT encoder as PyTorch exports it to ONNX. There is no configuration, and exporting folds the transposition of a weight into
 * it and leaves it without a name of its own (onnx::MatMul_798): what a weight is, its place in the graph tells, as do sizes, heads,
 * epsilon and the activation. Layers must agree in these.
 */
final class OnnxBert implements ParameterLayout {
    private static final String EMBEDDING = TransformerArchitecture.BERT.embedding();
    private static final String POSITIONS = "embeddings.position_embeddings.weight";

    private final OnnxFile file;
    private final OnnxGraph graph;
    private final String prefix;
    private final TransformerConfig config;
    private final Map<String, String> stored = new HashMap<>();
    private final Map<String, Boolean> inOut = new HashMap<>();
    private final Set<String> before;

    private OnnxBert(OnnxFile file) throws IOException {
        this.file = file;
        this.graph = new OnnxGraph(file);
        requirePlain();
        long positions = Integer.MAX_VALUE;
        for (String name : ending(POSITIONS)) {
            positions = Math.min(positions, Math.max(1, table(name).size(0)));
        }
        ending(EMBEDDING);
        OnnxProbe probe = OnnxProbe.run(file, (int) positions);
        Encoder encoder = OnnxEncoder.read(file, graph, probe);
        this.prefix = encoder.words().endsWith(EMBEDDING)
                ? encoder.words().substring(0, encoder.words().length() - EMBEDDING.length())
                : "";
        place(encoder);
        this.before = graph.ancestors(encoder.output());
        this.config = config(encoder);
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

    /** Returns the initialisers whose names end in this, as those of an encoder do. */
    private List<String> ending(String ending) {
        List<String> found =
                file.names().stream().filter(name -> name.endsWith(ending)).toList();
        if (found.isEmpty()) {
            throw wrong("holds no initialiser %s, as an exported BERT encoder has; its tensors can be read one by one"
                    .formatted(quoted(ending)));
        }
        return found;
    }

    private Shape table(String name) throws IOException {
        Shape shape = file.tensor(name).shape();
        if (shape.rank() != 2) {
            throw wrong("tensor %s has shape %s, expected (rows, columns)".formatted(quoted(name), shape));
        }
        return shape;
    }

    /** Notes which initialiser each parameter is. */
    private void place(Encoder encoder) {
        stored.put(EMBEDDING, encoder.words());
        stored.put(POSITIONS, encoder.positions());
        stored.put("embeddings.token_type_embeddings.weight", encoder.types());
        place("embeddings.LayerNorm", encoder.norm());
        for (int i = 0; i < encoder.layers().size(); i++) {
            Layer layer = encoder.layers().get(i);
            String at = "encoder.layer." + i + ".";
            place(at + "attention.self.query", layer.query());
            place(at + "attention.self.key", layer.key());
            place(at + "attention.self.value", layer.value());
            place(at + "attention.output.dense", layer.attentionOutput());
            place(at + "attention.output.LayerNorm", layer.attentionNorm());
            place(at + "intermediate.dense", layer.up());
            place(at + "output.dense", layer.down());
            place(at + "output.LayerNorm", layer.norm());
        }
    }

    private void place(String module, Linear linear) {
        stored.put(module + ".weight", linear.weight());
        stored.put(module + ".bias", linear.bias());
        inOut.put(module + ".weight", linear.inOut());
    }

    private void place(String module, Norm norm) {
        stored.put(module + ".weight", norm.scale());
        stored.put(module + ".bias", norm.bias());
    }

    TransformerConfig config() {
        return config;
    }

    private TransformerConfig config(Encoder encoder) throws IOException {
        Shape words = table(encoder.words());
        List<Layer> layers = encoder.layers();
        if (layers.isEmpty()) {
            throw wrong("has no layer between the embeddings and its output, expected an exported BERT encoder");
        }
        Layer first = layers.getFirst();
        double epsilon = encoder.norm().epsilon();
        for (int i = 0; i < layers.size(); i++) {
            Layer layer = layers.get(i);
            if (layer.heads() != first.heads()
                    || layer.activation() != first.activation()
                    || layer.attentionNorm().epsilon() != epsilon
                    || layer.norm().epsilon() != epsilon) {
                throw wrong("layer %d differs from the first in its heads, its activation or its epsilon".formatted(i));
            }
        }
        Shape up = table(first.up().weight());
        int width = Math.toIntExact(words.size(1));
        try {
            return config(
                    Math.toIntExact(words.size(0)),
                    Math.toIntExact(table(encoder.positions()).size(0)),
                    Math.toIntExact(table(encoder.types()).size(0)),
                    width,
                    Math.toIntExact(up.size(first.up().inOut() ? 1 : 0)),
                    layers.size(),
                    first.heads(),
                    epsilon,
                    first.activation());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw e instanceof CheckpointFormatException known
                    ? known
                    : new CheckpointFormatException(file.path(), String.valueOf(e.getMessage()), e);
        }
    }

    private static TransformerConfig config(
            int vocabulary,
            int positions,
            int types,
            int width,
            int feedForwardWidth,
            int layers,
            int heads,
            double epsilon,
            Activation activation) {
        return new TransformerConfig(
                TransformerArchitecture.BERT,
                vocabulary,
                positions,
                types,
                width,
                feedForwardWidth,
                layers,
                heads,
                heads,
                width / heads,
                0,
                0,
                epsilon,
                activation,
                false,
                false,
                true,
                true,
                true);
    }

    @Override
    public Optional<String> storedName(String name) {
        return Optional.ofNullable(stored.get(name));
    }

    @Override
    public StoredTensor inOrder(String name, StoredTensor tensor) {
        return inOut.getOrDefault(name, false) && tensor.shape().rank() == 2 ? ElementOrder.transposed(tensor) : tensor;
    }

    /**
     * Tells whether an initialiser is a constant of the encoder, whose every operation is known, or belongs to what reads its
     * hidden states.
     */
    @Override
    public boolean isBuffer(String name) throws IOException {
        if (before.contains(name)) {
            return true;
        }
        StoredTensor tensor = file.tensor(name);
        boolean constant = !tensor.type().isFloat() || tensor.shape().count() == 1;
        String bare = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
        return Buffers.contains(config, bare, tensor.type(), tensor.shape())
                || (constant && !graph.consumers(name).isEmpty());
    }

    @Override
    public Shape storedShape(String name) throws IOException {
        return file.tensor(name).shape();
    }

    @Override
    public String readers(String name) {
        List<OnnxNode> readers = graph.consumers(name);
        return readers.isEmpty() ? " (no node reads it)" : " (%s reads it)".formatted(readers.getFirst());
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(file.path(), problem);
    }
}
