package org.isoloss.checkpoint;

import static java.util.Objects.requireNonNull;
import static org.isoloss.checkpoint.CheckpointFormatException.quoted;

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
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    /** What the first row holds. */
    public enum FirstRow {
        /** Numbers, as every row. */
        NUMBERS,
        /** Names of the columns, which are skipped. */
        NAMES
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
        MappedFile.requireFile(file);
        try (InputStream stored = Files.newInputStream(file);
                InputStream stream = file.toString().endsWith(".gz") ? new GZIPInputStream(stored) : stored;
                Reader text = text(stream);
                CSVParser rows = CSVParser.parse(text, FORMAT)) {
            return new Csv(file).read(rows, firstRow);
        } catch (UncheckedIOException e) { // how the iterator hands on what reading met
            throw translated(file, requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw translated(file, e);
        }
    }

    private static Reader text(InputStream stream) throws IOException {
        var text = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8.newDecoder()));
        text.mark(1);
        if (text.read() != BYTE_ORDER_MARK) {
            text.reset();
        }
        return text;
    }

    /** What is wrong with the content becomes a format exception; the rest stays. */
    private static IOException translated(Path file, IOException e) {
        String what = switch (e) {
            case CharacterCodingException coding -> "is not UTF-8 text";
            case EOFException end -> "the gzip stream was cut short";
            case ZipException zip -> "the gzip stream is damaged";
            case CSVException csv -> "is not comma-separated text";
            default -> "";
        };
        if (!what.isEmpty()) {
            throw new CheckpointFormatException(file, what + ": " + e.getMessage(), e);
        }
        return e;
    }

    private Matrix read(CSVParser parser, FirstRow firstRow) {
        boolean skip = firstRow == FirstRow.NAMES;
        for (CSVRecord row : parser) {
            if (skip) {
                skip = false;
                continue;
            }
            add(row);
        }
        if (rows == 0) {
            throw new CheckpointFormatException(file, "holds no row of numbers");
        }
        return Matrix.over(rows, columns, Arrays.copyOf(entries, used));
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
        double number = Double.NaN;
        if (cell.chars().allMatch(character -> "0123456789+-.eE".indexOf(character) >= 0)) {
            try { // the characters leave out what only Java reads: 1d, 0x1p3
                number = Double.parseDouble(cell);
            } catch (NumberFormatException e) {
                number = Double.NaN;
            }
        }
        if (!Double.isFinite(number)) {
            String hint = row == 1 ? " (if the first row names the columns, say so)" : "";
            throw new CheckpointFormatException(
                    file, "row %d, column %d: %s is not a finite number%s".formatted(row, column, quoted(cell), hint));
        }
        return number;
    }
}
