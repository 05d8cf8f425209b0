package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporariesTest {
    /** Above every number that a system gives to a process. */
    private static final String DEAD = "99999999999";

    @TempDir
    Path folder;

    private Path planted(String name) throws IOException {
        return Files.writeString(folder.resolve(name), "half of it");
    }

    private Path plantedFolder(String name) throws IOException {
        Path planted = Files.createDirectories(folder.resolve(name).resolve("below"));
        Files.writeString(planted.resolve("model.safetensors"), "half of it");
        return folder.resolve(name);
    }

    @Test
    void whatAKilledProcessLeftGoesWithTheNextSaveOfTheSameTarget() throws IOException {
        Path dead = planted(".x." + DEAD + "-1.tmp");
        Path sameNumber = planted(".x." + ProcessHandle.current().pid() + "-99999999.tmp");
        Path deadFolder = plantedFolder(".x." + DEAD + "-2.tmp");
        AtomicFile.writeText(folder.resolve("x"), "whole");
        assertThat(dead).doesNotExist();
        assertThat(sameNumber).as("of a process that had this one's number").doesNotExist();
        assertThat(deadFolder).doesNotExist();
    }

    @Test
    void nothingElseGoes() throws IOException {
        Path alive =
                planted(".x." + ProcessHandle.current().parent().orElseThrow().pid() + "-1.tmp");
        Path other = planted(".y." + DEAD + "-1.tmp");
        Path longer = planted(".x.y." + DEAD + "-1.tmp");
        Path users = planted(".x.tmp");
        Path visible = planted("x." + DEAD + "-1.tmp");
        AtomicFile.writeText(folder.resolve("x"), "whole");
        assertThat(alive).exists();
        assertThat(other).exists();
        assertThat(longer).exists();
        assertThat(users).exists();
        assertThat(visible).exists();
    }

    @Test
    void whatSomebodyHoldsLockedIsInUse() throws IOException {
        Path elsewhere = planted(".x." + DEAD + "-1.tmp");
        Path copy = plantedFolder(".x." + DEAD + "-2.tmp");
        Path lock = Files.writeString(copy.resolve(Temporaries.LOCK), "");
        try (FileChannel writer = FileChannel.open(elsewhere, StandardOpenOption.WRITE);
                FileChannel copier = FileChannel.open(lock, StandardOpenOption.WRITE)) {
            Temporaries.lock(writer);
            Temporaries.lock(copier);
            AtomicFile.writeText(folder.resolve("x"), "whole");
        }
        assertThat(elsewhere).exists();
        assertThat(copy).exists();
    }

    @Test
    void aSaveThatRunsKeepsItsOwn() throws IOException {
        Path target = folder.resolve("x");
        AtomicFile.write(target, channel -> AtomicFile.writeText(target, "inner"));
        assertThat(target).isEmptyFile();
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(target);
        }
    }

    @Test
    void aFolderIsSavedWithoutItsLock() throws IOException {
        Path left = plantedFolder(".model." + DEAD + "-1.tmp");
        Path model = folder.resolve("model");
        AtomicFolder.create(model, copy -> AtomicFile.writeText(copy.resolve("config.json"), "{}"));
        assertThat(left).doesNotExist();
        try (var files = Files.list(model)) {
            assertThat(files).containsExactly(model.resolve("config.json"));
        }
    }

    @Test
    void throughALinkToAnEmptyFolderThatFolderIsFilled() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), there);
        AtomicFolder.create(link, copy -> AtomicFile.writeText(copy.resolve("config.json"), "{}"));
        assertThat(link).isSymbolicLink();
        assertThat(there.resolve("config.json")).hasContent("{}");
    }
}
