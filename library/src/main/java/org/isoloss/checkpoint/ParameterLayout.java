package org.isoloss.checkpoint;

import java.io.IOException;
import java.util.Optional;

/** How a kind of file holds the parameters of a transformer: under which names, and with their elements in which order. */
interface ParameterLayout {
    /**
     * Returns what a parameter is called in the file.
     *
     * @param name as transformers calls it
     * @return empty when the file has no such tensor
     */
    Optional<String> storedName(String name);

    /**
     * Returns a parameter as transformers stores it.
     *
     * @param name as transformers calls it
     * @param stored as the file has it
     * @return {@code stored} where nothing is to be done; otherwise its elements are put in order when they are first asked for
     */
    StoredTensor inOrder(String name, StoredTensor stored);

    /**
     * Tells whether a tensor of the file that is no parameter can be left aside: outputs do not go through it.
     *
     * @param stored its name in the file
     * @return false for what is not known by its full name
     * @throws IOException when the file cannot be read
     */
    boolean isBuffer(String stored) throws IOException;

    /**
     * Returns the shape of any tensor of the file, also of a type that is not read.
     *
     * @param stored its name in the file
     * @return as the file says
     * @throws IOException when the file cannot be read
     */
    Shape storedShape(String stored) throws IOException;

    /** Returns what reads a tensor of the file, as a clause for a message; "" where a file does not say. */
    default String readers(String stored) {
        return "";
    }
}
