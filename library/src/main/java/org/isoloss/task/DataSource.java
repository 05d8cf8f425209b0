package org.isoloss.task;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch of inputs, as a task states it.
 *
 * @param gaussian number of standard normal inputs drawn from the task seed
 * @param identity the unit vectors
 * @param file table of numbers: CSV (also gzipped), npz or npy
 * @param array name of the array in an npz file
 * @param header whether the first row of a CSV file names the columns; found out where left out
 * @param rows first row and one past the last, from 0, once or several times; all where left out
 * @param scale every number is divided by it; 1 where left out
 * @param label whether the last column is a class label, kept apart; false where left out
 * @param tokens ids of the protected prefix of a transformer, from its first token on
 * @param outputs file with what the network gives for these inputs, as another program computed it: CSV, npz or npy, an
 *     npz with several arrays as {@code FILE.npz:NAME}
 */
public record DataSource(
        @Nullable Integer gaussian,
        @Nullable Boolean identity,
        @Nullable String file,
        @Nullable String array,
        @Nullable Boolean header,
        @Nullable List<Integer> rows,
        @Nullable Double scale,
        @Nullable Boolean label,
        @Nullable List<Integer> tokens,
        @Nullable String outputs) {
    /** Refuses data that is given twice or not at all. */
    public DataSource {
        int ways = (gaussian == null ? 0 : 1)
                + (Boolean.TRUE.equals(identity) ? 1 : 0)
                + (file == null ? 0 : 1)
                + (tokens == null ? 0 : 1);
        Check.that(ways == 1, "data: exactly one of 'gaussian', 'identity', 'file' and 'tokens' must be given");
        Check.that(
                tokens == null || (!tokens.isEmpty() && tokens.stream().allMatch(id -> id != null && id >= 0)),
                "data: tokens must be at least one id, none below 0, got %s",
                tokens);
        Check.that(
                gaussian == null || (gaussian >= 1 && gaussian <= 1_000_000),
                "data: gaussian must be from 1 to 1000000, got %s",
                gaussian);
        Check.that(
                rows == null || areRanges(rows),
                "data: rows must be [first, one past the last], once or several times in order, got %s",
                rows);
        Check.that(
                scale == null || (scale > 0 && scale < Double.POSITIVE_INFINITY),
                "data: scale must be positive, got %s",
                scale);
        Check.that(
                file != null || (array == null && header == null && rows == null && label == null),
                "data: 'array', 'header', 'rows' and 'label' go with a 'file'");
        Check.that(
                outputs == null || gaussian == null,
                "data: 'outputs' goes with inputs that another program can read, not with 'gaussian'");
    }

    /**
     * Names a whole table of numbers.
     *
     * @param file as in the record, as are the others
     * @param array of an npz file
     * @param header of a CSV file
     * @return inputs of a file
     */
    public static DataSource table(String file, @Nullable String array, @Nullable Boolean header) {
        return new DataSource(null, null, file, array, header, null, null, null, null, null);
    }

    /**
     * Names a text.
     *
     * @param tokens as in the record
     * @return inputs of a model that reads tokens
     */
    public static DataSource text(List<Integer> tokens) {
        return new DataSource(null, null, null, null, null, null, null, null, tokens, null);
    }

    /**
     * Takes rows of the same table in another way.
     *
     * @param rows as in the record, as are the others
     * @param scale to divide by
     * @param label whether there are labels
     * @return all else unchanged
     */
    public DataSource taking(@Nullable List<Integer> rows, @Nullable Double scale, @Nullable Boolean label) {
        return new DataSource(gaussian, identity, file, array, header, rows, scale, label, tokens, outputs);
    }

    /**
     * Takes other rows of the same table, whose outputs nobody has given.
     *
     * @param other rows as in the record
     * @return all else unchanged
     */
    public DataSource withRows(List<Integer> other) {
        return new DataSource(gaussian, identity, file, array, header, other, scale, label, tokens, null);
    }

    /**
     * Says what the network gives for these inputs.
     *
     * @param file as in the record
     * @return all else unchanged
     */
    public DataSource expecting(@Nullable String file) {
        return new DataSource(gaussian, identity, this.file, array, header, rows, scale, label, tokens, file);
    }

    /** Whether another program has these inputs too. */
    boolean isGiven() {
        return file != null || tokens != null;
    }

    private static boolean areRanges(List<Integer> rows) {
        boolean rising = !rows.isEmpty() && rows.size() % 2 == 0 && rows.getFirst() >= 0;
        for (int i = 1; i < rows.size(); i++) {
            rising &=
                    rows.get(i) > rows.get(i - 1) || (i % 2 == 0 && rows.get(i).equals(rows.get(i - 1)));
        }
        return rising;
    }

    /**
     * Makes paths absolute.
     *
     * @param folder to which they are relative
     * @return the same inputs wherever this is read
     */
    public DataSource resolved(Path folder) {
        return new DataSource(
                gaussian,
                identity,
                file == null ? null : Task.absolute(folder, file),
                array,
                header,
                rows,
                scale,
                label,
                tokens,
                outputs == null ? null : ExpectedOutputs.absolute(folder, outputs));
    }
}
