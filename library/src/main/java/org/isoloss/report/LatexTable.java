package org.isoloss.report;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A table as LaTeX: {@code booktabs} rules, numbers as mathematics. */
final class LatexTable {
    private static final Pattern SCIENTIFIC = Pattern.compile("(-?[0-9.]+)e(-?[0-9]+)");

    private static final int COLUMNS_OF_A_COLUMN = 5;
    private static final int LONG_CELL = 40;

    private LatexTable() {}

    /**
     * Returns a {@code table} environment, over both columns of a paper where the table has many.
     *
     * @param label the part of the label after {@code tab:}, or empty for a table without one
     */
    static String of(Table table, String label) {
        List<Column> columns = table.columns();
        String environment = columns.size() > COLUMNS_OF_A_COLUMN ? "table*" : "table";
        String alignment = IntStream.range(0, columns.size())
                .mapToObj(i -> alignment(table, i))
                .collect(Collectors.joining());
        var latex = new StringBuilder("% Needs \\usepackage{booktabs}.\n");
        latex.append("\\begin{%s}\n\\centering\n\\small\n".formatted(environment));
        latex.append("\\caption{").append(LatexText.of(table.caption())).append(".}\n");
        if (!label.isEmpty()) {
            latex.append("\\label{tab:").append(label).append("}\n");
        }
        latex.append("\\begin{tabular}{").append(alignment).append("}\n\\toprule\n");
        latex.append(line(
                columns.stream().map(column -> LatexText.of(column.heading())).toList()));
        latex.append("\\midrule\n");
        for (List<@Nullable Object> row : table.rows()) {
            latex.append(line(IntStream.range(0, row.size())
                    .mapToObj(i -> cell(columns.get(i), row.get(i)))
                    .toList()));
        }
        return latex.append("\\bottomrule\n\\end{tabular}\n\\end{%s}\n".formatted(environment))
                .toString();
    }

    /** Numbers to the right, words to the left; sentences break. */
    private static String alignment(Table table, int column) {
        if (table.columns().get(column).kind().isNumber()) {
            return "r";
        }
        boolean isLong =
                table.readableRows().stream().anyMatch(row -> row.get(column).length() > LONG_CELL);
        return isLong ? "p{0.4\\linewidth}" : "l";
    }

    private static String line(List<String> cells) {
        return String.join(" & ", cells) + " \\\\\n";
    }

    private static String cell(Column column, @Nullable Object value) {
        String text = Cells.read(column, value);
        if (value == null) {
            return "--";
        }
        if (value instanceof Number number && !Double.isFinite(number.doubleValue())) {
            return LatexText.of(text);
        }
        return switch (column.kind()) {
            case TEXT, FLAG -> LatexText.of(text);
            case COUNT, FIXED -> "$" + text + "$";
            case PERCENT -> "$" + text.replace(" %", "\\,\\%") + "$";
            case RATIO -> "$" + text.replace("x", "\\times") + "$";
            case NUMBER, SCIENTIFIC -> "$" + SCIENTIFIC.matcher(text).replaceFirst("$1\\\\times10^{$2}") + "$";
        };
    }
}
