package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.commons.csv.CSVException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.isoloss.linalg.Matrix;

/** Reads tables of numbers from comma-separated text, packed with gzip when the name ends in {@code .gz}. */
public final class Csv {
    private static final CSVFormat FORMAT =
            CSVFormat.DEFAULT.builder().setIgnoreEmptyLines(true).setTrim(true).get();
    private static final int FIRST_CAPACITY = 1024;
    private static final int COUNTED = 3;
    private static final Set<String> MISSING = Set.of("", "nan", "na", "n/a", "null", "none", "inf", "infinity");
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    /** What the first row holds. */
    public enum FirstRow {
        /** Numbers, as every row. */
        NUMBERS,
        /** Names of the columns, which are skipped. */
        NAMES,
        /** Names where no cell could be a number, otherwise numbers. */
        UNSAID
    }

    /**
     * Numbers with what the first row calls them.
     *
     * @param numbers shape (rows, columns), at least one of each, all finite
     * @param names of the columns; empty where the first row holds numbers
     */
    public record Table(Matrix numbers, List<String> names) {
        /** Keeps its own list. */
        public Table {
            names = List.copyOf(names);
        }
    }

    private final Path file;
    private double[] entries = new double[FIRST_CAPACITY];
    private int used;
    private int rows;
    private int columns;

    private Csv(Path file) {
        this.file = file;
    }

    /**
     * Reads a table.
     *
     * @param file UTF-8 text, rows of equally many decimal numbers; empty lines are skipped
     * @param firstRow what the first row holds
     * @return shape (rows, columns), at least one of each, all finite
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException naming row and column, both from 1, of a cell that is no finite number
     */
    public static Matrix read(Path file, FirstRow firstRow) throws IOException {
        return table(file, firstRow).numbers();
    }

    /**
     * Reads a table with the names of its columns.
     *
     * @param file as in {@link #read}
     * @param firstRow what the first row holds
     * @return the numbers, and the names where there are any
     * @throws IOException when the file cannot be read
     * @throws CheckpointFormatException as in {@link #read}; also where it is unsaid whether a first row of 0, 1, 2, ... is names
     */
    public static Table table(Path file, FirstRow firstRow) throws IOException {
        MappedFile.requireFile(file);
        try (InputStream stored = Files.newInputStream(file);
                InputStream stream = file.toString().endsWith(".gz") ? new GZIPInputStream(stored) : stored;
                Reader text = text(file, stream);
                CSVParser rows = CSVParser.parse(text, FORMAT)) {
            return new Csv(file).read(rows, firstRow);
        } catch (UncheckedIOException e) { // how the iterator hands on what reading met
            throw translated(file, requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw translated(file, e);
        }
    }

    private static Reader text(Path file, InputStream stream) throws IOException {
        var bytes = new BufferedInputStream(stream);
        bytes.mark(ForeignFile.BYTES);
        byte[] start = bytes.readNBytes(ForeignFile.BYTES);
        bytes.reset();
        requireText(file, start);
        var text = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder()));
        text.mark(1);
        if (text.read() != BYTE_ORDER_MARK) {
            text.reset();
        }
        return text;
    }

    /** Every second byte of a table of numbers in UTF-16 is zero, with or without a mark of the byte order. */
    private static void requireText(Path file, byte[] start) {
        String looks = ForeignFile.describe(start);
        if (!looks.isEmpty()) {
            throw new CheckpointFormatException(file, "is not comma-separated text" + looks);
        }
        for (int i = 0; i + 1 < Math.min(start.length, 4); i += 2) {
            int pair = ((start[i] & 0xFF) << 8) | (start[i + 1] & 0xFF);
            if (pair == 0xFEFF || pair == 0xFFFE || start[i] == 0 || start[i + 1] == 0) {
                throw new CheckpointFormatException(
                        file,
                        "is UTF-16 text, expected UTF-8; convert it: iconv -f UTF-16%s -t UTF-8"
                                .formatted(pair == 0xFEFF || start[i] == 0 ? "BE" : "LE"));
            }
        }
    }

    /** What is wrong with the content becomes a format exception; the rest stays. */
    private static IOException translated(Path file, IOException e) {
        String what = switch (e) {
            case CharacterCodingException coding ->
                "is not UTF-8 text but probably Latin-1 or Windows-1252; convert it: iconv -f WINDOWS-1252 -t UTF-8";
            case EOFException end -> "the gzip stream was cut short: " + end.getMessage();
            case ZipException zip -> "the gzip stream is damaged: " + zip.getMessage();
            case CSVException csv -> "is not comma-separated text: " + csv.getMessage();
            default -> "";
        };
        if (!what.isEmpty()) {
            throw new CheckpointFormatException(file, what, e);
        }
        return e;
    }

    private Table read(CSVParser parser, FirstRow firstRow) {
        List<String> names = List.of();
        boolean first = true;
        for (CSVRecord row : parser) {
            if (first && (firstRow == FirstRow.NAMES || (firstRow == FirstRow.UNSAID && isNames(row)))) {
                names = row.toList();
            } else {
                add(row);
            }
            first = false;
        }
        if (rows == 0) {
            throw new CheckpointFormatException(file, "holds no row of numbers");
        }
        return new Table(Matrix.over(rows, columns, Arrays.copyOf(entries, used)), names);
    }

    private boolean isNames(CSVRecord row) {
        if (row.size() >= COUNTED && isCounted(row)) {
            throw new CheckpointFormatException(
                    file,
                    "the first row is 0, 1, 2, ..., as some programs name columns;"
                            + " say whether these are names (--header, header: true) or numbers (--no-header, header: false)");
        }
        for (String cell : row) {
            String name = cell.toLowerCase(Locale.ROOT).replaceFirst("^[-+]", "");
            if (MISSING.contains(name) || !Double.isNaN(parsed(cell))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isCounted(CSVRecord row) {
        int column = 0;
        while (column < row.size() && row.get(column).equals(Integer.toString(column))) {
            column++;
        }
        return column == row.size();
    }

    private void add(CSVRecord row) {
        if (rows == 0) {
            columns = row.size();
        }
        if (row.size() != columns) {
            throw new CheckpointFormatException(
                    file,
                    "row %d has %d cells, expected %d as in the first row"
                            .formatted(row.getRecordNumber(), row.size(), columns));
        }
        if (used + columns > entries.length) {
            entries = Arrays.copyOf(entries, Math.max(used + columns, Math.multiplyExact(2, entries.length)));
        }
        for (int column = 0; column < columns; column++) {
            entries[used++] = number(row.get(column), row.getRecordNumber(), column + 1);
        }
        rows++;
    }

    private double number(String cell, long row, int column) {
        double number = parsed(cell);
        if (!Double.isFinite(number)) {
            String hint = row == 1
                    ? " (if the first row names the columns, say so: --header, in a task header: true)"
                    : cell.contains(";") || cell.contains("\t") ? " (numbers are separated by commas)" : "";
            throw new CheckpointFormatException(
                    file, "row %d, column %d: %s is not a finite number%s".formatted(row, column, quoted(cell), hint));
        }
        return number;
    }

    private static double parsed(String cell) {
        if (cell.chars().anyMatch(character -> "0123456789+-.eE".indexOf(character) < 0)) {
            return Double.NaN; // leaves out what only Java reads: 1d, 0x1p3
        }
        try {
            return Double.parseDouble(cell);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
