package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A transformer on disk: its configuration, and its parameters under the names of transformers, whatever they are called in
 * the file. Opening compares names and shapes with the configuration and reads no weights; buffers among the tensors (masks,
 * frequencies) are left alone.
 */
public final class StoredTransformer implements AutoCloseable {
    private final TransformerConfig config;
    private final Checkpoint weights;
    private final ParameterLayout layout;
    private final SequencedMap<String, String> storedNames;
    /** Those asked for, so that what has to be made from stored bytes is made once. */
    private final Map<String, StoredTensor> tensors = new ConcurrentHashMap<>();

    private StoredTransformer(
            TransformerConfig config,
            Checkpoint weights,
            ParameterLayout layout,
            SequencedMap<String, String> storedNames) {
        this.config = config;
        this.weights = weights;
        this.layout = layout;
        this.storedNames = storedNames;
    }

    /**
     * Opens a model.
     *
     * @param path a folder with {@code config.json} and weights as safetensors, a GGUF file, an ONNX file of an encoder,
     *     or a folder with one such file
     * @return the open model, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws CheckpointFormatException when configuration or weights are not valid or do not fit each other
     */
    @SuppressWarnings("MustBeClosed") // the result takes the weights over and closes them
    public static StoredTransformer open(Path path) throws IOException {
        boolean folder = Files.isDirectory(path);
        if (folder && Files.exists(path.resolve(FolderFiles.CONFIG))) {
            TransformerConfig config = TransformerConfig.read(path.resolve(FolderFiles.CONFIG));
            return of(config, Checkpoint.open(path));
        }
        Path file = folder ? FolderFiles.weights(path) : path;
        if (GgufFile.isGguf(file)) {
            return of(GgufFile.open(file));
        }
        if (OnnxFile.isOnnx(file)) {
            return of(OnnxFile.open(file));
        }
        throw new IOException(
                path
                        + ": is no model, expected a folder with config.json and model.safetensors, a GGUF file or an ONNX file");
    }

    /** Opens an encoder that lies in an ONNX file, which is closed with the result, and also when it is none. */
    static StoredTransformer of(OnnxFile file) throws IOException {
        try {
            OnnxBert encoder = OnnxBert.of(file);
            return of(encoder.config(), file, encoder);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Opens a model that lies in a GGUF file, which is closed with the result, and also when it is none. */
    static StoredTransformer of(GgufFile file) throws IOException {
        try {
            TransformerConfig config = GgufConfig.read(file);
            return of(config, file, new GgufLayout(config, file));
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Joins a configuration and weights.
     *
     * @param config what they should be
     * @param weights open; closed with the result, and also when they do not fit
     * @return the model
     * @throws IOException when a file cannot be read
     * @throws CheckpointFormatException when a tensor is missing or has another shape than {@code config} says
     */
    public static StoredTransformer of(TransformerConfig config, Checkpoint weights) throws IOException {
        return of(config, weights, new PublishedLayout(config.architecture(), weights));
    }

    private static StoredTransformer of(TransformerConfig config, Checkpoint weights, ParameterLayout layout)
            throws IOException {
        try {
            var model = new StoredTransformer(config, weights, layout, storedNames(config, weights, layout));
            for (Map.Entry<String, Shape> parameter :
                    TransformerTensors.of(config).entrySet()) {
                model.requireFitting(parameter.getKey(), parameter.getValue());
            }
            return model;
        } catch (IOException | RuntimeException e) {
            weights.close();
            throw e;
        }
    }

    private static SequencedMap<String, String> storedNames(
            TransformerConfig config, Checkpoint weights, ParameterLayout layout) {
        if (config.layers() > weights.names().size()) { // before a name is made for every layer that is claimed
            throw new CheckpointFormatException(
                    weights.path(),
                    "holds %d tensors, too few for the %d layers of the configuration"
                            .formatted(weights.names().size(), config.layers()));
        }
        var names = new LinkedHashMap<String, String>();
        for (String name : TransformerTensors.of(config).keySet()) {
            String stored = layout.storedName(name)
                    .orElseThrow(() -> new CheckpointFormatException(
                            weights.path(),
                            "no tensor %s, which a %s of %d layers needs"
                                    .formatted(
                                            quoted(name), config.architecture().modelType(), config.layers())));
            names.put(name, stored);
        }
        return names;
    }

    private void requireFitting(String name, Shape expected) throws IOException {
        StoredTensor tensor = unread(name);
        if (!tensor.type().isFloat()) {
            throw new CheckpointFormatException(
                    weights.path(),
                    "tensor %s has type %s, expected one of F64, F32, F16, BF16"
                            .formatted(quoted(name), tensor.type()));
        }
        if (!tensor.shape().equals(expected)) {
            throw new CheckpointFormatException(
                    weights.path(),
                    "tensor %s has shape %s, but the configuration asks for %s"
                            .formatted(quoted(tensor.name()), tensor.shape(), expected));
        }
    }

    /**
     * Returns the configuration.
     *
     * @return fitting the weights
     */
    public TransformerConfig config() {
        return config;
    }

    /**
     * Returns the file behind it.
     *
     * @return open as long as this is
     */
    public Checkpoint weights() {
        return weights;
    }

    /**
     * Returns the names of all parameters, as transformers calls them.
     *
     * @return embedding first, then layer by layer; a tied head is not among them
     */
    public List<String> parameters() {
        return List.copyOf(storedNames.keySet());
    }

    /**
     * Returns one parameter; its weights are read when they are asked for. What has to be made from the stored bytes
     * (quantised blocks widened to float32, rows put in transformers' order) is made once and kept until this is closed:
     * outside the heap, 4 bytes a weight that was read, 8 of a norm of Gemma; on the heap, numbers that ONNX stores one by
     * one. All else stays in the file.
     *
     * @param name one of {@link #parameters}
     * @return the tensor, in the shape that transformers stores; the same one for the same name while this is open
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when there is no parameter of that name
     */
    public StoredTensor tensor(String name) throws IOException {
        StoredTensor known = tensors.get(name);
        if (known != null) {
            return known;
        }
        StoredTensor tensor = unread(name);
        StoredTensor other = tensors.putIfAbsent(name, tensor);
        return other == null ? tensor : other;
    }

    private StoredTensor unread(String name) throws IOException {
        return layout.inOrder(name, weights.tensor(storedName(name)));
    }

    /**
     * Returns what a parameter is called in the file, as an edit must name it.
     *
     * @param name one of {@link #parameters}
     * @return a name of {@link #weights}
     */
    public String storedName(String name) {
        return Optional.ofNullable(storedNames.get(name))
                .orElseThrow(() -> SafetensorsFile.absent(weights.path(), name, storedNames.keySet()));
    }

    @Override
    public void close() throws IOException {
        tensors.clear();
        weights.close();
    }
}
