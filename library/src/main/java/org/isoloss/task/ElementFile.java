package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.NpzWriter;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;
import org.isoloss.symmetry.SymmetryElement;

/** An element of a symmetry group as npz: for each value that moves its affine map, shape (n, n + 1). */
public final class ElementFile {
    private ElementFile() {}

    /**
     * Writes an element.
     *
     * @param element to be kept
     * @param file to be written, whole or not at all
     * @throws IOException when it cannot be written
     */
    public static void write(SymmetryElement element, Path file) throws IOException {
        NpzWriter writer = new NpzWriter();
        element.maps().forEach(writer::add);
        writer.saveTo(file);
    }

    /**
     * Reads an element.
     *
     * @param file that {@link #write} wrote, or numpy
     * @return the element
     * @throws IOException when it cannot be read
     * @throws IllegalArgumentException when an array is no map, with its name
     */
    public static SymmetryElement read(Path file) throws IOException {
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
        try {
            return SymmetryElement.of(maps);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("%s: %s".formatted(file, e.getMessage()), e);
        }
    }
}
