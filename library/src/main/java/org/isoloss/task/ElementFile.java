package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Function;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;

/**
 * An element of a symmetry group as npz: for each value that moves its affine map, shape (n, n + 1), or the steps of a map of a stream.
 */
public final class ElementFile {
    private ElementFile() {}

    /**
     * Writes an element.
     *
     * @param maps its arrays, by name
     * @param file to be written, whole or not at all
     * @throws IOException when it cannot be written
     */
    public static void write(SequencedMap<String, Matrix> maps, Path file) throws IOException {
        NpzWriter writer = new NpzWriter();
        maps.forEach(writer::add);
        writer.saveTo(file);
    }

    /**
     * Reads an element.
     *
     * @param file that {@link #write} wrote, or numpy
     * @return its arrays
     * @throws IOException when it cannot be read
     * @throws IllegalArgumentException when an array has not two axes, with its name
     */
    public static SequencedMap<String, Matrix> read(Path file) throws IOException {
        SequencedMap<String, Matrix> maps = new LinkedHashMap<>();
        try (Npz npz = Npz.open(file)) {
            for (String name : npz.names()) {
                StoredTensor array = npz.tensor(name);
                if (array.shape().rank() != 2) {
                    throw new IllegalArgumentException(
                            "%s: the array '%s' has shape %s, expected (n, n + 1): the map of a value"
                                    .formatted(file, name, array.shape()));
                }
                maps.put(name, array.toMatrix());
            }
        }
        return maps;
    }

    /**
     * Makes an element of what a file holds.
     *
     * @param <T> the kind of element
     * @param file for messages
     * @param maps its arrays
     * @param made makes the element
     * @return the element
     * @throws IllegalArgumentException when an array is no map, with its name and the file
     */
    public static <T> T element(
            Path file, SequencedMap<String, Matrix> maps, Function<SequencedMap<String, Matrix>, T> made) {
        try {
            return made.apply(maps);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("%s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
