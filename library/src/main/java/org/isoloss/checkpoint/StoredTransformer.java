package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A transformer on disk: its configuration, and its parameters under the names of transformers, whatever they are called in
 * the file. Opening compares names and shapes with the configuration and reads no weights; buffers among the tensors (masks,
 * frequencies) are left alone.
 */
public final class StoredTransformer implements AutoCloseable {
    private final TransformerConfig config;
    private final Checkpoint weights;
    private final SequencedMap<String, String> storedNames;

    private StoredTransformer(TransformerConfig config, Checkpoint weights, SequencedMap<String, String> storedNames) {
        this.config = config;
        this.weights = weights;
        this.storedNames = storedNames;
    }

    /**
     * Opens a folder with {@code config.json} and weights.
     *
     * @param folder the folder
     * @return the open model, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws CheckpointFormatException when configuration or weights are not valid or do not fit each other
     */
    @SuppressWarnings("MustBeClosed") // the result takes the weights over and closes them
    public static StoredTransformer open(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException(folder + ": is no folder, expected one with config.json and model.safetensors");
        }
        TransformerConfig config = TransformerConfig.read(folder.resolve(FolderFiles.CONFIG));
        return of(config, Checkpoint.open(folder));
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
        try {
            var model = new StoredTransformer(config, weights, storedNames(config, weights));
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

    private static SequencedMap<String, String> storedNames(TransformerConfig config, Checkpoint weights) {
        Set<String> there = new HashSet<>(weights.names());
        var names = new LinkedHashMap<String, String>();
        for (String name : TransformerTensors.of(config).keySet()) {
            String stored = spellings(config.architecture(), name)
                    .filter(there::contains)
                    .findFirst()
                    .orElseThrow(() -> new CheckpointFormatException(
                            weights.path(),
                            "no tensor %s, which a %s of %d layers needs"
                                    .formatted(
                                            quoted(name), config.architecture().modelType(), config.layers())));
            names.put(name, stored);
        }
        return names;
    }

    /** Returns the names that published files use for a tensor: with and without the prefix, and BERT's older norms. */
    static Stream<String> spellings(TransformerArchitecture kind, String name) {
        String prefix = kind.prefix();
        if (kind == TransformerArchitecture.BERT) {
            String older =
                    name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta");
            return Stream.of(name, "bert." + name, older, "bert." + older);
        }
        return name.startsWith(prefix) ? Stream.of(name, name.substring(prefix.length())) : Stream.of(name);
    }

    private void requireFitting(String name, Shape expected) throws IOException {
        StoredTensor tensor = tensor(name);
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
     * Returns one parameter; its weights are read when they are asked for.
     *
     * @param name one of {@link #parameters}
     * @return the tensor, in the shape that transformers stores
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when there is no parameter of that name
     */
    public StoredTensor tensor(String name) throws IOException {
        return weights.tensor(storedName(name));
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
        weights.close();
    }
}
