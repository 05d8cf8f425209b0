package org.isoloss.report;

import java.util.List;

/** A table for a terminal: two spaces between columns, numbers to the right, one rule below the headings. */
final class TextTable {
    private TextTable() {}

    static String of(Table table) {
        List<Column> columns = table.columns();
        List<List<String>> rows = table.readableRows();
        List<String> headings =
                columns.stream().map(column -> Symbols.words(column.heading())).toList();
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = Math.max(
                    headings.get(i).length(),
                    rows.stream()
                            .mapToInt(row -> row.get(column).length())
                            .max()
                            .orElse(0));
        }
        var text = new StringBuilder(table.caption()).append("\n\n");
        appendLine(text, headings, columns, widths);
        appendLine(text, columns.stream().map(column -> "").toList(), columns, widths, '-');
        rows.forEach(row -> appendLine(text, row, columns, widths));
        return text.toString();
    }

    private static void appendLine(StringBuilder text, List<String> cells, List<Column> columns, int[] widths) {
        appendLine(text, cells, columns, widths, ' ');
    }

    private static void appendLine(
            StringBuilder text, List<String> cells, List<Column> columns, int[] widths, char filler) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String fill = String.valueOf(filler).repeat(widths[i] - cells.get(i).length());
            line.append(i == 0 ? "" : "  ");
            line.append(columns.get(i).kind().isNumber() ? fill + cells.get(i) : cells.get(i) + fill);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
