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
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Writes files whole or not at all: into a temporary file beside the target, forced to the disk, renamed over the target,
 * and the folder forced too. Whoever is killed at any moment leaves the old file or the new one, at worst beside a
 * temporary file named {@code .target.pid-number.tmp}, which the next write of another process to the same target removes. A
 * write that fails removes its temporary file.
 *
 * <p>A replaced file keeps its permissions, and a new one has those that any program gives; until it is whole, only its owner
 * can read what replaces a file. Where the target is a symbolic link, the file that it leads to is replaced and the link
 * stays; a link that leads nowhere, or into the store of a model cache, is refused.
 */
public final class AtomicFile {
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
        boolean exists = Files.exists(target);
        write(target, content, path -> OnDisk.create(path, exists));
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
        boolean existed = Files.exists(target);
        Path folder;
        Path temporary = null;
        try {
            Path file = LinkedTarget.of(target);
            folder = folder(file);
            requireReplaceable(file, folder);
            Opened opened = open(file, folder, disk);
            temporary = opened.temporary();
            try (Temporary opening = opened.file()) {
                content.writeTo(new Whole(opening));
                opening.force();
            }
            if (existed) {
                keepPermissions(file, temporary);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            Temporaries.release(temporary);
            temporary = null;
        } catch (IOException e) {
            throw new IOException(
                    "%s: not written: %s; %s"
                            .formatted(target, reason(e), existed ? "the file is as before" : "no file was left"),
                    e);
        } finally {
            if (temporary != null) {
                Files.deleteIfExists(temporary);
                Temporaries.release(temporary);
            }
        }
        force(folder);
    }

    private static Path folder(Path file) {
        return requireNonNullElse(file.toAbsolutePath().getParent(), file);
    }

    /**
     * Refuses what {@link #write} would, without writing anything.
     *
     * @param target where something is to be written later
     * @throws IOException when it is a folder or a device, or there is no folder to write it in
     */
    public static void requireReplaceable(Path target) throws IOException {
        try {
            Path file = LinkedTarget.of(target);
            requireReplaceable(file, folder(file));
        } catch (IOException e) {
            throw new IOException("%s: not written: %s; the file is as before".formatted(target, reason(e)), e);
        }
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
        while (true) {
            Path temporary = Temporaries.take(folder, String.valueOf(target.getFileName()));
            try {
                return new Opened(temporary, disk.create(temporary));
            } catch (FileAlreadyExistsException e) {
                Temporaries.release(temporary); // another thread of a process of the same number: take the next
            } catch (IOException | RuntimeException e) {
                Temporaries.release(temporary);
                throw e;
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
        private static final Set<StandardOpenOption> NEW =
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        private static final FileAttribute<?> OWNER_ONLY =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

        /** Creates a file; one that replaces another is its owner's alone until it has the other's permissions. */
        static OnDisk create(Path path, boolean replaces) throws IOException {
            boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
            FileChannel channel =
                    replaces && posix ? FileChannel.open(path, NEW, OWNER_ONLY) : FileChannel.open(path, NEW);
            Temporaries.lock(channel);
            return new OnDisk(channel);
        }

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
