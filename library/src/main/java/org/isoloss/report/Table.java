package org.isoloss.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.isoloss.checkpoint.AtomicFile;
import org.jspecify.annotations.Nullable;

/**
 * A table with typed columns. Rounded for readers (terminal, HTML, LaTeX), whole for programs (CSV, JSON).
 *
 * <p>Instances do not change; {@link #row} returns a longer table.
 */
public final class Table {
    private final String caption;
    private final List<Column> columns;
    private final List<List<@Nullable Object>> rows;

    private Table(String caption, List<Column> columns, List<List<@Nullable Object>> rows) {
        this.caption = caption;
        this.columns = columns;
        this.rows = rows;
    }

    /**
     * Returns a table without rows.
     *
     * @param caption what the table shows, a sentence without its full stop
     * @param columns at least one, with different keys
     * @return the empty table
     * @throws IllegalArgumentException if there is no column, or two have the same key
     */
    public static Table of(String caption, Column... columns) {
        if (columns.length == 0) {
            throw new IllegalArgumentException("Table '%s': no columns, expected at least one".formatted(caption));
        }
        List<String> keys = Arrays.stream(columns).map(Column::key).toList();
        for (String key : keys) {
            if (Collections.frequency(keys, key) > 1) {
                throw new IllegalArgumentException(
                        "Table '%s': two columns have key '%s', expected different keys".formatted(caption, key));
            }
        }
        return new Table(caption, List.of(columns), List.of());
    }

    /**
     * Starts a table of one row an item.
     *
     * @param <T> what the rows are about
     * @param caption what the table shows, a sentence without its full stop
     * @param items in the order of the rows
     * @return where its columns are added
     */
    public static <T> Columns<T> of(String caption, List<? extends T> items) {
        return new Columns<>(caption, items);
    }

    /**
     * Returns this table with one more row.
     *
     * @param values one for each column, of its kind, null where there is none; not modified
     * @return the longer table
     * @throws IllegalArgumentException if a value is missing, too many, or of another kind than its column
     */
    public Table row(@Nullable Object... values) {
        return rows(Collections.singletonList(values));
    }

    /**
     * Returns this table with more rows.
     *
     * @param more the rows in their order, each as in {@link #row}; not modified
     * @return the longer table
     * @throws IllegalArgumentException if a value is missing, too many, or of another kind than its column
     */
    public Table rows(List<@Nullable Object[]> more) {
        List<List<@Nullable Object>> longer = new ArrayList<>(rows);
        for (@Nullable Object[] values : more) {
            check(longer.size(), values);
            longer.add(Collections.unmodifiableList(Arrays.asList(values.clone())));
        }
        return new Table(caption, columns, Collections.unmodifiableList(longer));
    }

    /**
     * Returns this table without some columns.
     *
     * @param keys of columns; those of none are passed over
     * @return the other columns in their order, at least one
     */
    public Table without(Set<String> keys) {
        int[] kept = IntStream.range(0, columns.size())
                .filter(i -> !keys.contains(columns.get(i).key()))
                .toArray();
        Table narrower = of(caption, Arrays.stream(kept).mapToObj(columns::get).toArray(Column[]::new));
        List<@Nullable Object[]> values = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            values.add(Arrays.stream(kept).mapToObj(row::get).toArray());
        }
        return narrower.rows(values);
    }

    private void check(int row, @Nullable Object[] values) {
        if (values.length != columns.size()) {
            throw new IllegalArgumentException("Table '%s', row %d: %d values, expected %d, one a column"
                    .formatted(caption, row, values.length, columns.size()));
        }
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            Column column = columns.get(i);
            if (value != null && !column.takes(value)) {
                throw new IllegalArgumentException("Table '%s', row %d: column '%s' is of kind %s, got %s '%s'"
                        .formatted(
                                caption,
                                row,
                                column.key(),
                                column.kind(),
                                value.getClass().getSimpleName(),
                                value));
            }
        }
    }

    /** {@return what the table shows, the caption} */
    public String caption() {
        return caption;
    }

    /** {@return the columns, in their order, not modifiable} */
    public List<Column> columns() {
        return columns;
    }

    List<List<@Nullable Object>> rows() {
        return rows;
    }

    /** Returns each row as a reader sees it. */
    List<List<String>> readableRows() {
        return rows.stream()
                .map(row -> {
                    List<String> cells = new ArrayList<>();
                    for (int i = 0; i < row.size(); i++) {
                        cells.add(Cells.read(columns.get(i), row.get(i)));
                    }
                    return cells;
                })
                .toList();
    }

    /**
     * {@return the table for a terminal: the caption, a rule, the headings and one line a row; numbers aligned right; lines end
     * in {@code \n}}
     */
    public String toText() {
        return TextTable.of(this);
    }

    /** {@return the table as CSV: the keys, then one line a row, with whole numbers' every digit; lines end in {@code \n}} */
    public String toCsv() {
        return CsvTable.of(this);
    }

    /**
     * {@return the table as LaTeX for the {@code booktabs} package: a {@code table} environment with caption; lines end in
     * {@code \n}}
     */
    public String toLatex() {
        return LatexTable.of(this, "");
    }

    /**
     * Returns the table as LaTeX that a text can refer to.
     *
     * @param label what {@code \ref} gets after {@code tab:}
     * @return as {@link #toLatex()}, with the label
     */
    public String toLatex(String label) {
        return LatexTable.of(this, label);
    }

    /** {@return the table as an HTML fragment, a {@code table} element with caption, everything escaped} */
    public String toHtml() {
        return HtmlTable.of(this);
    }

    /**
     * {@return the rows for a JSON writer: one map a row, keys in the order of the columns; values String, Number, Boolean or
     * null}
     */
    public List<Map<String, @Nullable Object>> toJsonRows() {
        List<Map<String, @Nullable Object>> objects = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            for (int i = 0; i < row.size(); i++) {
                object.put(columns.get(i).key(), row.get(i));
            }
            objects.add(object);
        }
        return objects;
    }

    /**
     * Writes {@code name.csv} and {@code name.tex}, whose label ends in the name, each at once or not at all.
     *
     * @param folder made where it is missing
     * @param name file name without its ending
     * @throws IOException if a file cannot be written
     */
    public void write(Path folder, String name) throws IOException {
        Files.createDirectories(folder);
        AtomicFile.writeText(folder.resolve(name + ".csv"), toCsv());
        AtomicFile.writeText(folder.resolve(name + ".tex"), toLatex(name));
    }
}
