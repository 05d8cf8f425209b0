package org.isoloss.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Named arrays in a file, and how to edit them where they are.
 *
 * <p>{@snippet :
 * EditReport report = Checkpoint.edit(source).with("0.weight", weights).saveAs(target);
 * }
 */
public sealed interface Checkpoint extends AutoCloseable
        permits SafetensorsFile, ShardedSafetensors, GgufFile, OnnxFile, Npz {
    /**
     * Opens a file; what it is, its first bytes tell, except for ONNX, which has none of its own and is known by its name.
     * Tensors are read when they are asked for.
     *
     * @param path a safetensors file, the index of several ({@code model.safetensors.index.json}), GGUF, ONNX
     *     ({@code .onnx}), numpy's npz, or a folder with one of the first four
     * @return the open checkpoint, to be closed by the caller
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when it is no valid file of these kinds
     */
    static Checkpoint open(Path path) throws IOException {
        Path file = Files.isDirectory(path) ? FolderFiles.weights(path) : path;
        if (file.toString().endsWith(ShardIndex.SUFFIX)) {
            return ShardedSafetensors.open(file);
        }
        if (OnnxFile.isOnnx(file)) {
            return OnnxFile.open(file);
        }
        if (GgufFile.isGguf(file)) {
            return GgufFile.open(file);
        }
        return Npz.isZip(file) ? Npz.open(file) : SafetensorsFile.open(file);
    }

    /**
     * Begins an edit of a safetensors file or of a folder with one or several. Nothing is read or written before {@link CheckpointEdit#saveAs}.
     *
     * @param source the file or folder to start from
     * @return an edit that changes nothing yet
     */
    static CheckpointEdit edit(Path source) {
        return CheckpointEdit.of(source);
    }

    /** {@return the file, as it was opened} */
    Path path();

    /** {@return the names of the tensors, in the order of the file} */
    List<String> names();

    /** {@return what the file says about itself: by key; empty when it says nothing} */
    Map<String, String> metadata();

    /**
     * Returns one tensor.
     *
     * @param name one of {@link #names}
     * @return the tensor
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException when the file has no tensor of that name, or a broken one
     */
    StoredTensor tensor(String name) throws IOException;

    @Override
    void close() throws IOException;
}
