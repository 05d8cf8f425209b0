package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.isoloss.autodiff.Pointwise;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.CheckpointFormatException;
import org.isoloss.checkpoint.DenseLayers;
import org.isoloss.checkpoint.FolderFiles;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.checkpoint.Tying;
import org.isoloss.model.Model;
import org.jspecify.annotations.Nullable;

/**
 * A stored network of any kind, opened for inputs of given shapes: an ONNX file, a folder of Hugging Face, a GGUF file, or the tensors of dense
 * layers.
 */
public final class StoredModel implements AutoCloseable {
    private static final String TOKENS = "input_ids";
    private static final String DENSE = "input";
    /** How many inputs a batch has where nothing says. */
    private static final int BATCH = 8;

    private final AutoCloseable file;
    private final Model model;
    private final List<Integer> widths;
    private final String activation;
    private final String described;
    private final List<String> notes;

    private StoredModel(
            AutoCloseable file,
            Model model,
            List<Integer> widths,
            String activation,
            String described,
            List<String> notes) {
        this.file = file;
        this.model = model;
        this.widths = List.copyOf(widths);
        this.activation = activation;
        this.described = described;
        this.notes = List.copyOf(notes);
    }

    /**
     * What a file alone does not say.
     *
     * @param tying which head counts where the configuration of a folder ties it to the embedding and another is stored
     * @param tensors which tensors of a file without a graph make a network of dense layers
     * @param activation between those layers, one or one for each with commas between, powers such as {@code z^2} among them;
     *     null where nobody says
     * @param overruling whether it counts also where the file names another
     */
    public record Reading(
            Tying tying,
            StoredNetwork.Tensors tensors,
            @Nullable String activation,
            boolean overruling) {
        /** Nothing is said. */
        public static final Reading PLAIN = new Reading(Tying.AS_STORED, StoredNetwork.Tensors.ALL, null);

        /**
         * Returns the same with another head.
         *
         * @param other which head counts
         * @return a reading that is else the same
         */
        public Reading as(Tying other) {
            return new Reading(other, tensors, activation, overruling);
        }

        /**
         * Says what the file itself may say too.
         *
         * @param tying which head counts
         * @param tensors which tensors make a network of dense layers
         * @param activation between those layers, where the file names none; null where nobody says
         */
        public Reading(Tying tying, StoredNetwork.Tensors tensors, @Nullable String activation) {
            this(tying, tensors, activation, false);
        }
    }

    /**
     * Tells whether a path has a graph of its own.
     *
     * @param path a file or a folder
     * @return true for {@code .onnx}, {@code .gguf} and folders with a configuration or GGUF; false for tensors alone
     */
    public static boolean isModel(Path path) {
        return path.toString().endsWith(".onnx") || HuggingFaceFolder.isTransformer(path);
    }

    /**
     * Finds the file that a folder stands for.
     *
     * @param path a file or a folder
     * @return the ONNX file of a folder with one and no other weights, which says itself what it is; otherwise the path itself
     * @throws IOException when the folder cannot be read
     */
    public static Path located(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return path;
        }
        try {
            Path weights = FolderFiles.weights(path);
            return weights.toString().endsWith(".onnx") ? weights : path;
        } catch (CheckpointFormatException e) { // whoever opens the folder says more
            return path;
        }
    }

    /**
     * Opens a model as its file says.
     *
     * @param path an ONNX file, a folder of Hugging Face, a GGUF file, or safetensors or npz with the tensors of dense layers
     * @param bindings the shapes of the inputs that are given, batch first, and what else the file leaves open
     * @return open, to be closed by the caller when its numbers are no longer read
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something in it is not read, or does not fit
     */
    public static StoredModel open(Path path, Bindings bindings) throws IOException {
        return open(path, bindings, Reading.PLAIN);
    }

    /**
     * Opens a model.
     *
     * @param path an ONNX file, a folder of Hugging Face, a GGUF file, or safetensors or npz with the tensors of dense layers
     * @param bindings the shapes of the inputs that are given, batch first, and what else the file leaves open
     * @param reading what the file does not say
     * @return open, to be closed by the caller when its numbers are no longer read
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something in it is not read, or does not fit
     */
    public static StoredModel open(Path path, Bindings bindings, Reading reading) throws IOException {
        if (!bindings.axes().isEmpty() && !path.toString().endsWith(".onnx")) {
            throw new IllegalArgumentException("%s has no axis '%s' to bind: its inputs have no axes with names"
                    .formatted(path, bindings.axes().keySet().iterator().next()));
        }
        if (!isModel(path)) {
            return dense(path, bindings, reading);
        }
        if (!HuggingFaceFolder.isTransformer(path)) {
            OnnxModel opened = OnnxModel.open(path, bindings);
            return new StoredModel(
                    opened, opened.model(), List.of(), "", path.getFileName().toString(), opened.notes());
        }
        Map<String, List<Integer>> shapes = bindings.shapes();
        List<Integer> tokens = shapes.get(TOKENS);
        if (tokens == null || tokens.size() != 2) {
            throw new IllegalArgumentException("%s takes %s of shape (batch, length), given are %s"
                    .formatted(path, TOKENS, shapes.isEmpty() ? "no inputs" : shapes.toString()));
        }
        HuggingFaceFolder opened = HuggingFaceFolder.open(path, reading.tying);
        try {
            String[] others = shapes.keySet().stream()
                    .filter(name -> !name.equals(TOKENS))
                    .toArray(String[]::new);
            return new StoredModel(
                    opened,
                    opened.model(tokens.get(0), tokens.get(1), others),
                    List.of(),
                    "",
                    "%s as %s".formatted(path, opened.described()),
                    opened.notes());
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /**
     * Opens a model for inputs of any shape that it takes: a transformer for one text of {@code tokens} tokens, or as many as it
     * has positions; dense layers for a batch of eight; an ONNX file as it says.
     *
     * @param path as {@link #open} takes it
     * @param bindings what the file leaves open
     * @param reading what the file does not say
     * @param tokens the most that a text has
     * @return open, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something in it is not read, or an axis has no size
     */
    public static StoredModel openForAny(Path path, Bindings bindings, Reading reading, int tokens) throws IOException {
        return openForAny(path, bindings, reading, BATCH, tokens);
    }

    /**
     * Opens a model for inputs of any shape that it takes, in a batch of a size of its own.
     *
     * @param path as {@link #open} takes it
     * @param bindings what the file leaves open
     * @param reading what the file does not say
     * @param batch the number of inputs where the file leaves it open
     * @param tokens the most that a text has
     * @return open, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws IllegalArgumentException when something in it is not read, or an axis has no size
     */
    public static StoredModel openForAny(Path path, Bindings bindings, Reading reading, int batch, int tokens)
            throws IOException {
        if (!isModel(path)) {
            return open(path, bindings.shape(DENSE, List.of(batch, 1)), reading);
        }
        if (!HuggingFaceFolder.isTransformer(path)) {
            Optional<String> axis =
                    OnnxModel.openBatch(path).filter(name -> !bindings.axes().containsKey(name));
            return open(path, axis.isPresent() ? bindings.axis(axis.get(), batch) : bindings, reading);
        }
        int length;
        try (HuggingFaceFolder folder = HuggingFaceFolder.open(path, reading.tying)) {
            length = Math.min(tokens, folder.positions());
        }
        return open(path, bindings.shape(TOKENS, List.of(1, length)), reading);
    }

    private static StoredModel dense(Path path, Bindings bindings, Reading reading) throws IOException {
        DenseLayers layers = reading.tensors.read(path);
        String stored = layers.activation().orElse(null);
        boolean given = reading.activation != null && (stored == null || reading.overruling);
        int hidden = layers.layers().size() - 1;
        List<Pointwise> activations = StoredNetwork.activations(path, given ? reading.activation : stored, hidden);
        String labels = StoredNetwork.labels(activations);
        List<String> notes = new ArrayList<>();
        StoredNetwork.leftAside(layers).forEach(line -> notes.add(path + ": " + line));
        if (reading.activation != null
                && !StoredNetwork.activations(path, reading.activation, hidden).equals(activations)) {
            notes.add("%s names %s itself; --activation %s is for a file that names none"
                    .formatted(path, stored, reading.activation));
        }
        List<Integer> inputs = bindings.shapes().getOrDefault(DENSE, List.of(1));
        Model model = StoredNetwork.model(layers, activations, inputs.getFirst());
        return new StoredModel(
                Checkpoint.open(path),
                model,
                layers.widths(),
                labels,
                "%s as %s".formatted(path, StoredNetwork.described(layers.widths(), labels)),
                notes);
    }

    /**
     * Lists the inputs that a model needs.
     *
     * @param path as {@link #open} takes it
     * @return their names, in the order of the file
     * @throws IOException when it cannot be read
     */
    public static List<String> inputs(Path path) throws IOException {
        return !isModel(path)
                ? List.of(DENSE)
                : HuggingFaceFolder.isTransformer(path) ? List.of(TOKENS) : OnnxModel.inputs(path);
    }

    /**
     * Lists the inputs that a model can be given.
     *
     * @param path as {@link #open} takes it
     * @return those that it needs, then those that it can do without
     * @throws IOException when it cannot be read
     */
    public static List<String> possibleInputs(Path path) throws IOException {
        return HuggingFaceFolder.isTransformer(path) ? HuggingFaceFolder.inputs(path) : inputs(path);
    }

    /**
     * Tells the size of the batch where the file fixes it.
     *
     * @param path as {@link #open} takes it
     * @return the size of the first axis of the first input; nothing where it is open
     * @throws IOException when it cannot be read
     */
    public static OptionalInt fixedBatch(Path path) throws IOException {
        return isModel(path) && !HuggingFaceFolder.isTransformer(path)
                ? OnnxModel.fixedBatch(path)
                : OptionalInt.empty();
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

    /** {@return the widths of dense layers, inputs first; none for a model with a graph} */
    public List<Integer> widths() {
        return widths;
    }

    /** {@return the names of the activations between dense layers, each once; empty for a model with a graph} */
    public String activation() {
        return activation;
    }

    /**
     * Returns a parameter as it is stored.
     *
     * @param parameter its name in the model
     * @return the tensor in the shape that the model has it; valid while this is open
     * @throws IOException when the file cannot be read
     */
    public StoredTensor tensor(String parameter) throws IOException {
        return switch (file) {
            case OnnxModel onnx -> onnx.tensor(parameter);
            case HuggingFaceFolder folder -> folder.tensor(parameter);
            case Checkpoint checkpoint -> checkpoint.tensor(parameter);
            default -> throw unknown();
        };
    }

    private IllegalStateException unknown() {
        return new IllegalStateException("StoredModel: %s is none of its kinds".formatted(file));
    }

    /** {@return what the file is taken for, for messages} */
    public String described() {
        return described;
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
            case Checkpoint checkpoint -> checkpoint.close();
            default -> throw unknown();
        }
    }
}
