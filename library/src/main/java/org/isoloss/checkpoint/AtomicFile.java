package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNullElse;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes files whole or not at all: into a temporary file beside the target, forced to the disk, renamed over the target,
 * and the folder forced too. Whoever is killed at any moment leaves the old file or the new one, at worst beside a
 * temporary file named {@code .target.pid-number.tmp}. A write that fails removes its temporary file.
 *
 * <p>A replaced file keeps its permissions. A symbolic link is replaced itself; what it points to stays.
 */
public final class AtomicFile {
    private static final AtomicLong NUMBER = new AtomicLong();
    private static final int LONGEST_NAME = 60;

    private AtomicFile() {}

    /** What goes into a file. */
    @FunctionalInterface
    public interface Content {
        /**
         * Writes everything.
         *
         * @param channel where to; takes all remaining bytes of each buffer; need not be closed
         * @throws IOException when that fails; the target then stays as it was
         */
        void writeTo(WritableByteChannel channel) throws IOException;
    }

    /** What goes into a file, as a stream. */
    @FunctionalInterface
    public interface StreamContent {
        /**
         * Writes everything.
         *
         * @param stream where to; need not be closed
         * @throws IOException when that fails; the target then stays as it was
         */
        void writeTo(OutputStream stream) throws IOException;
    }

    /** Opens the temporary file; tests put a disk that fills up in its place. */
    interface Disk {
        Temporary create(Path path) throws IOException;
    }

    /** The temporary file while it is written. */
    interface Temporary extends WritableByteChannel {
        void force() throws IOException;
    }

    /**
     * Replaces or creates a file.
     *
     * @param target the file; its folder exists
     * @param content what goes into it
     * @throws IOException one line that names the target and why it was not written; it is then as before
     */
    public static void write(Path target, Content content) throws IOException {
        write(
                target,
                content,
                path -> new OnDisk(FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)));
    }

    /**
     * Replaces or creates a file from a stream.
     *
     * @param target the file; its folder exists
     * @param content what goes into it
     * @throws IOException one line that names the target and why it was not written; it is then as before
     */
    public static void writeStream(Path target, StreamContent content) throws IOException {
        write(target, channel -> {
            var stream = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
            content.writeTo(stream);
            stream.flush();
        });
    }

    /**
     * Replaces or creates a file with these bytes.
     *
     * @param target the file; its folder exists
     * @param bytes the content; not modified
     * @throws IOException one line that names the target and why it was not written; it is then as before
     */
    public static void writeBytes(Path target, byte[] bytes) throws IOException {
        write(target, channel -> channel.write(ByteBuffer.wrap(bytes)));
    }

    /**
     * Replaces or creates a file with this text in UTF-8.
     *
     * @param target the file; its folder exists
     * @param text the content
     * @throws IOException one line that names the target and why it was not written; it is then as before
     */
    public static void writeText(Path target, String text) throws IOException {
        writeBytes(target, text.getBytes(StandardCharsets.UTF_8));
    }

    static void write(Path target, Content content, Disk disk) throws IOException {
        Path folder = requireNonNullElse(target.toAbsolutePath().getParent(), target);
        boolean existed = Files.exists(target);
        Path temporary = null;
        try {
            requireReplaceable(target, folder);
            Opened opened = open(target, folder, disk);
            temporary = opened.temporary();
            try (Temporary file = opened.file()) {
                content.writeTo(new Whole(file));
                file.force();
            }
            if (existed) {
                keepPermissions(target, temporary);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            temporary = null;
        } catch (IOException e) {
            throw new IOException(
                    "%s: not written: %s; %s"
                            .formatted(target, reason(e), existed ? "the file is as before" : "no file was left"),
                    e);
        } finally {
            if (temporary != null) {
                Files.deleteIfExists(temporary);
            }
        }
        force(folder);
    }

    static void keepPermissions(Path from, Path to) throws IOException {
        var view = Files.getFileAttributeView(from, PosixFileAttributeView.class);
        if (view != null) { // null where the file system has none
            Files.setPosixFilePermissions(to, view.readAttributes().permissions());
        }
    }

    private record Opened(Path temporary, Temporary file) {}

    private static void requireReplaceable(Path target, Path folder) throws IOException {
        if (Files.isDirectory(target)) {
            throw new IOException("it is a folder");
        }
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            throw new IOException("it is a device or pipe, not a file");
        }
        if (!Files.isDirectory(folder)) {
            throw new IOException("there is no folder " + folder);
        }
    }

    private static Opened open(Path target, Path folder, Disk disk) throws IOException {
        String name = target.getFileName().toString();
        String prefix = "." + name.substring(0, Math.min(name.length(), LONGEST_NAME)) + "."
                + ProcessHandle.current().pid() + "-";
        while (true) {
            Path temporary = folder.resolve(prefix + NUMBER.incrementAndGet() + ".tmp");
            try {
                return new Opened(temporary, disk.create(temporary));
            } catch (FileAlreadyExistsException e) {
                // left by a process that was killed: take the next number
            }
        }
    }

    /** Makes the rename itself durable; Windows neither needs nor allows it. */
    static void force(Path folder) throws IOException {
        if (File.separatorChar == '/') {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private static String reason(IOException e) {
        if (e instanceof FileSystemException system) {
            String reason = system.getReason();
            String kind = e instanceof NoSuchFileException
                    ? "no such file"
                    : e.getClass().getSimpleName();
            return (reason == null ? kind : reason) + " (" + system.getFile() + ")";
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** Hands on every byte of a buffer, and leaves closing to the owner of the file. */
    private record Whole(Temporary file) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer source) throws IOException {
            int count = source.remaining();
            while (source.hasRemaining()) {
                file.write(source);
            }
            return count;
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() {}
    }

    private record OnDisk(FileChannel file) implements Temporary {
        @Override
        public int write(ByteBuffer source) throws IOException {
            return file.write(source);
        }

        @Override
        public void force() throws IOException {
            file.force(true);
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
