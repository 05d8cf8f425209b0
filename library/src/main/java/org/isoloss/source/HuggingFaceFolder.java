package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.ConfigKeys;
import org.isoloss.checkpoint.FolderFiles;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.Model;

/**
 * A transformer in a folder as Hugging Face lays it out: {@code config.json} and weights as safetensors, in one file or
 * several. Opening compares names and shapes of all tensors with the configuration and reads no weights; they are read from the
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
    private final HuggingFaceConfig config;
    private final Checkpoint weights;
    private final Tying tying;
    private final List<String> notes;

    private HuggingFaceFolder(HuggingFaceConfig config, Checkpoint weights, Tying tying) {
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
     * @param folder with {@code config.json} and weights
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
     * @param folder with {@code config.json} and weights
     * @param tying what makes the logits where the configuration ties the head to the embedding and another is stored
     * @return open, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws org.isoloss.checkpoint.CheckpointFormatException when the family is not known, the configuration asks for
     *     something that is not computed, or a tensor is missing, not used, or of another shape
     */
    public static HuggingFaceFolder open(Path folder, Tying tying) throws IOException {
        FolderFiles.requireModel(folder);
        var config = new HuggingFaceConfig(ConfigKeys.read(folder.resolve(FolderFiles.CONFIG)));
        Checkpoint weights = Checkpoint.open(folder);
        try {
            return new HuggingFaceFolder(config, weights, tying);
        } catch (RuntimeException e) {
            weights.close();
            throw e;
        }
    }

    /** Returns all inputs that the model of a folder can be given, the tokens first. */
    static List<String> inputs(Path folder) throws IOException {
        List<String> inputs = new ArrayList<>(List.of("input_ids"));
        inputs.addAll(
                HuggingFaceInputs.beside(new HuggingFaceConfig(ConfigKeys.read(folder.resolve(FolderFiles.CONFIG)))));
        return inputs;
    }

    private HuggingFaceGraph graph(int batch, int length, List<String> inputs) {
        return new HuggingFaceGraph(config, weights, batch, length, inputs, tying);
    }

    /**
     * Builds the model. Its input is {@code input_ids}, its output {@code logits}, or {@code last_hidden_state} where the
     * family or the folder has no head; its parameters are the tensors of the file by their stored names.
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

    /** {@return the {@code model_type} of the configuration} */
    public String family() {
        return config.family().modelType();
    }

    /** {@return the file or files with the weights, open as long as this is} */
    public Checkpoint weights() {
        return weights;
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
