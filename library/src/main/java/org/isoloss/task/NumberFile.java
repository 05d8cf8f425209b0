package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.isoloss.checkpoint.Csv;
import org.isoloss.checkpoint.Npz;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * Numbers in a file: CSV, npz or npy; which, its first bytes tell.
 *
 * @param path the file
 */
record NumberFile(Path path) {
    private static final int SHOWN = 6;

    /** Returns an array, or nothing where the file is text. */
    Optional<StoredTensor> array(@Nullable String name, boolean firstOfSeveral) throws IOException {
        if (Npz.isArray(path)) {
            if (name != null) {
                throw new IllegalArgumentException(
                        "%s holds one array without a name; leave out '%s'".formatted(path, name));
            }
            return Optional.of(Npz.readArray(path));
        }
        if (!Npz.isZip(path)) {
            if (name != null) {
                throw new IllegalArgumentException("%s is no npz file and has no array '%s'".formatted(path, name));
            }
            return Optional.empty();
        }
        try (Npz npz = Npz.open(path)) {
            List<String> names = npz.names();
            if (names.isEmpty() || (name == null && names.size() > 1 && !firstOfSeveral)) {
                throw new IllegalArgumentException("%s holds %s; name the one that is meant: %s:NAME"
                        .formatted(
                                path, names.isEmpty() ? "no array" : "the arrays " + String.join(", ", names), path));
            }
            return Optional.of(npz.tensor(name == null ? names.getFirst() : name));
        }
    }

    /** Returns the numbers of a text, and what is to be said about its first row. */
    Table table(@Nullable Boolean header) throws IOException {
        Csv.Table table = Csv.table(
                path, header == null ? Csv.FirstRow.UNSAID : header ? Csv.FirstRow.NAMES : Csv.FirstRow.NUMBERS);
        List<String> names = table.names();
        return new Table(
                table.numbers(),
                names.isEmpty() || header != null
                        ? Optional.empty()
                        : Optional.of("%s: its first row names the columns (%s%s) and is no input"
                                .formatted(
                                        path,
                                        String.join(", ", names.subList(0, Math.min(SHOWN, names.size()))),
                                        names.size() > SHOWN ? ", ..." : "")));
    }

    /** Numbers, one row each, and what a reader should know about how they were read. */
    record Table(Matrix numbers, Optional<String> notice) {}
}
