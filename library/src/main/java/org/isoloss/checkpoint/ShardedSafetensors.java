package org.isoloss.checkpoint;

import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * A checkpoint in several safetensors files under one index. Index and files must agree: a file that is not there, a tensor
 * that its file does not hold, and a tensor in a file that the index does not send there are refused, each in its own words,
 * since other readers fill in random numbers or take the wrong copy. All files are mapped; only headers are read at first.
 */
public final class ShardedSafetensors implements Checkpoint {
    private final ShardIndex index;
    private final SequencedMap<String, SafetensorsFile> files;

    private ShardedSafetensors(ShardIndex index, SequencedMap<String, SafetensorsFile> files) {
        this.index = index;
        this.files = files;
    }

    /**
     * Opens an index and every file it names.
     *
     * @param index such as {@code model.safetensors.index.json}
     * @return the open checkpoint, to be closed by the caller
     * @throws IOException when a file cannot be read
     * @throws CheckpointFormatException when the index or a file is not valid, or they do not agree
     */
    @SuppressWarnings("MustBeClosed") // the result takes the files over and closes them
    public static ShardedSafetensors open(Path index) throws IOException {
        var opened = new ShardedSafetensors(ShardIndex.read(index), new LinkedHashMap<>());
        try {
            for (String name : opened.index.names()) {
                Path shard = index.resolveSibling(name);
                String dangling = FolderFiles.dangling(shard);
                if (!dangling.isEmpty()) {
                    throw new CheckpointFormatException(shard, dangling);
                }
                if (!Files.isRegularFile(shard)) {
                    throw new CheckpointFormatException(
                            index, "the index names the file %s, which is not there".formatted(quoted(name)));
                }
                opened.files.put(name, SafetensorsFile.open(shard));
            }
            opened.requireAgreement();
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private void requireAgreement() {
        index.shards().forEach((tensor, shard) -> {
            if (!files(shard).header().entries().containsKey(tensor)) {
                throw wrong("the index puts tensor %s into %s, which does not hold it"
                        .formatted(quoted(tensor), quoted(shard)));
            }
        });
        files.forEach((shard, file) -> {
            for (String tensor : file.header().entries().keySet()) {
                String expected = index.shards().get(tensor);
                if (expected == null) {
                    throw wrong("%s holds tensor %s, which the index does not name"
                            .formatted(quoted(shard), quoted(tensor)));
                }
                if (!expected.equals(shard)) {
                    throw wrong(("%s holds a stale copy of tensor %s, which the index puts into %s;"
                                    + " other readers may take either: save the model again")
                            .formatted(quoted(shard), quoted(tensor), quoted(expected)));
                }
            }
        });
    }

    private SafetensorsFile files(String shard) {
        SafetensorsFile file = files.get(shard);
        if (file == null) {
            throw new IllegalStateException("no open file " + shard);
        }
        return file;
    }

    private CheckpointFormatException wrong(String problem) {
        return new CheckpointFormatException(index.file(), problem);
    }

    ShardIndex index() {
        return index;
    }

    /** Returns the open files by name, sorted. */
    SequencedMap<String, SafetensorsFile> files() {
        return files;
    }

    @Override
    public Path path() {
        return index.file();
    }

    @Override
    public List<String> names() {
        return List.copyOf(index.shards().keySet());
    }

    /** {@return what the first file says about itself: by key; empty when it says nothing} */
    @Override
    public Map<String, String> metadata() {
        return files.isEmpty() ? Map.of() : files.firstEntry().getValue().metadata();
    }

    @Override
    public StoredTensor tensor(String name) {
        String shard = index.shards().get(name);
        if (shard == null) {
            throw SafetensorsFile.absent(index.file(), name, index.shards().keySet());
        }
        return files(shard).tensor(name);
    }

    /** Ends the mappings; more than once does no harm. */
    void release() {
        files.values().forEach(SafetensorsFile::release);
    }

    @Override
    public void close() {
        release();
    }
}
