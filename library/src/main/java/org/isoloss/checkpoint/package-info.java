/**
 * Weights and data on disk: safetensors read lazily through a mapping and edited byte for byte, in one file or several, the
 * configurations beside them, GGUF, numpy's npz, CSV, and files and folders that are replaced whole or not at all.
 *
 * <p>A file whose content is wrong gives a {@link CheckpointFormatException}, a kind of {@link
 * IllegalArgumentException}, whose one line names the file; a file that cannot be reached gives a {@link
 * java.io.IOException}. Nothing else leaves this package for any content of a file.
 */
@NullMarked
package org.isoloss.checkpoint;

import org.jspecify.annotations.NullMarked;
