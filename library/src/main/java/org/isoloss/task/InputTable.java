package org.isoloss.task;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.isoloss.checkpoint.StoredTensor;
import org.isoloss.linalg.Matrix;
import org.jspecify.annotations.Nullable;

/**
 * Inputs with their labels.
 *
 * @param inputs one input a row
 * @param labels the class of each row, or nothing
 * @param choice which rows of the file these are
 * @param notice one line on how the file was read, where a reader should know
 */
public record InputTable(Matrix inputs, Optional<List<Integer>> labels, RowChoice choice, Optional<String> notice) {
    /**
     * Rows of a table.
     *
     * @param ranges first row and one past the last, once or several times; null for all
     * @param rows of the whole table
     */
    public record RowChoice(@Nullable List<Integer> ranges, int rows) {
        /** Takes these rows of a table of as many rows. */
        Matrix of(Matrix all) {
            if (ranges == null) {
                return all;
            }
            List<Matrix> parts = new ArrayList<>();
            for (int i = 0; i < ranges.size(); i += 2) {
                parts.add(all.rows(ranges.get(i), ranges.get(i + 1)));
            }
            int count = parts.stream().mapToInt(Matrix::rows).sum();
            Matrix chosen = Matrix.zeros(count, all.columns());
            int at = 0;
            for (Matrix part : parts) {
                System.arraycopy(part.entries(), 0, chosen.entries(), at, part.entries().length);
                at += part.entries().length;
            }
            return chosen;
        }
    }

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
        NumberFile file = new NumberFile(folder.resolve(name));
        Optional<StoredTensor> array = file.array(source.array(), true);
        if (array.isPresent() && source.header() != null) {
            throw new IllegalArgumentException("data: %s holds arrays, which have no header".formatted(name));
        }
        NumberFile.Table table = array.isPresent()
                ? new NumberFile.Table(array.get().toMatrix(), Optional.empty())
                : file.table(source.header());
        Matrix all = table.numbers();
        all.requireFinite("data: " + name);
        RowChoice choice = new RowChoice(source.rows(), all.rows());
        if (source.rows() != null && source.rows().getLast() > all.rows()) {
            throw new IllegalArgumentException(
                    "data: rows %s asked for, but %s has %d rows".formatted(source.rows(), name, all.rows()));
        }
        return apart(choice.of(all), source, choice, table.notice());
    }

    private static InputTable apart(Matrix all, DataSource source, RowChoice choice, Optional<String> notice) {
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
                double label = all.get(row, columns);
                if (label != (int) label) {
                    throw new IllegalArgumentException("data: the last column of %s is no class label: row %d holds %s"
                            .formatted(source.file(), row, label));
                }
                labels.add((int) label);
            }
        }
        return new InputTable(inputs, labelled ? Optional.of(labels) : Optional.empty(), choice, notice);
    }
}
