package org.isoloss.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Says of a file that is not there whether a link on the way to it leads nowhere. */
public final class MissingFile {
    private MissingFile() {}

    /**
     * Describes why a file cannot be opened.
     *
     * @param file as it was named
     * @return such as {@code no such file or folder: a.csv}, or {@code a.csv is a link to b.csv, which does not exist}
     */
    public static String describe(String file) {
        try {
            for (Path path = Path.of(file); path != null; path = path.getParent()) {
                if (Files.isSymbolicLink(path) && !Files.exists(path)) {
                    String link =
                            "%s is a link to %s, which does not exist".formatted(path, Files.readSymbolicLink(path));
                    return path.toString().equals(file) ? link : "no such file or folder: %s: %s".formatted(file, link);
                }
            }
        } catch (IOException | InvalidPathException e) {
            // nothing more can be said than that it is not there
        }
        return "no such file or folder: " + file;
    }
}
