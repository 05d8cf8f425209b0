package org.isoloss.report;

import static java.util.Objects.requireNonNullElse;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What an earlier command may have left in a folder and the next one may not write: a table of it beside new ones would be
 * taken for one of theirs.
 */
public final class EarlierFiles {
    private EarlierFiles() {}

    /**
     * Removes files that only a result of isoloss has.
     *
     * @param folder need not be there
     * @param names relative to it, with a glob as the last part, such as {@code tables/outputs-*.{csv,tex}}
     * @throws IOException when a file cannot be removed
     */
    public static void remove(Path folder, String... names) throws IOException {
        for (String name : names) {
            Path path = Path.of(name);
            Path below = folder.resolve(requireNonNullElse(path.getParent(), Path.of("")));
            if (Files.isDirectory(below)) {
                try (DirectoryStream<Path> files =
                        Files.newDirectoryStream(below, String.valueOf(path.getFileName()))) {
                    for (Path file : files) {
                        Files.delete(file);
                    }
                }
            }
        }
    }
}
