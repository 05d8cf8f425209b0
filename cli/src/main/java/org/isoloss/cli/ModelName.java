package org.isoloss.cli;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** The name of a model that lies in a folder, for files and captions. */
final class ModelName {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{7,64}");

    private ModelName() {}

    /**
     * Names the folder; a snapshot of a hub's cache, {@code models--org--name/snapshots/commit}, is named after its model and
     * not after its commit.
     */
    static String of(Path folder) {
        Path absolute = folder.toAbsolutePath().normalize();
        Path snapshots = absolute.getParent();
        Path repository = snapshots == null ? null : snapshots.getParent();
        if (repository != null
                && snapshots != null
                && snapshots.endsWith("snapshots")
                && COMMIT.matcher(last(absolute)).matches()) {
            return last(repository).replaceFirst("^.*--", "");
        }
        return last(absolute);
    }

    private static String last(Path path) {
        Path name = path.getFileName();
        return name == null ? "model" : name.toString();
    }
}
