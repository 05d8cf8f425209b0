package org.isoloss.source;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.isoloss.checkpoint.OnnxFile;
import org.isoloss.checkpoint.OnnxValue;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.model.Model;

/**
 * A network in an ONNX file, as a {@link Model}. Its parameters are the float initialisers under their names, but for the
 * mean and variance of batch norms and those numbers that decide about shapes, which are constants. Parameters stay in the
 * file until they are used.
 *
 * @see "https://onnx.ai/onnx/operators/"
 */
public final class OnnxModel implements AutoCloseable {
    private final OnnxFile file;
    private final Model model;
    private final Map<String, TensorType> types;
    private final List<String> notes;

    private OnnxModel(OnnxFile file, Model model, Map<String, TensorType> types, List<String> notes) {
        this.file = file;
        this.model = model;
        this.types = Map.copyOf(types);
        this.notes = List.copyOf(notes);
    }

    /**
     * Opens a model.
     *
     * @param path the file
     * @param bindings what the file leaves open
     * @return the model, to be closed by the caller when it is used no longer
     * @throws IOException when the file cannot be read
     * @throws OnnxModelException when something in it is not read, or left open
     */
    public static OnnxModel open(Path path, Bindings bindings) throws IOException {
        OnnxFile file = OnnxFile.open(path);
        try {
            return translated(file, bindings);
        } catch (UncheckedIOException e) {
            file.close();
            throw e.getCause();
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Begins again whenever numbers turn out to be needed that are stored or bound. */
    private static OnnxModel translated(OnnxFile file, Bindings bindings) {
        Set<String> settled = new TreeSet<>();
        while (true) {
            try {
                var translation = new OnnxTranslation(file, bindings, settled);
                Map<String, TensorType> types = translation.run();
                return new OnnxModel(file, translation.builder().build(), types, translation.notes());
            } catch (NotKnownException e) {
                Set<String> open = new TreeSet<>(e.names());
                open.removeIf(name -> bindings.numbers().containsKey(name)
                        || file.graph().inputs().stream()
                                .noneMatch(input -> input.name().equals(name)));
                if (!open.isEmpty() || !settled.addAll(e.names())) {
                    throw new OnnxModelException(file.path(), "%s; bind the input by data".formatted(e.getMessage()));
                }
            }
        }
    }

    /** {@return the network} */
    public Model model() {
        return model;
    }

    /** {@return what is worth saying about the file, one line each} */
    public List<String> notes() {
        return notes;
    }

    /**
     * Tells what kind of numbers an output has.
     *
     * @param output its name
     * @return whether they are whole numbers or truth values
     */
    public boolean isWhole(String output) {
        TensorType type = types.get(output);
        return type != null && !type.isFloat();
    }

    /**
     * Lists the inputs of a file, without opening it as a model.
     *
     * @param path the file
     * @return their names, in the order of the file
     * @throws IOException when it cannot be read
     */
    public static List<String> inputs(Path path) throws IOException {
        try (OnnxFile file = OnnxFile.open(path)) {
            return file.graph().inputs().stream().map(input -> input.name()).toList();
        }
    }

    /** Names the first axis of the first input, as a binding does, where the file leaves its size open. */
    static Optional<String> openBatch(Path path) throws IOException {
        try (OnnxFile file = OnnxFile.open(path)) {
            OnnxValue first = file.graph().inputs().getFirst();
            return !first.shaped() || first.sizes().isEmpty() || first.sizes().getFirst() > 0
                    ? Optional.empty()
                    : Optional.of(
                            first.labels().getFirst().isEmpty()
                                    ? first.name() + ":0"
                                    : first.labels().getFirst());
        }
    }

    /**
     * Tells the size of the batch where the file fixes it.
     *
     * @param path the file
     * @return the size of the first axis of the first input; nothing where it is open
     * @throws IOException when it cannot be read
     */
    public static OptionalInt fixedBatch(Path path) throws IOException {
        try (OnnxFile file = OnnxFile.open(path)) {
            OnnxValue first = file.graph().inputs().getFirst();
            return first.shaped() && !first.sizes().isEmpty() && first.sizes().getFirst() > 0
                    ? OptionalInt.of(Math.toIntExact(first.sizes().getFirst()))
                    : OptionalInt.empty();
        }
    }

    /** Returns a parameter of the model as it is stored. */
    StoredTensor tensor(String parameter) throws IOException {
        return file.tensor(parameter);
    }

    @Override
    public void close() {
        file.close();
    }
}
