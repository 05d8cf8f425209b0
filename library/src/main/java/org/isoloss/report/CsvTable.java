package org.isoloss.report;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/** A table as CSV: a line of keys, then every value in full. */
final class CsvTable {
    private static final CSVFormat FORMAT =
            CSVFormat.DEFAULT.builder().setRecordSeparator('\n').get();

    private CsvTable() {}

    static String of(Table table) {
        var text = new StringWriter();
        try (var printer = new CSVPrinter(text, FORMAT)) {
            printer.printRecord(table.columns().stream().map(Column::key));
            for (List<@Nullable Object> row : table.rows()) {
                printer.printRecord(row.stream().map(Cells::exact));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
