package org.isoloss.reproduce;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * A table of the paper, with the digits that it prints: {@code paper-tableN.csv} beside this class. Settings go by the names
 * of our task files; a column of fits has the numerator of five, and of three where transformers are fitted.
 */
final class PaperTable {
    /** Seeds behind each fit count of the paper. */
    static final int SEEDS = 5;

    private final List<CSVRecord> rows;

    private PaperTable(List<CSVRecord> rows) {
        this.rows = rows;
    }

    /** Reads a table such as {@code table1}. */
    static PaperTable of(String name) {
        String resource = "paper-%s.csv".formatted(name);
        try (InputStream in = PaperTable.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("%s is missing from the library; build it again".formatted(resource));
            }
            CSVFormat format = CSVFormat.DEFAULT
                    .builder()
                    .setHeader()
                    .setSkipHeaderRecord(true)
                    .get();
            try (CSVParser parser = CSVParser.parse(new InputStreamReader(in, StandardCharsets.UTF_8), format)) {
                return new PaperTable(parser.getRecords());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<CSVRecord> rows() {
        return rows;
    }

    /** The row whose columns have the given values, or null. */
    @Nullable
    CSVRecord row(Map<String, String> keys) {
        return rows.stream()
                .filter(row -> keys.entrySet().stream()
                        .allMatch(key -> row.get(key.getKey()).equals(key.getValue())))
                .findFirst()
                .orElse(null);
    }
}
