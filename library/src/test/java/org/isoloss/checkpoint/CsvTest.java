package org.isoloss.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.isoloss.checkpoint.Csv.FirstRow;
import org.isoloss.linalg.Matrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsvTest {
    @TempDir
    Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("x.csv"), text);
    }

    @Test
    void readsRowsOfNumbers() throws IOException {
        Matrix table = Csv.read(write("1, -2.5,\"3e-2\"\r\n\r\n+4,5.,.5\n"), FirstRow.NUMBERS);
        assertThat(table.rows()).isEqualTo(2);
        assertThat(table.entries()).containsExactly(1, -2.5, 0.03, 4, 5, 0.5);
        Matrix named = Csv.read(write("\uFEFFa,b\n1,2"), FirstRow.NAMES);
        assertThat(named.entries()).containsExactly(1, 2);
        assertThat(Csv.read(write("\uFEFF1"), FirstRow.NUMBERS).entries()).containsExactly(1);
    }

    @Test
    void readsPackedText() throws IOException {
        Matrix digits = Csv.read(Resources.path("digits-1347-to-1354.csv.gz"), FirstRow.NUMBERS);
        assertThat(digits.rows()).isEqualTo(8);
        assertThat(digits.columns()).isEqualTo(65);
        assertThat(digits.column(64)).containsExactly(3, 7, 3, 3, 4, 6, 6, 6);
    }

    @Test
    void readsManyRows() throws IOException {
        Matrix table = Csv.read(write("1,2,3\n".repeat(5000)), FirstRow.NUMBERS);
        assertThat(table.rows()).isEqualTo(5000);
        assertThat(table.row(4999)).containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nan", "NaN", "inf", "-Infinity", "1e999", "1d", "0x1p3", "", "one", "1 2", "--1", "1e"})
    void cellsThatAreNoFiniteNumberAreNamed(String cell) throws IOException {
        Path file = write("1,2\n3," + cell + "\n");
        assertThatThrownBy(() -> Csv.read(file, FirstRow.NUMBERS))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(file + ": row 2, column 2: '" + cell + "' is not a finite number");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a,b~1,2 | row 1, column 1: 'a' is not a finite number (if the first row names the columns, say so",
                "1,2~3 | row 2 has 1 cells, expected 2 as in the first row",
                "'' | holds no row of numbers",
                "1,\"2 | is not comma-separated text: "
            })
    void tablesThatAreNoneAreRefused(String text, String message) throws IOException {
        Path file = write(text.replace('~', '\n'));
        assertThatThrownBy(() -> Csv.read(file, FirstRow.NUMBERS))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(file + ": " + message);
    }

    @Test
    void textThatIsDamagedIsRefused() throws IOException {
        Path latin1 = Files.write(folder.resolve("x.csv"), "1,\u00e9".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> Csv.read(latin1, FirstRow.NUMBERS))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(
                        latin1 + ": is not UTF-8 text but probably Latin-1 or Windows-1252; convert it: iconv ");

        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write("1,2,3\n".repeat(100).getBytes(StandardCharsets.UTF_8));
        }
        byte[] bytes = packed.toByteArray();
        Path cut = Files.write(folder.resolve("x.csv.gz"), Arrays.copyOf(bytes, bytes.length - 12));
        assertThatThrownBy(() -> Csv.read(cut, FirstRow.NUMBERS))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(cut + ": the gzip stream was cut short: ");
        bytes[bytes.length - 6] ^= 1;
        Path damaged = Files.write(folder.resolve("x.csv.gz"), bytes);
        assertThatThrownBy(() -> Csv.read(damaged, FirstRow.NUMBERS))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(damaged + ": the gzip stream is damaged: Corrupt GZIP trailer");
        Path plain = Files.writeString(folder.resolve("y.csv.gz"), "1,2\n");
        assertThatThrownBy(() -> Csv.read(plain, FirstRow.NUMBERS))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessage(plain + ": the gzip stream is damaged: Not in GZIP format");
    }

    @Test
    void aFirstRowWithoutANumberIsNames() throws IOException {
        Csv.Table table = Csv.table(write("x1, x2\n1,2\n3,-1\n"), FirstRow.UNSAID);
        assertThat(table.names()).containsExactly("x1", "x2");
        assertThat(table.numbers().entries()).containsExactly(1, 2, 3, -1);
        assertThat(Csv.table(write("1,2\n"), FirstRow.UNSAID).names()).isEmpty();
        assertThat(Csv.table(write("0,1,2\n5,6,7\n"), FirstRow.NAMES).numbers().entries())
                .containsExactly(5, 6, 7);
        assertThat(Csv.table(write("0,1,2\n5,6,7\n"), FirstRow.NUMBERS)
                        .numbers()
                        .rows())
                .isEqualTo(2);
    }

    /** A row of numbers that are missing or misspelt must not vanish as names. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nan,nan       | row 1, column 1: 'nan' is not a finite number (if the first row names the columns, say so",
                "a,1           | row 1, column 1: 'a' is not a finite number (if the first row names the columns, say so",
                "1,two         | row 1, column 2: 'two' is not a finite number",
                "a,-Inf        | row 1, column 1: 'a' is not",
                "' ,a'         | row 1, column 1: '' is not",
                "0,1,2         | the first row is 0, 1, 2, ..., as some programs name columns; say whether these are names (--header"
            })
    void aFirstRowThatMayBeNumbersIsNotTakenForNames(String first, String message) throws IOException {
        Path file = write(first + "\n4,5,6\n");
        assertThatThrownBy(() -> Csv.table(file, FirstRow.UNSAID))
                .isInstanceOf(CheckpointFormatException.class)
                .hasMessageStartingWith(file + ": " + message);
    }

    @Test
    void otherEncodingsAndOtherFilesAreNamed() throws IOException {
        Path file = folder.resolve("x.csv");
        for (var charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            for (String mark : List.of("", "\uFEFF")) {
                Files.write(file, (mark + "1,2\n3,4\n").getBytes(charset));
                assertThatThrownBy(() -> Csv.read(file, FirstRow.UNSAID))
                        .hasMessage(file + ": is UTF-16 text, expected UTF-8; convert it: iconv -f " + charset
                                + " -t UTF-8");
            }
        }
        new NpzWriter().add("x", Matrix.of(1, 1, 1)).saveTo(file);
        assertThatThrownBy(() -> Csv.read(file, FirstRow.UNSAID))
                .hasMessage(file + ": is not comma-separated text; it looks like numpy's npz");
        Files.writeString(file, "1;2\n3;4\n");
        assertThatThrownBy(() -> Csv.read(file, FirstRow.UNSAID))
                .hasMessage(file + ": row 2, column 1: '3;4' is not a finite number (numbers are separated by commas)");
    }
}
