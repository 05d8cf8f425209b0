package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.isoloss.checkpoint.FolderFiles;
import org.isoloss.model.Model;

/** A stored network of any kind, opened for inputs of given shapes: an ONNX file, or a folder of Hugging Face. */
public final class StoredModel implements AutoCloseable {
    private static final String TOKENS = "input_ids";

    private final AutoCloseable file;
    private final Model model;
    private final List<String> notes;

    private StoredModel(AutoCloseable file, Model model, List<String> notes) {
        this.file = file;
        this.model = model;
        this.notes = List.copyOf(notes);
    }

    /**
     * Tells whether a path is one that this class opens.
     *
     * @param path a file or a folder
     * @return true for {@code .onnx} and for folders with a configuration
     */
    public static boolean isModel(Path path) {
        return path.toString().endsWith(".onnx") || Files.isRegularFile(path.resolve(FolderFiles.CONFIG));
    }

    /**
     * Opens a model.
     *
     * @param path an ONNX file or a folder of Hugging Face
     * @param bindings the shapes of the inputs that are given, batch first, and what else the file leaves open
     * @return open, to be closed by the caller when its numbers are no longer read
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something in it is not read, or does not fit
     */
    public static StoredModel open(Path path, Bindings bindings) throws IOException {
        if (!Files.isDirectory(path)) {
            OnnxModel opened = OnnxModel.open(path, bindings);
            return new StoredModel(opened, opened.model(), opened.notes());
        }
        Map<String, List<Integer>> shapes = bindings.shapes();
        List<Integer> tokens = shapes.get(TOKENS);
        if (tokens == null || tokens.size() != 2) {
            throw new IllegalArgumentException("%s takes %s of shape (batch, length), given are %s"
                    .formatted(path, TOKENS, shapes.isEmpty() ? "no inputs" : shapes.toString()));
        }
        HuggingFaceFolder opened = HuggingFaceFolder.open(path);
        try {
            String[] others = shapes.keySet().stream()
                    .filter(name -> !name.equals(TOKENS))
                    .toArray(String[]::new);
            return new StoredModel(opened, opened.model(tokens.get(0), tokens.get(1), others), opened.notes());
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Lists the inputs that a model needs.
     *
     * @param path an ONNX file or a folder of Hugging Face
     * @return their names, in the order of the file
     * @throws IOException when it cannot be read
     */
    public static List<String> inputs(Path path) throws IOException {
        return Files.isDirectory(path) ? List.of(TOKENS) : OnnxModel.inputs(path);
    }

    /**
     * Tells the size of the batch where the file fixes it.
     *
     * @param path an ONNX file or a folder of Hugging Face
     * @return the size of the first axis of the first input; nothing where it is open
     * @throws IOException when it cannot be read
     */
    public static OptionalInt fixedBatch(Path path) throws IOException {
        return Files.isDirectory(path) ? OptionalInt.empty() : OnnxModel.fixedBatch(path);
    }

    /** {@return the network; its numbers can be read while this is open} */
    public Model model() {
        return model;
    }

    /**
     * Tells what kind of numbers an output has.
     *
     * @param output its name
     * @return whether they are whole numbers or truth values
     */
    public boolean isWhole(String output) {
        return file instanceof OnnxModel onnx && onnx.isWhole(output);
    }

    /** {@return what a reader should know about how the file was understood, one line each} */
    public List<String> notes() {
        return notes;
    }

    @Override
    public void close() throws IOException {
        switch (file) {
            case OnnxModel onnx -> onnx.close();
            case HuggingFaceFolder folder -> folder.close();
            default -> throw new IllegalStateException("StoredModel: %s is none of its kinds".formatted(file));
        }
    }
}
