package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A table in the making: one row for each item, and for each column what it shows of one.
 *
 * @param <T> what the rows are about
 */
public final class Columns<T> {
    private final String caption;
    private final List<? extends T> items;
    private final List<Column> columns = new ArrayList<>();
    private final List<Function<? super T, ? extends @Nullable Object>> values = new ArrayList<>();

    Columns(String caption, List<? extends T> items) {
        this.caption = caption;
        this.items = items;
    }

    /**
     * Adds a column.
     *
     * @param column how it reads
     * @param value what it shows of an item, null for nothing
     * @return this
     */
    public Columns<T> add(Column column, Function<? super T, ? extends @Nullable Object> value) {
        columns.add(column);
        values.add(value);
        return this;
    }

    /** {@return the table} */
    public Table table() {
        return Table.of(caption, columns.toArray(Column[]::new))
                .rows(items.stream().map(this::row).toList());
    }

    private @Nullable Object[] row(T item) {
        List<@Nullable Object> row = new ArrayList<>();
        values.forEach(value -> row.add(value.apply(item)));
        return row.toArray();
    }
}
