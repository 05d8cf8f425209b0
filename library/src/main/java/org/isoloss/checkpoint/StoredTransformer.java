package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A transformer on disk: its configuration, and its parameters under the names of transformers, whatever they are called in
 * the file. Opening compares names and shapes with the configuration and reads no weights, except a head beside an embedding that
 * it should be tied to. Every tensor of the file is a
 * parameter, or a buffer known by its name (masks, frequencies, heads of other tasks), or the file is refused.
 */
public final class StoredTransformer implements AutoCloseable {
    private final TransformerConfig config;
    private final Checkpoint weights;
    private final ParameterLayout layout;
    private final SequencedMap<String, String> storedNames;
    private final List<String> notes;
    /** Those asked for, so that what has to be made from stored bytes is made once. */
    private final Map<String, StoredTensor> tensors = new ConcurrentHashMap<>();

    private StoredTransformer(
            TransformerConfig config,
            Checkpoint weights,
            ParameterLayout layout,
            SequencedMap<String, String> storedNames,
            List<String> notes) {
        this.config = config;
        this.weights = weights;
        this.layout = layout;
        this.storedNames = storedNames;
        this.notes = List.copyOf(notes);
    }

    /**
     * Opens a model, with the head that is stored.
     *
     * @param path a folder with {@code config.json} and weights as safetensors, a GGUF file, or a
     *     folder with one such file
     * @return the open model, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws CheckpointFormatException when configuration or weights are not valid or do not fit each other
     * @see Tying#AS_STORED
     */
    public static StoredTransformer open(Path path) throws IOException {
        return open(path, Tying.AS_STORED);
    }

    /**
     * Opens a model.
     *
     * @param path a folder with {@code config.json} and weights as safetensors, a GGUF file, or a
     *     folder with one such file
     * @param tying what makes the logits where the configuration ties the head to the embedding and another is stored
     * @return the open model, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws CheckpointFormatException when configuration or weights are not valid or do not fit each other
     */
    @SuppressWarnings("MustBeClosed") // the result takes the weights over and closes them
    public static StoredTransformer open(Path path, Tying tying) throws IOException {
        boolean folder = Files.isDirectory(path);
        if (folder) {
            FolderFiles.requireModel(path);
        }
        Path file = folder ? weights(path) : path;
        if (GgufFile.isGguf(file)) { // says what it is itself, also beside a configuration
            return of(GgufFile.open(file));
        }
        Path config = path.resolve(FolderFiles.CONFIG);
        if (folder && Files.exists(config)) {
            var json = new ConfigJson(config, JsonFile.read(config));
            return ofFolder(json, json.config(), Checkpoint.open(file), tying);
        }
        throw new IOException(
                path + ": is no model, expected a folder with config.json and model.safetensors or a GGUF file");
    }

    /** What a configuration asks for is refused before weights that are not there. */
    private static Path weights(Path folder) throws IOException {
        try {
            return FolderFiles.weights(folder);
        } catch (CheckpointFormatException e) {
            Path config = folder.resolve(FolderFiles.CONFIG);
            if (Files.exists(config)) {
                new ConfigJson(config, JsonFile.read(config)).config();
            }
            throw e;
        }
    }

    private static StoredTransformer ofFolder(
            ConfigJson json, TransformerConfig config, Checkpoint weights, Tying tying) throws IOException {
        try {
            List<String> notes = new ArrayList<>(json.notes());
            TiedWeights head = TiedWeights.of(json, weights);
            boolean another = config.tied() && head.differ();
            if (another) {
                notes.add(head.note(tying));
            }
            TransformerConfig used = another && tying == Tying.AS_STORED ? config.untied() : config;
            return of(used, weights, new PublishedLayout(used, weights), notes);
        } catch (IOException | RuntimeException e) {
            weights.close();
            throw e;
        }
    }

    /** Opens a model that lies in a GGUF file, which is closed with the result, and also when it is none. */
    static StoredTransformer of(GgufFile file) throws IOException {
        try {
            TransformerConfig config = GgufConfig.read(file);
            return of(config, file, new GgufLayout(config, file), List.of());
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
     * @throws CheckpointFormatException when a tensor is missing, has another shape than {@code config} says, or is
     *     not known
     */
    public static StoredTransformer of(TransformerConfig config, Checkpoint weights) throws IOException {
        return of(config, weights, new PublishedLayout(config, weights), List.of());
    }

    private static StoredTransformer of(
            TransformerConfig config, Checkpoint weights, ParameterLayout layout, List<String> notes)
            throws IOException {
        try {
            var model = new StoredTransformer(config, weights, layout, storedNames(config, weights, layout), notes);
            for (Map.Entry<String, Shape> parameter :
                    TransformerTensors.of(config).entrySet()) {
                model.requireFitting(parameter.getKey(), parameter.getValue());
            }
            model.requireNothingElse();
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
                            "no tensor %s, which %s needs%s"
                                    .formatted(
                                            quoted(name),
                                            described(config),
                                            ForeignTensor.instead(
                                                    weights.names(),
                                                    name,
                                                    config.architecture().isGated()))));
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

    /** Refuses a tensor that is neither a parameter nor a buffer: the function in the file is then another than is computed. */
    private void requireNothingElse() throws IOException {
        var used = new HashSet<>(storedNames.values());
        List<String> others = new ArrayList<>();
        for (String name : weights.names()) {
            if (!used.contains(name) && !layout.isBuffer(name)) {
                others.add(name);
            }
        }
        if (!others.isEmpty()) {
            String first = others.getFirst();
            ForeignTensor foreign = ForeignTensor.of(first, layout.storedShape(first), config);
            throw new CheckpointFormatException(
                    weights.path(),
                    "tensor %s%s is not used by %s%s; it looks like %s: %s"
                            .formatted(
                                    quoted(first),
                                    layout.readers(first),
                                    described(config),
                                    others.size() == 1
                                            ? ""
                                            : ", nor are other tensors (%d in all)".formatted(others.size()),
                                    foreign.what(),
                                    foreign.advice()));
        }
    }

    private static String described(TransformerConfig config) {
        return "a %s of %d layers".formatted(config.architecture().modelType(), config.layers());
    }

    /** {@return the configuration, fitting the weights} */
    public TransformerConfig config() {
        return config;
    }

    /**
     * {@return what a reader should know of how the model was understood, such as a stored head that counts against the
     * configuration, or keys that do not count: one line each, mostly none}
     */
    public List<String> notes() {
        return notes;
    }

    /** {@return the file behind it, open as long as this is} */
    public Checkpoint weights() {
        return weights;
    }

    /**
     * {@return the names of all parameters, as transformers calls them: embedding first, then layer by layer; a tied head is
     * not among them}
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
