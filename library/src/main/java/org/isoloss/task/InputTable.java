package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.checkpoint.Csv;
import org.isoloss.checkpoint.Npz;
import org.isoloss.linalg.Matrix;
import org.isoloss.task.Task.DataSource;

/**
 * Inputs with their labels.
 *
 * @param inputs one input a row
 * @param labels the class of each row, or nothing
 */
public record InputTable(Matrix inputs, Optional<List<Integer>> labels) {
    /**
     * Reads a table of inputs.
     *
     * @param source with a file
     * @param folder to which the path is relative
     * @return the rows, scaled, labels apart
     * @throws IOException when it cannot be read
     */
    public static InputTable read(DataSource source, Path folder) throws IOException {
        String name = source.file();
        if (name == null) {
            throw new IllegalArgumentException("data: a table is read from a 'file', and none is given");
        }
        Path file = folder.resolve(name);
        Matrix all = name.endsWith(".npz") ? array(source, file) : Csv.read(file, Csv.FirstRow.NUMBERS);
        all.requireFinite("data: " + name);
        if (source.rows() != null) {
            all = selected(all, source.rows(), name);
        }
        boolean labelled = Boolean.TRUE.equals(source.label());
        int columns = all.columns() - (labelled ? 1 : 0);
        Matrix inputs = Matrix.zeros(all.rows(), columns);
        List<Integer> labels = new ArrayList<>();
        double scale = source.scale() == null ? 1 : source.scale();
        for (int row = 0; row < all.rows(); row++) {
            for (int column = 0; column < columns; column++) {
                inputs.set(row, column, all.get(row, column) / scale);
            }
            if (labelled) {
                labels.add((int) all.get(row, columns));
            }
        }
        return new InputTable(inputs, labelled ? Optional.of(labels) : Optional.empty());
    }

    private static Matrix selected(Matrix all, List<Integer> ranges, String name) {
        if (ranges.getLast() > all.rows()) {
            throw new IllegalArgumentException(
                    "data: rows %s asked for, but %s has %d rows".formatted(ranges, name, all.rows()));
        }
        List<double[]> rows = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i += 2) {
            for (int row = ranges.get(i); row < ranges.get(i + 1); row++) {
                rows.add(all.row(row));
            }
        }
        Matrix selected = Matrix.zeros(rows.size(), all.columns());
        for (int row = 0; row < rows.size(); row++) {
            System.arraycopy(rows.get(row), 0, selected.entries(), row * all.columns(), all.columns());
        }
        return selected;
    }

    private static Matrix array(DataSource source, Path file) throws IOException {
        try (Npz npz = Npz.open(file)) {
            String array = source.array() != null ? source.array() : npz.names().getFirst();
            return npz.tensor(array).toMatrix();
        }
    }
}
