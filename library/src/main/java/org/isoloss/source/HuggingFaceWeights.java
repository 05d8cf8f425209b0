package org.isoloss.source;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.isoloss.checkpoint.Checkpoint;
import org.isoloss.checkpoint.Shape;
import org.isoloss.checkpoint.StoredTensor;

/** The tensors of a model by the names of transformers, in its shapes and its order of rows, whatever file they lie in. */
class HuggingFaceWeights implements AutoCloseable {
    private final Checkpoint file;
    private final SequencedMap<String, String> stored;

    /**
     * Wraps a file.
     *
     * @param file open; closed with this
     * @param stored what each tensor is called in the file
     */
    HuggingFaceWeights(Checkpoint file, SequencedMap<String, String> stored) {
        this.file = file;
        this.stored = stored;
    }

    /** Wraps a file that has the names of transformers itself. */
    static HuggingFaceWeights of(Checkpoint file) {
        SequencedMap<String, String> same = new LinkedHashMap<>();
        file.names().forEach(name -> same.put(name, name));
        return new HuggingFaceWeights(file, same);
    }

    Checkpoint file() {
        return file;
    }

    Path path() {
        return file.path();
    }

    List<String> names() {
        return List.copyOf(stored.keySet());
    }

    /** Returns what a tensor is called in the file. */
    String storedName(String name) {
        return stored.getOrDefault(name, name);
    }

    /** Returns the shape of a tensor as it is stored. */
    Shape storedShape(String name) throws IOException {
        return file.tensor(storedName(name)).shape();
    }

    StoredTensor tensor(String name) throws IOException {
        return file.tensor(storedName(name));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
