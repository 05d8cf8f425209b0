package org.isoloss.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Opens a file by mapping the whole of it into memory. */
final class MappedFile {
    /** Makes a checkpoint of what a file holds; it takes the arena over and closes it. */
    interface Reader<T> {
        T over(Path path, MemorySegment content, Arena arena);
    }

    private MappedFile() {}

    @SuppressWarnings("MustBeClosed") // the result takes the arena over and closes it
    static <T> T open(Path path, Reader<T> reader) throws IOException {
        requireFile(path);
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return reader.over(path, channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena), arena);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    static void requireFile(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new IOException(path + ": is a folder, expected a file");
        }
        if (!Files.exists(path)) {
            String dangling = FolderFiles.dangling(path);
            throw new NoSuchFileException(path.toString(), null, dangling.isEmpty() ? "no such file" : dangling);
        }
    }
}
