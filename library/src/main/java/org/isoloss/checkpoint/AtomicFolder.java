package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNullElse;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * Writes new folders whole or not at all: into a temporary folder beside the target, everything forced to the disk, then
 * renamed. Whoever is killed leaves no target, at worst a temporary folder named {@code .target.pid-number.tmp}, which the
 * next save of another process to the same target removes. A link to an empty folder stays a link.
 */
final class AtomicFolder {
    private AtomicFolder() {}

    /** What goes into a folder. */
    @FunctionalInterface
    interface Content {
        /** Writes every file into an empty folder, each with {@link AtomicFile}. */
        void writeTo(Path folder) throws IOException;
    }

    /**
     * Creates a folder.
     *
     * @param target must not be there, or be an empty folder; its parent exists
     * @throws IOException one line that names the target and why it was not written; nothing is left of it then
     */
    static void create(Path target, Content content) throws IOException {
        Path place = place(target).toAbsolutePath().normalize();
        requireNew(target, place);
        Path parent = requireNonNullElse(place.getParent(), place);
        if (!Files.isDirectory(parent)) {
            throw new IOException(target + ": not written: there is no folder " + parent);
        }
        Path temporary = Temporaries.take(parent, String.valueOf(place.getFileName()));
        try {
            Files.createDirectory(temporary);
            fill(temporary, content);
            AtomicFile.force(temporary);
            if (Files.isDirectory(place)) {
                AtomicFile.keepPermissions(place, temporary);
            }
            Files.move(temporary, place, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException e) {
            Temporaries.remove(temporary);
            throw e;
        } finally {
            Temporaries.release(temporary);
        }
        AtomicFile.force(parent);
    }

    private static Path place(Path target) throws IOException {
        try {
            return LinkedTarget.of(target);
        } catch (IOException e) {
            throw new IOException("%s: not written: %s".formatted(target, e.getMessage()), e);
        }
    }

    private static void fill(Path temporary, Content content) throws IOException {
        Path lock = temporary.resolve(Temporaries.LOCK);
        try (FileChannel held = FileChannel.open(lock, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            Temporaries.lock(held);
            content.writeTo(temporary);
        }
        Files.delete(lock);
    }

    private static void requireNew(Path target, Path place) throws IOException {
        if (Files.isDirectory(place)) {
            try (Stream<Path> files = Files.list(place)) {
                if (files.findAny().isPresent()) {
                    throw new IOException(
                            target + ": not written: the folder is there and not empty; choose a new one");
                }
            }
        } else if (Files.exists(place)) {
            throw new IOException(target + ": not written: it is a file, expected a new folder");
        }
    }

    /** Copies a file whole, with its permissions; what a link leads to, not the link. */
    static void copy(Path from, Path to) throws IOException {
        try (FileChannel source = FileChannel.open(from, StandardOpenOption.READ)) {
            AtomicFile.write(to, channel -> {
                long size = source.size();
                for (long at = 0; at < size; ) {
                    at += source.transferTo(at, size - at, channel);
                }
            });
        }
        AtomicFile.keepPermissions(from, to);
    }
}
