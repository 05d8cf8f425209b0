package org.isoloss.checkpoint;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The temporary files and folders of saves, named {@code .target.pid-number.tmp} beside their target, and the removal of those
 * that a killed process left. One is in use as long as this process has it, a process of its number runs, or somebody holds
 * the lock on it, or, for a folder, on {@link #LOCK} in it: the number alone says nothing of a process on another machine that
 * shares the disk, or in another container.
 */
final class Temporaries {
    /** The file in a temporary folder that its writer holds locked. */
    static final String LOCK = ".saving.tmp";

    private static final AtomicLong NUMBER = new AtomicLong();
    private static final int LONGEST_NAME = 60;
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();
    private static final Set<Path> CLEANED = ConcurrentHashMap.newKeySet();

    private Temporaries() {}

    /** Takes a name beside a target that nothing else uses; the first time for a target what was left of others goes. */
    static Path take(Path folder, String target) {
        String stem = "." + target.substring(0, Math.min(target.length(), LONGEST_NAME)) + ".";
        if (CLEANED.add(folder.resolve(stem))) {
            removeLeftBehind(folder, stem);
        }
        while (true) {
            Path name = folder.resolve(stem + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet() + ".tmp");
            if (!Files.exists(name)) {
                OWN.add(name);
                return name;
            }
        }
    }

    /** Gives a name back, once the file has gone or been renamed. */
    static void release(Path name) {
        OWN.remove(name);
    }

    /** Locks a new file as long as the channel is open, where the file system can. */
    static void lock(FileChannel channel) {
        try {
            channel.tryLock();
        } catch (IOException e) {
            // a file system without locks: nobody removes what is left there
        }
    }

    private static void removeLeftBehind(Path folder, String stem) {
        Pattern name = Pattern.compile(Pattern.quote(stem) + "(\\d{1,18})-\\d+\\.tmp");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Matcher matcher = name.matcher(String.valueOf(file.getFileName()));
                if (matcher.matches() && !isInUse(file, Long.parseLong(matcher.group(1)))) {
                    remove(file);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // tidying up is no reason for a save to fail
        }
    }

    private static boolean isInUse(Path file, long process) throws IOException {
        boolean own = process == ProcessHandle.current().pid(); // or of a process that had the same number
        if (OWN.contains(file) || (!own && ProcessHandle.of(process).isPresent())) {
            return true;
        }
        Path lock = Files.isDirectory(file) ? file.resolve(LOCK) : file;
        if (!Files.exists(lock)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE)) {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true;
        }
    }

    /** Removes a file, or a folder with all that is in it; links are removed, not followed. */
    static void remove(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException problem) throws IOException {
                if (problem != null) {
                    throw problem;
                }
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
