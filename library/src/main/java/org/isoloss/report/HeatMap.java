package org.isoloss.report;

import java.util.ArrayList;
import java.util.List;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * A grid of values as shades, the darker the larger, with the number in each cell where there is room.
 *
 * @param rowLabel what the rows are
 * @param rows names from top to bottom, at least one
 * @param columnLabel what the columns are
 * @param columns names from left to right, at least one
 * @param value what the shades mean
 * @param cells shape (rows, columns), finite; copied
 * @param mark a cell with a frame around it, or null
 */
public record HeatMap(
        String rowLabel,
        List<String> rows,
        String columnLabel,
        List<String> columns,
        Axis value,
        Matrix cells,
        @Nullable Cell mark)
        implements Chart {
    /**
     * A cell.
     *
     * @param row from 0
     * @param column from 0
     */
    public record Cell(int row, int column) {}

    /** Checks that the shape fits and that all values are finite and can be shown. */
    public HeatMap {
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
        rows = List.copyOf(rows);
        columns = List.copyOf(columns);
        cells = cells.copy();
    }

    /**
     * Makes a heat map without a mark.
     *
     * @param rowLabel what the rows are
     * @param rows names from top to bottom, at least one
     * @param columnLabel what the columns are
     * @param columns names from left to right, at least one
     * @param value what the shades mean
     * @param cells shape (rows, columns), finite; copied
     */
    public HeatMap(
            String rowLabel, List<String> rows, String columnLabel, List<String> columns, Axis value, Matrix cells) {
        this(rowLabel, rows, columnLabel, columns, value, cells, null);
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
        return new HeatMap(rowLabel, rows, columnLabel, columns, value, cells, new Cell(row, column));
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
                        Column.scientific("value", value.words(), 3))
                .rows(lines);
    }
}
