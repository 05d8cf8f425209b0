package org.isoloss.source;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.ConfigKeys;
import org.isoloss.checkpoint.FolderFiles;
import org.isoloss.checkpoint.GgufFile;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.Model;

/**
 * A transformer in a folder as Hugging Face lays it out, {@code config.json} and weights as safetensors in one file or
 * several, or in a GGUF file, which is read as the folder that it was made of. Opening compares names and shapes of all tensors with the configuration and reads no weights; they are read from the
 * mapped file when a model is computed.
 *
 * <p>{@snippet :
 * try (HuggingFaceFolder folder = HuggingFaceFolder.open(path)) {
 *     Model model = folder.model(1, 16);
 *     double[] logits = model.run(Precision.FLOAT32, Map.of("input_ids", ids)).get("logits");
 * }
 * }
 */
public final class HuggingFaceFolder implements AutoCloseable {
    private static final PathMatcher GGUF = FileSystems.getDefault().getPathMatcher("glob:**.gguf");

    private final HuggingFaceConfig config;
    private final HuggingFaceWeights weights;
    private final Tying tying;
    private final List<String> notes;

    private HuggingFaceFolder(HuggingFaceConfig config, HuggingFaceWeights weights, Tying tying) {
        this.config = config;
        this.weights = weights;
        this.tying = tying;
        HuggingFaceGraph graph = graph(1, 1, List.of());
        graph.build();
        this.notes = new ArrayList<>(config.notes());
        notes.addAll(graph.notes());
    }

    /**
     * Opens a folder, with the head that is stored.
     *
     * @param folder with {@code config.json} and weights, a GGUF file, or a folder with one
     * @return open, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws org.isoloss.checkpoint.CheckpointFormatException when the family is not known, the configuration asks for
     *     something that is not computed, or a tensor is missing, not used, or of another shape
     */
    public static HuggingFaceFolder open(Path folder) throws IOException {
        return open(folder, Tying.AS_STORED);
    }

    /**
     * Opens a folder.
     *
     * @param folder with {@code config.json} and weights, a GGUF file, or a folder with one
     * @param tying what makes the logits where the configuration ties the head to the embedding and another is stored
     * @return open, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws org.isoloss.checkpoint.CheckpointFormatException when the family is not known, the configuration asks for
     *     something that is not computed, or a tensor is missing, not used, or of another shape
     */
    public static HuggingFaceFolder open(Path folder, Tying tying) throws IOException {
        Optional<Path> gguf = gguf(folder);
        if (gguf.isPresent()) { // says what it is itself, also beside a configuration
            return of(GgufFile.open(gguf.get()), tying);
        }
        FolderFiles.requireModel(folder);
        var config = new HuggingFaceConfig(ConfigKeys.read(folder.resolve(FolderFiles.CONFIG)));
        return of(config, HuggingFaceWeights.of(Checkpoint.open(folder)), tying);
    }

    /**
     * Opens the model in a GGUF file.
     *
     * @param file open; closed with the result, and also when it holds no model
     * @param tying what makes the logits
     * @return open, to be closed by the caller
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when it holds no model that is known
     */
    @SuppressWarnings("MustBeClosed") // the result takes the file over and closes it
    public static HuggingFaceFolder of(GgufFile file, Tying tying) throws IOException {
        HuggingFaceConfig config;
        HuggingFaceWeights weights;
        try {
            config = new HuggingFaceConfig(GgufMetadata.read(file), GgufWeights.divisors(file));
            weights = GgufWeights.of(file, config);
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
        return of(config, weights, tying);
    }

    private static HuggingFaceFolder of(HuggingFaceConfig config, HuggingFaceWeights weights, Tying tying)
            throws IOException {
        try {
            return new HuggingFaceFolder(config, weights, tying);
        } catch (RuntimeException e) {
            weights.close();
            throw e;
        }
    }

    /** Returns the GGUF file that a path is, or that a folder has its weights in. */
    private static Optional<Path> gguf(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return Optional.of(path);
        }
        FolderFiles.requireModel(path);
        try {
            return Optional.of(FolderFiles.weights(path)).filter(GGUF::matches);
        } catch (
                CheckpointFormatException
                        e) { // what a configuration asks for is refused before weights that are not there
            if (Files.exists(path.resolve(FolderFiles.CONFIG))) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Tells whether a path is one that this class opens. */
    static boolean isTransformer(Path path) {
        if (!Files.isDirectory(path)) {
            return GGUF.matches(path);
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.anyMatch(file -> file.endsWith(FolderFiles.CONFIG) || GGUF.matches(file));
        } catch (IOException e) {
            return false; // whoever opens it says why
        }
    }

    /** Returns all inputs that the model of a folder can be given, the tokens first. */
    static List<String> inputs(Path folder) throws IOException {
        List<String> inputs = new ArrayList<>(List.of("input_ids"));
        try (HuggingFaceFolder opened = open(folder)) {
            inputs.addAll(HuggingFaceInputs.beside(opened.config));
        }
        return inputs;
    }

    private HuggingFaceGraph graph(int batch, int length, List<String> inputs) {
        return new HuggingFaceGraph(config, weights, batch, length, inputs, tying);
    }

    /**
     * Builds the model. Its input is {@code input_ids}, its output {@code logits}, or {@code last_hidden_state} where the
     * family or the folder has no head; its parameters are the tensors of the file by their stored names, in GGUF by those of transformers.
     *
     * @param batch how many texts at once
     * @param length how many tokens each has
     * @param inputs what is given beside the tokens, each of shape (batch, length): {@code attention_mask} (0 for tokens that
     *     are not to be seen), {@code position_ids} (for rotations and tables; the order of the tokens decides what is seen), and for families
     *     that have them {@code token_type_ids}
     * @return valid while the folder is open
     * @throws IllegalArgumentException when the text is longer than the model's positions, or an input is not known
     */
    public Model model(int batch, int length, String... inputs) {
        return graph(batch, length, List.of(inputs)).build();
    }

    /** {@return what it is, in a few words} */
    String described() {
        return "%s of %d layers of width %d with %s"
                .formatted(
                        family(),
                        config.layers(),
                        config.width(),
                        config.activation().label());
    }

    /** Returns how many positions the configuration speaks of. */
    int positions() {
        return config.positions();
    }

    /** {@return the {@code model_type} of the configuration} */
    public String family() {
        return config.family().modelType();
    }

    /** {@return the file or files with the weights, open as long as this is} */
    public Checkpoint weights() {
        return weights.file();
    }

    /** Returns a parameter of the model as it is stored, in the shape that transformers gives it. */
    StoredTensor tensor(String parameter) throws IOException {
        return weights.tensor(parameter);
    }

    /** {@return what a reader should know of how the folder was understood, such as keys that do not count; a line each} */
    public List<String> notes() {
        return List.copyOf(notes);
    }

    @Override
    public void close() throws IOException {
        weights.close();
    }
}
