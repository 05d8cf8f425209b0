package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/** A grid of values as shades, the darker the larger, with the number in each cell where there is room. */
public final class HeatMap implements Chart {
    private final String rowLabel;
    private final List<String> rows;
    private final String columnLabel;
    private final List<String> columns;
    private final Axis value;
    private final Matrix cells;
    private final @Nullable Cell mark;

    /** A cell by its row and column, from 0. */
    record Cell(int row, int column) {}

    /**
     * Makes a heat map.
     *
     * @param rowLabel what the rows are
     * @param rows names from top to bottom, at least one
     * @param columnLabel what the columns are
     * @param columns names from left to right, at least one
     * @param value what the shades mean
     * @param cells shape (rows, columns), finite; copied
     * @throws IllegalArgumentException if the shape differs, a value is not finite or a log axis cannot show it
     */
    public HeatMap(
            String rowLabel, List<String> rows, String columnLabel, List<String> columns, Axis value, Matrix cells) {
        if (rows.isEmpty() || columns.isEmpty() || cells.rows() != rows.size() || cells.columns() != columns.size()) {
            throw new IllegalArgumentException("HeatMap: cells have shape (%d, %d), expected (%d, %d), both at least 1"
                    .formatted(cells.rows(), cells.columns(), rows.size(), columns.size()));
        }
        for (int i = 0; i < cells.rows(); i++) {
            for (int j = 0; j < cells.columns(); j++) {
                if (!Double.isFinite(cells.get(i, j)) || !value.shows(cells.get(i, j))) {
                    throw new IllegalArgumentException("HeatMap: the cell '%s', '%s' is %s, expected a finite%s number"
                            .formatted(
                                    rows.get(i),
                                    columns.get(j),
                                    cells.get(i, j),
                                    value.scale() == Axis.Scale.LOG ? " positive" : ""));
                }
            }
        }
        this.rowLabel = rowLabel;
        this.rows = List.copyOf(rows);
        this.columnLabel = columnLabel;
        this.columns = List.copyOf(columns);
        this.value = value;
        this.cells = Matrix.of(cells.rows(), cells.columns(), cells.entries());
        this.mark = null;
    }

    private HeatMap(HeatMap map, Cell mark) {
        this.rowLabel = map.rowLabel;
        this.rows = map.rows;
        this.columnLabel = map.columnLabel;
        this.columns = map.columns;
        this.value = map.value;
        this.cells = map.cells;
        this.mark = mark;
    }

    /**
     * Returns this map with a frame around one cell.
     *
     * @param row from 0
     * @param column from 0
     * @return the map with this mark alone
     * @throws IllegalArgumentException if there is no such cell
     */
    public HeatMap marked(int row, int column) {
        if (row < 0 || row >= rows.size() || column < 0 || column >= columns.size()) {
            throw new IllegalArgumentException(
                    "HeatMap: cell (%d, %d) cannot be marked, there are %d rows and %d columns"
                            .formatted(row, column, rows.size(), columns.size()));
        }
        return new HeatMap(this, new Cell(row, column));
    }

    @Nullable
    Cell mark() {
        return mark;
    }

    String rowLabel() {
        return rowLabel;
    }

    List<String> rows() {
        return rows;
    }

    String columnLabel() {
        return columnLabel;
    }

    List<String> columns() {
        return columns;
    }

    Axis value() {
        return value;
    }

    double cell(int row, int column) {
        return cells.get(row, column);
    }

    @Override
    public Table data(String caption) {
        List<@Nullable Object[]> lines = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            for (int j = 0; j < columns.size(); j++) {
                lines.add(new Object[] {rows.get(i), columns.get(j), cells.get(i, j)});
            }
        }
        return Table.of(
                        caption,
                        Column.text("row", rowLabel),
                        Column.text("column", columnLabel),
                        Column.scientific("value", value.label(), 3))
                .rows(lines);
    }
}
