package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
    @TempDir
    Path folder;

    @Test
    void writesBytesTextAndStreams() throws IOException {
        Path file = folder.resolve("x");
        AtomicFile.writeBytes(file, new byte[] {1, 2});
        assertThat(file).hasBinaryContent(new byte[] {1, 2});
        AtomicFile.writeText(file, "größe\n");
        assertThat(file).hasContent("größe\n");
        AtomicFile.writeStream(file, stream -> {
            stream.write(new byte[100_000]);
            stream.close();
        });
        assertThat(file).hasSize(100_000);
        AtomicFile.write(file, channel -> {
            assertThat(channel.write(ByteBuffer.wrap(new byte[3]))).isEqualTo(3);
            channel.close();
            assertThat(channel.isOpen()).as("stays open for its owner").isTrue();
        });
        assertThat(file).hasSize(3);
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aFullDiskLeavesTheOldFileAndNothingElse() throws IOException {
        Path file = folder.resolve("x");
        AtomicFile.Disk full = temporary -> new FullDisk(
                FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), 1000);
        AtomicFile.Content content = channel -> channel.write(ByteBuffer.allocate(5000));

        assertThatThrownBy(() -> AtomicFile.write(file, content, full))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": not written: No space left on device; no file was left");
        assertThat(folder).isEmptyDirectory();

        Files.writeString(file, "old");
        assertThatThrownBy(() -> AtomicFile.write(file, content, full))
                .hasMessage(file + ": not written: No space left on device; the file is as before");
        assertThat(file).hasContent("old");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aContentThatFailsLeavesNothing() {
        Path file = folder.resolve("x");
        assertThatThrownBy(() -> AtomicFile.write(file, channel -> {
                    channel.write(ByteBuffer.allocate(10));
                    throw new IllegalArgumentException("wrong");
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("wrong");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void theTargetIsOldOrNewAtEveryMoment() throws IOException {
        Path file = Files.writeString(folder.resolve("x"), "old");
        AtomicFile.write(file, channel -> {
            channel.write(ByteBuffer.wrap(new byte[10]));
            assertThat(file).hasContent("old");
        });
        assertThat(file).hasSize(10);
    }

    @Test
    void temporaryFilesOfKilledProcessesAreInNobodysWay() throws IOException {
        Path file = folder.resolve("x");
        List<Path> tried = new ArrayList<>();
        AtomicFile.Disk taken = temporary -> {
            tried.add(temporary);
            if (tried.size() == 1) {
                Files.writeString(temporary, "left over");
            }
            return new FullDisk(
                    FileChannel.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), 1000);
        };
        AtomicFile.write(file, channel -> channel.write(ByteBuffer.allocate(1)), taken);
        assertThat(file).hasSize(1);
        assertThat(tried).hasSize(2);
        assertThat(tried.getFirst()).hasContent("left over");
        assertThat(tried.getFirst().getFileName().toString()).matches("\\.x\\.[0-9]+-[0-9]+\\.tmp");
    }

    @Test
    void aReplacedFileKeepsItsPermissions() throws IOException {
        assumeThat(folder.getFileSystem().supportedFileAttributeViews()).contains("posix");
        Path file = Files.writeString(folder.resolve("x"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        AtomicFile.writeText(file, "new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    @Test
    void whatReplacesAFileIsItsOwnersAloneUntilItIsWhole() throws IOException {
        assumeThat(folder.getFileSystem().supportedFileAttributeViews()).contains("posix");
        Path file = Files.writeString(folder.resolve("x"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        AtomicFile.write(file, channel -> {
            try (var files = Files.list(folder)) {
                Path temporary =
                        files.filter(other -> !other.equals(file)).findFirst().orElseThrow();
                assertThat(permissions(temporary)).isEqualTo("rw-------");
            }
        });
        assertThat(permissions(file)).isEqualTo("rw-------");
    }

    @Test
    void aNewFileHasTheModeOfAnOrdinaryWrite() throws IOException {
        assumeThat(folder.getFileSystem().supportedFileAttributeViews()).contains("posix");
        Path ordinary = Files.writeString(folder.resolve("ordinary"), "x");
        AtomicFile.writeText(folder.resolve("new"), "x");
        assertThat(permissions(folder.resolve("new"))).isEqualTo(permissions(ordinary));
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void throughALinkTheFileThatItLeadsToIsReplaced() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there"));
        Path pointed = Files.writeString(there.resolve("file"), "old");
        Path first = Files.createSymbolicLink(there.resolve("first"), Path.of("file"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("there", "first"));
        AtomicFile.writeText(link, "new");
        assertThat(pointed).hasContent("new");
        assertThat(Files.isSymbolicLink(pointed)).isFalse();
        assertThat(link).isSymbolicLink().hasContent("new");
        assertThat(first).isSymbolicLink();
        try (var files = Files.list(there)) {
            assertThat(files).containsExactlyInAnyOrder(pointed, first);
        }
    }

    @Test
    void aLinkThatLeadsNowhereIsRefused() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("gone"));
        assertThatThrownBy(() -> AtomicFile.writeText(link, "x"))
                .hasMessage("%s: not written: it is a link to %s, which does not exist; no file was left"
                        .formatted(link, folder.resolve("gone")));
        Path circle = Files.createSymbolicLink(folder.resolve("circle"), Path.of("circle"));
        assertThatThrownBy(() -> AtomicFile.writeText(circle, "x"))
                .hasMessage(circle + ": not written: it is a link that leads in a circle; no file was left");
        assertThat(link).isSymbolicLink();
        assertThat(folder.resolve("gone")).doesNotExist();
    }

    @Test
    void theStoreOfAModelCacheIsNeverWrittenTo() throws IOException {
        Path blobs = Files.createDirectories(folder.resolve("models--a--b").resolve("blobs"));
        Path snapshot =
                Files.createDirectories(blobs.resolveSibling("snapshots").resolve("0123abc"));
        Path blob = Files.writeString(blobs.resolve("e3b0c442"), "old");
        Path link = Files.createSymbolicLink(
                snapshot.resolve("model.safetensors"), Path.of("..", "..", "blobs", "e3b0c442"));
        Path second = Files.createSymbolicLink(folder.resolve("mine.safetensors"), link);
        for (Path target : List.of(link, second)) {
            assertThatThrownBy(() -> AtomicFile.writeText(target, "new"))
                    .hasMessageStartingWith(target + ": not written: it is a link into a model cache, to ")
                    .hasMessageEndingWith(
                            "e3b0c442, which other models may share; choose another name; the file is as before");
            assertThat(target).isSymbolicLink();
        }
        assertThat(blob).hasContent("old");
        Path plain =
                Files.createDirectories(folder.resolve("art").resolve("blobs")).resolve("x");
        Files.writeString(plain, "old");
        AtomicFile.writeText(Files.createSymbolicLink(folder.resolve("blob"), plain), "new");
        assertThat(plain).as("a folder of that name alone is no cache").hasContent("new");
    }

    @Test
    void refusesWhatIsNoFile() throws IOException {
        assertThatThrownBy(() -> AtomicFile.writeText(folder, "x"))
                .isInstanceOf(IOException.class)
                .hasMessage(folder + ": not written: it is a folder; the file is as before");
        Path file = folder.resolve("absent").resolve("x");
        assertThatThrownBy(() -> AtomicFile.writeText(file, "x"))
                .hasMessage(file + ": not written: there is no folder " + file.getParent() + "; no file was left");
        Path device = Path.of("/dev/null");
        assumeThat(Files.exists(device)).isTrue();
        assertThatThrownBy(() -> AtomicFile.writeText(device, "x"))
                .hasMessage("/dev/null: not written: it is a device or pipe, not a file; the file is as before");
    }

    /** A file on a disk with room for so many bytes; as a real one, it takes part of the last write. */
    private static final class FullDisk implements AtomicFile.Temporary {
        private final FileChannel file;
        private long room;

        FullDisk(FileChannel file, long room) {
            this.file = file;
            this.room = room;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (room == 0) {
                throw new IOException("No space left on device");
            }
            int count = file.write(source.slice(source.position(), (int) Math.min(room, source.remaining())));
            source.position(source.position() + count);
            room -= count;
            return count;
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
