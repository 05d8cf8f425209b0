package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNullElse;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Writes new folders whole or not at all: into a temporary folder beside the target, everything forced to the disk, then
 * renamed. Whoever is killed leaves no target, at worst a temporary folder named {@code .target.pid-number.tmp}.
 */
final class AtomicFolder {
    private static final AtomicLong NUMBER = new AtomicLong();
    private static final int LONGEST_NAME = 60;

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
        requireNew(target);
        Path parent = requireNonNullElse(target.toAbsolutePath().normalize().getParent(), target);
        if (!Files.isDirectory(parent)) {
            throw new IOException(target + ": not written: there is no folder " + parent);
        }
        String name = String.valueOf(target.toAbsolutePath().normalize().getFileName());
        Path temporary = parent.resolve("." + name.substring(0, Math.min(name.length(), LONGEST_NAME)) + "."
                + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet() + ".tmp");
        remove(temporary); // left by a process of the same number that was killed
        Files.createDirectory(temporary);
        try {
            content.writeTo(temporary);
            AtomicFile.force(temporary);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException e) {
            remove(temporary);
            throw e;
        }
        AtomicFile.force(parent);
    }

    private static void requireNew(Path target) throws IOException {
        if (Files.isDirectory(target)) {
            try (Stream<Path> files = Files.list(target)) {
                if (files.findAny().isPresent()) {
                    throw new IOException(
                            target + ": not written: the folder is there and not empty; choose a new one");
                }
            }
        } else if (Files.exists(target)) {
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

    private static void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                    Path visited, @org.jspecify.annotations.Nullable IOException problem) throws IOException {
                if (problem != null) {
                    throw problem;
                }
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
