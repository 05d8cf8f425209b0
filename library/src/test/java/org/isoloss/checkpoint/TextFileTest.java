package org.isoloss.checkpoint;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextFileTest {
    private static final String TEXT = "name: naïve\nsteps: 3\n";

    @TempDir
    Path folder;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("task.yaml"), bytes);
    }

    private void assertRefused(byte[] bytes, String problem) throws IOException {
        Path file = file(bytes);
        assertThatThrownBy(() -> TextFile.read(file))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": not UTF-8: " + problem);
    }

    @Test
    void readsUtf8WithAndWithoutAMark() throws IOException {
        assertThat(TextFile.read(file(TEXT.getBytes(UTF_8)))).isEqualTo(TEXT);
        assertThat(TextFile.read(file(("\uFEFF" + TEXT).getBytes(UTF_8)))).isEqualTo(TEXT);
        assertThat(TextFile.read(file("𝜃\r\n".getBytes(UTF_8)))).isEqualTo("𝜃\r\n");
        assertThat(TextFile.read(file(new byte[0]))).isEmpty();
    }

    @Test
    void saysWhichEncodingAnotherFileLooksLike() throws IOException {
        String utf16 = "it looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW";
        assertRefused(("\uFEFF" + TEXT).getBytes(UTF_16LE), utf16);
        assertRefused(("\uFEFF" + TEXT).getBytes(UTF_16BE), utf16);
        assertRefused(TEXT.getBytes(UTF_16LE), "line 1, byte 1 of the file is 0x00; " + utf16);
        assertRefused(
                "a: 1\nname: na\u00efve\n".getBytes(ISO_8859_1),
                "line 2, byte 13 of the file is 0xEF; it looks like ISO-8859-1; convert it: iconv -f ISO-8859-1 -t UTF-8 OLD > NEW");
        assertRefused(
                "price: 3 €\n".getBytes(Charset.forName("windows-1252")),
                "line 1, byte 9 of the file is 0x80; it looks like WINDOWS-1252; convert it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW");
        assertRefused(
                new byte[] {'a', 0, 0, 0, 7},
                "line 1, byte 1 of the file is 0x00; it looks like a binary file, expected text");
        assertRefused(
                "\u0093NUMPY\1\0".getBytes(ISO_8859_1),
                "line 1, byte 0 of the file is 0x93; it looks like numpy's npy");
    }

    @Test
    void aCutCharacterAtTheEndIsNotDropped() throws IOException {
        assertRefused(
                new byte[] {'a', (byte) 0xC3},
                "line 1, byte 1 of the file is 0xC3; it looks like ISO-8859-1; convert it: iconv -f ISO-8859-1 -t UTF-8 OLD > NEW");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> TextFile.read(folder.resolve("no.yaml")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("no.yaml");
    }
}
