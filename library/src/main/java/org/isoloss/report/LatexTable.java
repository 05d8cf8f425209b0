package org.isoloss.report;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A table as LaTeX: {@code booktabs} rules, numbers as mathematics. */
final class LatexTable {
    private static final Pattern SCIENTIFIC = Pattern.compile("(-?[0-9.]+)e(-?[0-9]+)");

    private LatexTable() {}

    static String of(Table table) {
        List<Column> columns = table.columns();
        String alignment = columns.stream()
                .map(column -> column.kind().isNumber() ? "r" : "l")
                .collect(Collectors.joining());
        var latex = new StringBuilder();
        latex.append("\\begin{table}\n\\centering\n");
        latex.append("\\caption{").append(escape(table.caption())).append(".}\n");
        latex.append("\\begin{tabular}{").append(alignment).append("}\n\\toprule\n");
        latex.append(
                line(columns.stream().map(column -> escape(column.heading())).toList()));
        latex.append("\\midrule\n");
        for (List<@Nullable Object> row : table.rows()) {
            latex.append(line(IntStream.range(0, row.size())
                    .mapToObj(i -> cell(columns.get(i), row.get(i)))
                    .toList()));
        }
        return latex.append("\\bottomrule\n\\end{tabular}\n\\end{table}\n").toString();
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
            return escape(text);
        }
        return switch (column.kind()) {
            case TEXT, FLAG -> escape(text);
            case COUNT, FIXED -> "$" + text + "$";
            case PERCENT -> "$" + text.replace(" %", "\\,\\%") + "$";
            case RATIO -> "$" + text.replace("x", "\\times") + "$";
            case SCIENTIFIC -> "$" + SCIENTIFIC.matcher(text).replaceFirst("$1\\\\times10^{$2}") + "$";
        };
    }

    private static String escape(String text) {
        return text.chars().mapToObj(LatexTable::escape).collect(Collectors.joining());
    }

    private static String escape(int character) {
        return switch (character) {
            case '\\' -> "\\textbackslash{}";
            case '~' -> "\\textasciitilde{}";
            case '^' -> "\\textasciicircum{}";
            case '<' -> "\\textless{}";
            case '>' -> "\\textgreater{}";
            case '|' -> "\\textbar{}";
            case '&', '%', '$', '#', '_', '{', '}' -> "\\" + (char) character;
            default -> String.valueOf((char) character);
        };
    }
}
