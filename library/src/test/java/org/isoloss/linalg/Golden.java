package org.isoloss.linalg;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** Reads the golden numbers beside the tests. */
final class Golden {
    private Golden() {}

    static Stream<CSVRecord> read(String file) {
        try (InputStream stream = Objects.requireNonNull(Golden.class.getResourceAsStream(file), file);
                CSVParser parser = CSVFormat.DEFAULT
                        .builder()
                        .setHeader()
                        .setSkipHeaderRecord(true)
                        .get()
                        .parse(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            return parser.getRecords().stream();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static double[] numbers(CSVRecord row, String column) {
        return Arrays.stream(row.get(column).split(" "))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    static Matrix matrix(CSVRecord row, String column) {
        return Matrix.over(
                Integer.parseInt(row.get("rows")), Integer.parseInt(row.get("columns")), numbers(row, column));
    }
}
