package org.isoloss.network;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Rows of a CSV file of golden numbers: words first, then numbers. */
public final class GoldenRows {
    private final String file;
    private final List<String[]> rows;

    private GoldenRows(String file, List<String[]> rows) {
        this.file = file;
        this.rows = rows;
    }

    static GoldenRows read(String file) {
        return read(GoldenRows.class, file);
    }

    /** Reads a file that lies in the package of a class. */
    public static GoldenRows read(Class<?> neighbour, String file) {
        InputStream stream = Objects.requireNonNull(neighbour.getResourceAsStream(file), file);
        try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            return new GoldenRows(
                    file, reader.lines().map(line -> line.split(",", -1)).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The numbers of every row that begins with these words. */
    public List<double[]> all(String... words) {
        List<double[]> found = rows.stream()
                .filter(row -> Arrays.equals(Arrays.copyOf(row, words.length), words))
                .map(row -> Arrays.stream(row)
                        .skip(words.length)
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                .toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(file + " has no row " + Arrays.toString(words));
        }
        return found;
    }

    public double[] one(String... words) {
        return all(words).getFirst();
    }
}
