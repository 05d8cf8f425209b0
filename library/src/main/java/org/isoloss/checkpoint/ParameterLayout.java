package org.isoloss.checkpoint;

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
}
