package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MissingFileTest {
    @TempDir
    Path folder;

    @Test
    void namesALinkThatLeadsNowhere() throws IOException {
        Path file = Files.createSymbolicLink(folder.resolve("a.csv"), Path.of("b.csv"));
        assertThat(MissingFile.describe(file.toString())).isEqualTo(file + " is a link to b.csv, which does not exist");
        Path runs = Files.createSymbolicLink(folder.resolve("runs"), folder.resolve("gone"));
        Path below = runs.resolve("seed-1").resolve("a.csv");
        assertThat(MissingFile.describe(below.toString()))
                .isEqualTo("no such file or folder: %s: %s is a link to %s, which does not exist"
                        .formatted(below, runs, folder.resolve("gone")));
    }

    @Test
    void aLinkToAFileIsNotBlamed() throws IOException {
        Path file = Files.createSymbolicLink(folder.resolve("here"), Files.createDirectory(folder.resolve("there")))
                .resolve("a.csv");
        assertThat(MissingFile.describe(file.toString())).isEqualTo("no such file or folder: " + file);
        assertThat(MissingFile.describe("a.csv")).isEqualTo("no such file or folder: a.csv");
        assertThat(MissingFile.describe("\0")).isEqualTo("no such file or folder: \0");
    }
}
